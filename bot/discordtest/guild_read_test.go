package discordtest_test

import (
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

func TestGuildsMembersAndChannelsCanBeRead(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	guild, staff, bot := c.discord.GuildID(), c.discord.AddChannel("staff"), c.discord.ApplicationID()
	support := c.discord.AddRole("Support")
	anna := c.discord.User("anna", discordtest.Roles(support.ID))
	elsewhere := c.discord.AddGuild()
	hidden := `{"allow":"0","deny":"1024","id":"` + guild + `","type":0}`
	full := `{"allow":"1024","deny":"0","id":"` + bot + `","type":1}`
	mute := `{"allow":"1024","deny":"2048","id":"` + bot + `","type":1}`

	for _, tc := range []struct {
		name, path   string
		before       func()
		status, code int
		holds        string
	}{
		{"a guild with its roles", "/guilds/" + guild, nil, 200, 0, `"id":"` + support.ID + `","managed":false,"mentionable":false,"name":"Support"`},
		{"a guild without the bot", "/guilds/" + elsewhere, nil, 403, discordtest.CodeMissingAccess, ""},
		{"a guild with the bot", "/guilds/" + elsewhere, func() { c.discord.Invite(elsewhere) }, 200, 0, elsewhere},
		{"a member", "/guilds/" + guild + "/members/" + anna.ID, nil, 200, 0, `"roles":["` + support.ID + `"]`},
		{"the bot itself", "/guilds/" + guild + "/members/" + bot, nil, 200, 0, bot},
		{"nobody", "/guilds/" + guild + "/members/1", nil, 404, discordtest.CodeUnknownMember, ""},
		{"a member of another guild", "/guilds/" + elsewhere + "/members/" + anna.ID, nil, 404, discordtest.CodeUnknownMember, ""},
		{"a channel", "/channels/" + staff.ID, nil, 200, 0, `"permission_overwrites":[]`},
		{"a hidden channel", "/channels/" + staff.ID, staff.Hide, 200, 0, `"permission_overwrites":[` + hidden + "," + full + "]"},
		{"one that is read only", "/channels/" + staff.ID, func() { staff.Allow(discordtest.MissingPermissions) }, 200, 0, mute},
		{"one that the bot cannot see", "/channels/" + staff.ID, func() { staff.Allow(discordtest.MissingAccess) }, 403, discordtest.CodeMissingAccess, ""},
		{"a thread", "/channels/" + staff.ID, func() { staff.Allow(discordtest.MissingThreadPermission) }, 200, 0, `"parent_id":"` + guild},
		{"its parent", "/channels/" + guild, nil, 200, 0, `"deny":"274877906944"`},
	} {
		if tc.before != nil {
			tc.before()
		}
		got := c.do("GET", tc.path, "")
		t.Run(tc.name, func(t *testing.T) {
			got.want(t, tc.status, tc.code)
			if !strings.Contains(got.text, tc.holds) {
				t.Errorf("no %s in %s", tc.holds, got.text)
			}
		})
	}
}
