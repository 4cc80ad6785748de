package check

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/staff/health"
)

func TestSupportChannels(t *testing.T) {
	const all = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionEmbedLinks |
		discordgo.PermissionReadMessageHistory | discordgo.PermissionCreatePublicThreads | discordgo.PermissionSendMessagesInThreads
	const text = discordgo.ChannelTypeGuildText
	for name, test := range map[string]struct {
		kind            discordgo.ChannelType
		bots, everybody int64
		state           health.State
		found           string
	}{
		"good":                 {text, all, 0, health.OK, "can open threads in #help"},
		"announcements":        {discordgo.ChannelTypeGuildNews, all, 0, health.OK, "can open threads"},
		"a forum":              {discordgo.ChannelTypeGuildForum, all, 0, health.Failure, "no text channel"},
		"a thread":             {discordgo.ChannelTypeGuildPublicThread, all, 0, health.Failure, "no text channel"},
		"without threads":      {text, all &^ discordgo.PermissionCreatePublicThreads, 0, health.Failure, "lacks in #help: Create Public Threads"},
		"without writing":      {text, all &^ discordgo.PermissionSendMessagesInThreads, 0, health.Failure, "lacks in #help: Send Messages in Threads"},
		"unseen":               {text, all &^ discordgo.PermissionViewChannel, 0, health.Failure, "Create Public Threads, Embed Links, Send Messages, Send Messages in Threads, View Channel"},
		"without its history":  {text, all &^ discordgo.PermissionReadMessageHistory, 0, health.Warning, "twice"},
		"which everybody sees": {text, all, discordgo.PermissionViewChannel, health.Warning, "everybody"},
	} {
		v := judgeSupport(discordgo.Channel{Name: "help", Type: test.kind}, test.bots, test.everybody)
		if v.State != test.state || !strings.Contains(v.Text, test.found) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
