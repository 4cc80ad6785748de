package check

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/staff/health"
)

// neededForSupport says what the bot needs in the support channel.
const neededForSupport = "View Channel, Send Messages, Embed Links, Create Public Threads, Send Messages in Threads and Read Message History"

// supportChannel reports whether the bot can open threads in the support channel, and who else
// reads them.
func (c *checker) supportChannel(ctx context.Context) health.Item {
	return c.inChannel(ctx, c.cfg.Settings.Admin.SupportChannelID, neededForSupport, judgeSupport)
}

// judgeSupport judges the support channel. A thread is started from a message there, which a
// forum has none of: https://docs.discord.com/developers/resources/channel#start-thread-from-message
func judgeSupport(channel discordgo.Channel, bots, everybodys int64) health.Item {
	where := "#" + channel.Name
	// Without View Channel nothing else counts.
	sees := bots&discordgo.PermissionViewChannel != 0
	lacks := func(permission int64) bool { return !sees || bots&permission == 0 }
	missing := named(map[string]bool{
		"View Channel": !sees, "Send Messages": lacks(discordgo.PermissionSendMessages), "Embed Links": lacks(discordgo.PermissionEmbedLinks),
		"Create Public Threads": lacks(discordgo.PermissionCreatePublicThreads), "Send Messages in Threads": lacks(discordgo.PermissionSendMessagesInThreads),
	})
	switch {
	case channel.Type != discordgo.ChannelTypeGuildText && channel.Type != discordgo.ChannelTypeGuildNews:
		return fail("name a text channel in SUPPORT_CHANNEL_ID", "%s is no text channel, so no thread can be started from a message there", where)
	case len(missing) > 0:
		return fail("give the bot these permissions there", "the bot lacks in %s: %s", where, strings.Join(missing, ", "))
	case bots&discordgo.PermissionReadMessageHistory == 0:
		return warn("give the bot Read Message History there", "in %s the bot cannot look for what it may have sent: after an outage a failure may be there twice", where)
	case everybodys&discordgo.PermissionViewChannel != 0:
		return warn("hide it from @everyone, unless only staff are in that guild", "everybody in the guild can read %s, and the threads name customers", where)
	}
	return good("the bot can open threads in %s", where)
}
