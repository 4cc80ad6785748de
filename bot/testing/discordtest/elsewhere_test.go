package discordtest_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// TestWhereTheBotIsNot has anna use a command that she has installed for herself, in a guild
// without the bot and among friends. Interactions work there, and the bot's token does not.
func TestWhereTheBotIsNot(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	const ofUsers = `{"name":"own","description":"d","type":1,"integration_types":[0,1],"contexts":[0,1,2]}`
	const ofGuilds = `{"name":"guilds","description":"d","type":1,"integration_types":[0]}`
	s.register(`[`+ofUsers+`,`+ofGuilds+`]`).want(t, 200, 0)
	type payload struct {
		GuildID string            `json:"guild_id"`
		Context int               `json:"context"`
		Owners  map[string]string `json:"authorizing_integration_owners"`
		May     string            `json:"app_permissions"`
		User    json.RawMessage   `json:"user"`
		Member  json.RawMessage   `json:"member"`
	}
	seen := func(u *discordtest.User) payload {
		t.Helper()
		s.uses(u, "/own", nil)
		for {
			if p := s.wire.read(); p.Type == "INTERACTION_CREATE" {
				e := decode[event](t, p.Data)
				s.do("POST", e.path(), `{"type":4,"data":{"content":"hello"}}`).want(t, 204, 0)
				return decode[payload](t, p.Data)
			}
		}
	}
	guild, friends := s.discord.AddForeignChannel("away"), s.discord.AddPrivateChannel("friends")
	const embedAndAttach = discordtest.EmbedLinks | discordtest.AttachFiles
	for name, test := range map[string]struct {
		in      *discordtest.User
		context int
		owner   string // the key
		foreign bool
	}{
		"a guild":                     {s.anna, 0, "0", false},
		"the DM":                      {s.anna.InDM(), 1, "0", false},
		"a guild where the bot isn't": {s.anna.In(guild), 0, "1", true},
		"a group":                     {s.anna.In(friends), 2, "1", true},
	} {
		got := seen(test.in)
		may, _ := strconv.ParseInt(got.May, 10, 64)
		inGuild := test.context == 0
		if got.Context != test.context || len(got.Owners) != 1 || got.Owners[test.owner] == "" ||
			discordtest.Permission(may)&embedAndAttach != embedAndAttach || (got.GuildID != "") != inGuild || (got.Member != nil) != inGuild || (got.User != nil) == inGuild {
			t.Errorf("%s: %+v, %s", name, got, got.Owners)
		}
		if offered := len(test.in.Commands()); (offered == 1) != test.foreign {
			t.Errorf("%s: %d commands are offered; one is for guilds that have the bot", name, offered)
		}
	}
	for _, ch := range []*discordtest.Channel{guild, friends} {
		if said := ch.Messages(); len(said) != 1 || said[0].Content != "hello" {
			t.Errorf("%s: the answer is %+v", ch.Name, said)
		}
		s.do("GET", "/channels/"+ch.ID, "").want(t, 403, discordtest.CodeMissingAccess)
		s.do("POST", messages(ch.ID), `{"content":"x"}`).want(t, 403, discordtest.CodeMissingAccess)
		s.do("DELETE", messages(ch.ID)+"/"+ch.Messages()[0].ID, "").want(t, 403, discordtest.CodeMissingAccess)
	}
	if f := s.discord.Failures(); len(f) != 0 {
		t.Errorf("where the bot is counts as its mistake: %v", f)
	}

	s.discord.Invite(guild.GuildID())
	s.do("POST", messages(guild.ID), `{"content":"x"}`).want(t, 200, 0)
	if got := seen(s.anna.In(guild)); got.Owners["0"] != got.GuildID {
		t.Errorf("once the bot is there: %+v", got)
	}
}
