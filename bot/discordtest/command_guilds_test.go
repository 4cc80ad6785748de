package discordtest_test

import (
	"testing"

	"hostbot/bot/discordtest"
)

func TestGuildsThatTheBotIsNotIn(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still(), NoRateLimits: true})
	c := newClient(t, discord)
	guild := discord.AddGuild()
	path := "/applications/" + discord.ApplicationID() + "/guilds/" + guild + "/commands"
	const body = `[{"name":"bot","description":"d"}]`

	c.do("GET", path, "").want(t, 403, discordtest.CodeMissingAccess)
	c.do("PUT", path, body).want(t, 403, discordtest.CodeMissingAccess)
	discord.Invite(guild)
	c.do("PUT", path, body).want(t, 200, 0)
	if there := discord.CommandsIn(guild); len(there) != 1 || there[0].GuildID != guild {
		t.Errorf("the guild has %+v", there)
	}
	if there := discord.Commands(); len(there) != 0 {
		t.Errorf("other guilds have %+v", there)
	}
	discord.Kick(guild)
	c.do("PUT", path, `[]`).want(t, 403, discordtest.CodeMissingAccess)
}

// An id in a bulk overwrite renames the command that has it.
func TestRenamedCommands(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still(), NoRateLimits: true})
	c := newClient(t, discord)
	c.register(`[{"name":"plan","description":"d"}]`).want(t, 200, 0)
	id := discord.CommandsIn("")[0].ID
	c.register(`[{"id":"`+id+`","name":"tariff","description":"d"}]`).want(t, 200, 0)
	if there := discord.CommandsIn(""); len(there) != 1 || there[0].ID != id || there[0].Name != "tariff" {
		t.Errorf("the overwrite left %+v", there)
	}
}
