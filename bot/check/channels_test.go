package check

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestPermissionsInAChannel(t *testing.T) {
	const view, send, links = discordgo.PermissionViewChannel, discordgo.PermissionSendMessages, discordgo.PermissionEmbedLinks
	guild := discordgo.Guild{ID: "1", OwnerID: "9", Roles: []*discordgo.Role{
		{ID: "1", Permissions: view}, {ID: "2", Permissions: send}, {ID: "3", Permissions: links}, {ID: "4", Permissions: discordgo.PermissionAdministrator},
	}}
	role := func(id string, allow, deny int64) *discordgo.PermissionOverwrite {
		return &discordgo.PermissionOverwrite{ID: id, Type: discordgo.PermissionOverwriteTypeRole, Allow: allow, Deny: deny}
	}
	member := func(id string, allow, deny int64) *discordgo.PermissionOverwrite {
		return &discordgo.PermissionOverwrite{ID: id, Type: discordgo.PermissionOverwriteTypeMember, Allow: allow, Deny: deny}
	}
	type overwrites = []*discordgo.PermissionOverwrite
	for name, test := range map[string]struct {
		user  string
		roles []string
		overwrites
		want int64
	}{
		"everybody's":                       {"5", nil, nil, view},
		"with those of roles":               {"5", []string{"2", "3"}, nil, view | send | links},
		"less what everybody is denied":     {"5", []string{"2"}, overwrites{role("1", 0, view)}, send},
		"a role's allowance wins over that": {"5", []string{"2"}, overwrites{role("2", view, 0), role("1", 0, view)}, view | send},
		"one role's over another's denial":  {"5", []string{"2", "3"}, overwrites{role("2", links, 0), role("3", 0, links)}, view | send | links},
		"the member's over all":             {"5", []string{"2"}, overwrites{member("5", 0, send), role("2", send, 0)}, view},
		"others' do not count":              {"5", []string{"2"}, overwrites{member("6", 0, send), role("3", links, 0)}, view | send},
	} {
		t.Run(name, func(t *testing.T) {
			channel := discordgo.Channel{PermissionOverwrites: test.overwrites}
			if got := permissions(guild, channel, test.user, test.roles); got != test.want {
				t.Errorf("%b, want %b", got, test.want)
			}
		})
	}
	denied := discordgo.Channel{PermissionOverwrites: overwrites{role("1", 0, view|send)}}
	for name, got := range map[string]int64{
		"owner": permissions(guild, denied, "9", nil), "administrator": permissions(guild, denied, "5", []string{"4"}),
	} {
		if v := judgeChannel(discordgo.Channel{}, got, 0); v.result != OK {
			t.Errorf("the %s: %+v", name, v)
		}
	}
}

func TestChannelsThatTheBotCannotUse(t *testing.T) {
	const all = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionEmbedLinks | discordgo.PermissionReadMessageHistory
	for name, test := range map[string]struct {
		kind  discordgo.ChannelType
		may   int64
		found string
	}{
		"a category":         {discordgo.ChannelTypeGuildCategory, all, "none that takes messages"},
		"without embeds":     {discordgo.ChannelTypeGuildText, all &^ discordgo.PermissionEmbedLinks, "lacks in #log: Embed Links"},
		"which it sees not":  {discordgo.ChannelTypeGuildText, all &^ discordgo.PermissionViewChannel, "Embed Links, Send Messages, View Channel"},
		"a thread to others": {discordgo.ChannelTypeGuildPublicThread, all, "lacks in #log: Send Messages in Threads"},
	} {
		v := judgeChannel(discordgo.Channel{Name: "log", Type: test.kind}, test.may, 0)
		if v.result != Failure || !strings.Contains(v.found, test.found) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
