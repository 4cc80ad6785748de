package discordtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

func TestSingleCommands(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	c := newClient(t, discord)
	all := "/applications/" + discord.ApplicationID() + "/commands"

	created := c.do("POST", all, `{"name":"plan","description":"a","default_member_permissions":"0"}`)
	created.want(t, 201, 0)
	again := c.do("POST", all, `{"name":"plan","description":"b"}`)
	again.want(t, 200, 0)
	if again.body.ID != created.body.ID {
		t.Errorf("a command of a known name got the id %s, want %s", again.body.ID, created.body.ID)
	}
	c.do("POST", all, `{"name":"Plan","description":"b"}`).want(t, 400, discordtest.CodeInvalidForm)
	one := all + "/" + created.body.ID

	c.do("PATCH", one, `{"description":"c","name_localizations":{"de":"tarif"}}`).want(t, 200, 0)
	c.do("PATCH", one, `{"description":""}`).want(t, 400, discordtest.CodeInvalidForm)
	var got discordtest.Command
	if err := json.Unmarshal([]byte(c.do("GET", one, "").text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "plan" || got.Description != "c" || got.NameLocalizations["de"] != "tarif" {
		t.Errorf("after the change: %+v", got)
	}

	other := c.do("POST", all, `{"name":"help","description":"a"}`)
	taken := c.do("PATCH", all+"/"+other.body.ID, `{"name":"plan"}`)
	taken.want(t, 400, discordtest.CodeInvalidForm)

	c.do("DELETE", one, "").want(t, 204, 0)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		body := ""
		if method == "PATCH" {
			body = `{}`
		}
		c.do(method, one, body).want(t, 404, discordtest.CodeUnknownCommand)
	}
	if left := discord.Commands(); len(left) != 1 || left[0].Name != "help" {
		t.Errorf("left: %+v", left)
	}
	foreign := strings.Replace(one, "/commands", "/guilds/1/commands", 1)
	c.do("GET", foreign, "").want(t, 403, discordtest.CodeMissingAccess)
}

func TestDMsAreOpened(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	c := newClient(t, discord)
	anna := discord.User("anna").InDM()

	opened := c.do("POST", "/users/@me/channels", `{"recipient_id":"`+anna.ID+`"}`)
	opened.want(t, 200, 0)
	if opened.body.ID != anna.ChannelID() {
		t.Errorf("opened %s, want %s", opened.body.ID, anna.ChannelID())
	}
	c.do("POST", "/channels/"+opened.body.ID+"/messages", `{"content":"hello"}`).want(t, 200, 0)
	if seen := anna.Messages(); len(seen) != 1 || seen[0].Content != "hello" {
		t.Errorf("anna sees %+v", seen)
	}
	c.do("POST", "/users/@me/channels", `{}`).want(t, 400, discordtest.CodeInvalidForm)
	c.do("POST", "/users/@me/channels", `{"recipient_id":"123456789012345678"}`).want(t, 404, discordtest.CodeUnknownUser)
}
