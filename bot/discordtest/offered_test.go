package discordtest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

// What a user is offered depends on who it is and on where.
func TestOfferedCommands(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	c := newClient(t, discord)
	c.register(`[{"name":"plan","description":"d"},{"name":"here","description":"d","contexts":[0]},
		{"name":"private","description":"d","contexts":[1]},{"name":"old","description":"d","dm_permission":false},
		{"name":"admin","description":"d","default_member_permissions":"40"},{"name":"owner","description":"d","default_member_permissions":"0"},
		{"type":2,"name":"Hosted Bots","default_member_permissions":"32"},{"name":"both","description":"global"}]`).want(t, 200, 0)
	c.do("PUT", "/applications/"+discord.ApplicationID()+"/guilds/"+discord.GuildID()+"/commands",
		`[{"name":"both","description":"guild"},{"name":"local","description":"d"}]`).want(t, 200, 0)
	anna := discord.User("anna")
	manager := discord.User("manager", discordtest.Permissions(1<<5))
	boss := discord.User("boss", discordtest.Permissions(1<<3))

	for name, tc := range map[string]struct {
		user *discordtest.User
		want string
	}{
		"anyone in the guild":           {anna, "both local plan here old both"},
		"one with some of what it asks": {manager, "both local plan here old Hosted Bots both"},
		"an administrator":              {boss, "both local plan here old admin owner Hosted Bots both"},
		// Permissions are the guild's.
		"anyone in a DM": {anna.InDM(), "plan private admin owner Hosted Bots both"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, c := range tc.user.Commands() {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("offered %s, want %s", got, tc.want)
			}
		})
	}
	if _, err := anna.Menu(limit(t), "Hosted Bots", boss); err == nil || !strings.Contains(err.Error(), `anna may not use "Hosted Bots"`) {
		t.Errorf("got %v, want that anna may not", err)
	}
	if all := discord.Commands(); len(all) != 10 {
		t.Errorf("%d commands are registered, want 10", len(all))
	}
}

// Of a guild's and a global command of one name the guild's is used in the guild.
func TestTheGuildsCommandIsUsed(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	path := "/applications/" + s.discord.ApplicationID() + "/guilds/" + s.discord.GuildID() + "/commands"
	s.do("PUT", path, `[{"name":"bot","description":"d"}]`).want(t, 200, 0)
	guilds := s.discord.Commands()[slices.IndexFunc(s.discord.Commands(), func(c discordtest.Command) bool { return c.GuildID != "" })]
	used := func(user *discordtest.User) (id, guild string) {
		t.Helper()
		if _, err := user.Start("/bot", nil); err != nil {
			t.Fatal(err)
		}
		var e struct {
			Data struct {
				ID      string
				GuildID string `json:"guild_id"`
			}
		}
		if err := json.Unmarshal(s.wire.read().Data, &e); err != nil {
			t.Fatal(err)
		}
		return e.Data.ID, e.Data.GuildID
	}
	if id, guild := used(s.anna); id != guilds.ID || guild != s.discord.GuildID() {
		t.Errorf("in the guild %s of guild %q was used", id, guild)
	}
	if id, guild := used(s.anna.InDM()); id == guilds.ID || guild != "" {
		t.Errorf("in a DM %s of guild %q was used", id, guild)
	}
}
