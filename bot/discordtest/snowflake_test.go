package discordtest_test

import (
	"slices"
	"testing"

	"hostbot/bot/discordtest"
)

func TestIDsAsIntegers(t *testing.T) {
	t.Setenv(discordtest.EnvOpenAPI, writeFile(t, tinyOpenAPI))
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	anna, ben := discord.User("anna"), discord.User("ben")
	for _, id := range []string{anna.ID, `"` + anna.ID + `"`} {
		dm := c.do("POST", "/users/@me/channels", `{"recipient_id":`+id+`}`)
		dm.want(t, 200, 0)
		if dm.body.ID != anna.InDM().ChannelID() {
			t.Errorf("the DM with %s is %s, want %s", id, dm.body.ID, anna.InDM().ChannelID())
		}
		content := `{"content":"<@` + anna.ID + `> <@` + ben.ID + `>","allowed_mentions":{"users":[` + id + `]}}`
		sent := c.do("POST", "/channels/"+discord.Channels()[0].ID+"/messages", content)
		sent.want(t, 200, 0)
	}
	for _, v := range discord.Channels()[0].Messages() {
		if want := []string{"<@" + anna.ID + ">"}; !slices.Equal(v.Pings, want) {
			t.Errorf("%q pings %q, want %q", v.Content, v.Pings, want)
		}
	}

	discord.ExpectFailures()
	for _, id := range []string{`-1`, `1.5`, `"x"`, `{}`} {
		c.do("POST", "/users/@me/channels", `{"recipient_id":`+id+`}`).want(t, 400, discordtest.CodeInvalidForm)
	}
}
