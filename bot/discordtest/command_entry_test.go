package discordtest_test

import (
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

const launchCommand = `{"type":4,"name":"launch","description":"Play","handler":1}`

func TestEntryPointCommand(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still(), NoRateLimits: true})
	discord.ExpectFailures()
	c := newClient(t, discord)
	discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
	there := discord.CommandsIn("")
	if len(there) != 1 || there[0].Type != discordtest.EntryPointCommand || *there[0].Handler != 2 {
		t.Fatalf("Activities made the commands %+v", there)
	}

	const bot = `{"name":"bot","description":"d"}`
	c.register(`[`+bot+`]`).want(t, 400, discordtest.CodeEntryPointRemoved)
	c.register(`[]`).want(t, 400, discordtest.CodeEntryPointRemoved)
	c.register(`[`+bot+`,`+launchCommand+`,`+strings.Replace(launchCommand, "launch", "play", 1)+`]`).want(t, 400, discordtest.CodeInvalidForm)
	c.do("PUT", "/applications/"+discord.ApplicationID()+"/guilds/"+discord.GuildID()+"/commands", `[`+launchCommand+`]`).want(t, 400, discordtest.CodeInvalidForm)

	// As it was read it is taken.
	all := "/applications/" + discord.ApplicationID() + "/commands"
	read := c.do("GET", all+"?with_localizations=true", "").text
	c.register(strings.TrimSuffix(read, "]")+`,`+bot+`]`).want(t, 200, 0)
	kept := discord.CommandsIn("")
	if len(kept) != 2 || kept[0].ID != there[0].ID || *kept[0].Handler != 2 {
		t.Errorf("the overwrite left %+v", kept)
	}
	c.register(`[`+launchCommand+`]`).want(t, 200, 0)
	if changed := discord.CommandsIn(""); len(changed) != 1 || changed[0].ID != there[0].ID || *changed[0].Handler != 1 {
		t.Errorf("the change left %+v", changed)
	}
	c.do("DELETE", all+"/"+there[0].ID, "").want(t, 204, 0)
	c.register(`[`+bot+`]`).want(t, 200, 0)
}
