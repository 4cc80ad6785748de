package check

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/staff/health"
)

func TestWhoMayWriteToAThread(t *testing.T) {
	const all = discordgo.PermissionViewChannel | discordgo.PermissionSendMessagesInThreads | discordgo.PermissionEmbedLinks | discordgo.PermissionReadMessageHistory
	guild := discordgo.Guild{ID: "1", OwnerID: "9", Roles: []*discordgo.Role{
		{ID: "1", Permissions: all}, {ID: "2", Permissions: discordgo.PermissionAdministrator},
	}}
	for name, test := range map[string]struct {
		user      string
		roles     []string
		overwrite discordgo.PermissionOverwrite
		want      health.State
	}{
		"a member":                    {"5", nil, discordgo.PermissionOverwrite{}, health.OK},
		"one of those who are denied": {"5", nil, discordgo.PermissionOverwrite{ID: "1", Deny: all}, health.Failure},
		"an administrator among them": {"5", []string{"2"}, discordgo.PermissionOverwrite{ID: "1", Deny: all}, health.OK},
		"the owner":                   {"9", nil, discordgo.PermissionOverwrite{ID: "1", Deny: all}, health.OK},
	} {
		parent := discordgo.Channel{ID: "7", PermissionOverwrites: []*discordgo.PermissionOverwrite{&test.overwrite}}
		member := discordgo.Member{User: &discordgo.User{ID: test.user}, Roles: test.roles}
		thread := discordgo.Channel{Type: discordgo.ChannelTypeGuildPublicThread}
		if v := judgeChannel(thread, permissions(guild, parent, member), 0); v.State != test.want {
			t.Errorf("%s: %+v", name, v)
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
		if v.State != health.Failure || !strings.Contains(v.Text, test.found) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
