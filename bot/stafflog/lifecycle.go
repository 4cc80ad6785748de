package stafflog

import (
	"time"

	"hostbot/bot/logchannel"
	"hostbot/bot/sanitize"
	"hostbot/locale"
)

// Started writes that the bot has started.
func (l *Log) Started(version string) {
	l.lifecycle("🚀", green, "log.lifecycle.started", locale.Args{"Version": sanitize.Plain(version, nameLimit)})
}

// Stopping writes that the bot is about to stop, and why.
func (l *Log) Stopping(reason string) {
	l.lifecycle("🛑", grey, "log.lifecycle.stopping", locale.Args{"Reason": sanitize.Markdown(reason, detailLimit)})
}

// Connected writes that Discord delivers interactions in a new session.
func (l *Log) Connected() { l.lifecycle("🔗", green, "log.lifecycle.connected", nil) }

// Disconnected writes that the connection to Discord was lost, and why.
func (l *Log) Disconnected(reason error) {
	l.trouble("🔌", orange, "log.lifecycle.disconnected", reason)
}

// CommandsRefused writes that Discord does not take the commands, and why.
func (l *Log) CommandsRefused(reason error) {
	l.trouble("❗", red, "log.lifecycle.commands_refused", reason)
}

// GuildRefused writes that the bot may not register its commands in a guild, and
// how it is invited there.
func (l *Log) GuildRefused(guildID, inviteURL string, reason error) {
	l.cure("❗", l.t.Format("log.lifecycle.guild_refused", locale.Args{"Guild": sanitize.Plain(guildID, nameLimit)}),
		l.t.Format("log.cure.guild_refused", locale.Args{"URL": inviteURL})+"\n"+sanitize.Markdown(reason.Error(), detailLimit))
}

// InteractionsElsewhere writes that Discord sends interactions to a server of
// this name instead of to the bot, and how that is changed.
func (l *Log) InteractionsElsewhere(host string) {
	l.cure("❗", l.t.Text("log.lifecycle.interactions_elsewhere"),
		l.t.Format("log.cure.interactions_elsewhere", locale.Args{"Host": sanitize.Code(host, nameLimit)}))
}

// cure writes what is wrong and what staff can do about it.
func (l *Log) cure(emoji, title, text string) {
	entry := l.entry(emoji+" "+title, red)
	entry.Description = text
	l.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry})
}

// RedisLost writes that Redis does not answer, why, and what that means.
func (l *Log) RedisLost(reason error) {
	l.trouble("🗄️", orange, "log.lifecycle.redis_lost", reason)
}

// RedisBack writes that Redis answers again, and after how long.
func (l *Log) RedisBack(after time.Duration) {
	l.lifecycle("🗄️", green, "log.lifecycle.redis_back", locale.Args{"Duration": l.t.Duration(after)})
}

// ServiceDown writes that the hosting service is taken to be away, and why.
func (l *Log) ServiceDown(reason error) {
	l.trouble("🏚️", red, "log.lifecycle.service_down", reason)
}

// ServiceUp writes that the hosting service is back, and after how long.
func (l *Log) ServiceUp(after time.Duration) {
	l.lifecycle("🏠", green, "log.lifecycle.service_up", locale.Args{"Duration": l.t.Duration(after)})
}

func (l *Log) trouble(emoji string, color int, key string, reason error) {
	entry := l.entry(emoji+" "+l.t.Text(key), color)
	entry.Description = sanitize.Markdown(reason.Error(), detailLimit)
	l.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry})
}

// Resumed writes that the connection is back, with nothing lost, and after how long.
func (l *Log) Resumed(after time.Duration) {
	l.lifecycle("🔗", green, "log.lifecycle.resumed", locale.Args{"Duration": l.t.Duration(after)})
}

// CommandsUpdated writes that the commands were registered anew.
func (l *Log) CommandsUpdated() { l.lifecycle("📝", grey, "log.lifecycle.commands", nil) }

func (l *Log) lifecycle(emoji string, color int, key string, args locale.Args) {
	l.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: l.entry(emoji+" "+l.t.Format(key, args), color)})
}
