package check

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/staff/health"
)

// neededThere says what the bot needs in a log channel.
const neededThere = "View Channel, Send Messages (in a thread Send Messages in Threads), Embed Links and Read Message History"

// categories returns the categories of log entries by their channels.
func (c *checker) categories() map[string][]string {
	byChannel := make(map[string][]string)
	for category, id := range c.cfg.Settings.LogChannels.ByCategory() {
		byChannel[*id] = append(byChannel[*id], category)
	}
	delete(byChannel, "") // those that are off
	return byChannel
}

// logChannels returns a check for each log channel: whether the bot can write to it, and who else reads it.
func (c *checker) logChannels() []check {
	categories := c.categories()
	if len(categories) == 0 {
		return []check{{"log channel", func(context.Context) health.Item {
			return warn("set LOG_CHANNEL_ID to a channel that only staff can read", "there is none: nobody is told of failures")
		}}}
	}
	var list []check
	for id, some := range categories {
		slices.Sort(some)
		list = append(list, check{"log channel " + strings.Join(some, ", "), func(ctx context.Context) health.Item { return c.inChannel(ctx, id, neededThere, judgeChannel) }})
	}
	slices.SortFunc(list, func(a, b check) int { return strings.Compare(a.name, b.name) })
	return list
}

// inChannel judges a channel by what the bot may do there, and what everybody may, if the bot can see it.
func (c *checker) inChannel(ctx context.Context, id, needed string, judge func(channel discordgo.Channel, bots, everybodys int64) health.Item) health.Item {
	me, err := c.discord.me()
	if err != nil {
		return notChecked("the token")
	}
	channel, err := c.channel(ctx, id)
	switch rest.CodeOf(err) {
	case rest.CodeUnknownChannel:
		return fail("copy the channel's ID anew, from a channel that is there", "there is no channel %s", id)
	case rest.CodeMissingAccess:
		return fail("let the bot into it, with "+needed, "the bot cannot see channel %s", id)
	}
	if err != nil {
		return discordTrouble(err)
	}
	guild, err := c.guild(ctx, channel.GuildID)
	if err != nil {
		return c.notInGuild(channel.GuildID, err)
	}
	member, err := c.member(ctx, channel.GuildID, me.ID)
	if err != nil {
		return discordTrouble(err)
	}
	speaker := channel // whose overwrites hold
	if channel.IsThread() {
		if speaker, err = c.channel(ctx, channel.ParentID); err != nil {
			return warn("let the bot see the thread's channel", "the permissions in the thread are not known: %s", reason(err))
		}
	}
	everybody := discordgo.Member{User: &discordgo.User{}}
	return judge(channel, permissions(guild, speaker, member), permissions(guild, speaker, everybody))
}

// https://docs.discord.com/developers/resources/channel#get-channel
func (c *checker) channel(ctx context.Context, id string) (channel discordgo.Channel, err error) {
	return channel, c.discord.get(ctx, "channels/"+id, &channel)
}

// judgeChannel judges a log channel.
func judgeChannel(channel discordgo.Channel, bots, everybodys int64) health.Item {
	send, sends := int64(discordgo.PermissionSendMessages), "Send Messages"
	if channel.IsThread() { // where Send Messages has no effect: https://docs.discord.com/developers/topics/threads#permissions
		send, sends = discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads"
	}
	// Without View Channel nothing else counts:
	// https://docs.discord.com/developers/topics/permissions#implicit-permissions
	sees := bots&discordgo.PermissionViewChannel != 0
	missing := named(map[string]bool{
		"View Channel": !sees, sends: !sees || bots&send == 0, "Embed Links": !sees || bots&discordgo.PermissionEmbedLinks == 0,
	})
	where := "#" + channel.Name
	switch { // before Discord says so of a message, with 40058, 50024, 50013, or 160005 and 50083
	case channel.Type == discordgo.ChannelTypeGuildForum, channel.Type == discordgo.ChannelTypeGuildMedia:
		return fail("name a text channel, or one of the forum's threads", "%s is a forum, which takes messages in its threads alone", where)
	case !takesText(channel.Type):
		return fail("name a text channel or a thread", "%s is none that takes messages", where)
	case len(missing) > 0:
		return fail("give the bot these permissions there", "the bot lacks in %s: %s", where, strings.Join(missing, ", "))
	// A locked thread takes nothing without it, archived or not:
	// https://docs.discord.com/developers/topics/threads#locked-threads, discord-api-docs#5919
	case channel.ThreadMetadata != nil && channel.ThreadMetadata.Locked && bots&discordgo.PermissionManageThreads == 0:
		return fail("unlock the thread, give the bot Manage Threads there, or name another", "%s is a locked thread, and the bot lacks Manage Threads", where)
	case bots&discordgo.PermissionReadMessageHistory == 0:
		return warn("give the bot Read Message History there", "in %s the bot cannot look for what it may have sent: after an outage entries may be there twice", where)
	case channel.Type != discordgo.ChannelTypeGuildPrivateThread && everybodys&discordgo.PermissionViewChannel != 0:
		return warn("hide it from @everyone, unless only staff are in that guild", "everybody in the guild can read %s, and the entries name customers", where)
	}
	return good("the bot can write to %s", where)
}

// takesText lists the kinds of channels to which a bot can write a message
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
func takesText(t discordgo.ChannelType) bool {
	return slices.Contains([]discordgo.ChannelType{
		discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice,
		discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread,
	}, t)
}

// permissions returns what a member may do in a channel.
// https://docs.discord.com/developers/topics/permissions#permission-overwrites
func permissions(guild discordgo.Guild, channel discordgo.Channel, member discordgo.Member) int64 {
	state := discordgo.NewState() // which knows the rules
	channel.GuildID, member.GuildID = guild.ID, guild.ID
	guild.Channels, guild.Members = []*discordgo.Channel{&channel}, []*discordgo.Member{&member}
	if state.GuildAdd(&guild) != nil {
		return 0
	}
	may, _ := state.UserChannelPermissions(member.User.ID, channel.ID) // which are all there
	if may&discordgo.PermissionAdministrator != 0 {
		// The library's administrators lack them.
		may |= discordgo.PermissionSendMessagesInThreads | discordgo.PermissionManageThreads | discordgo.PermissionCreatePublicThreads
	}
	return may
}
