package stafflog

import (
	"time"

	"hostbot/bot/logchannel"
	"hostbot/bot/sanitize"
	"hostbot/locale"
)

// Started writes that the bot has started.
func (l *Log) Started(version string) {
	l.lifecycle("🚀", green, "started", locale.Args{"Version": sanitize.Plain(version, nameLimit)}, "")
}

// Stopping writes that the bot is about to stop, and why.
func (l *Log) Stopping(reason string) {
	l.lifecycle("🛑", grey, "stopping", locale.Args{"Reason": sanitize.Markdown(reason, detailLimit)}, "")
}

// Connected writes that Discord delivers interactions in a new session.
func (l *Log) Connected() { l.lifecycle("🔗", green, "connected", nil, "") }

// Disconnected writes that the connection to Discord was lost, and why.
func (l *Log) Disconnected(reason error) {
	l.lifecycle("🔌", orange, "disconnected", nil, because(reason))
}

// CommandsRefused writes that Discord does not take the commands, and why.
func (l *Log) CommandsRefused(reason error) {
	l.lifecycle("❗", red, "commands_refused", nil, because(reason))
}

// GuildRefused writes that the bot may not register its commands in a guild, and
// how it is invited there.
func (l *Log) GuildRefused(guildID, inviteURL string, reason error) {
	cure := l.t.Format("log.cure.guild_refused", locale.Args{"URL": inviteURL})
	l.lifecycle("❗", red, "guild_refused", locale.Args{"Guild": sanitize.Plain(guildID, nameLimit)}, cure+"\n"+because(reason))
}

// InteractionsElsewhere writes that Discord sends interactions to a server of
// this name instead of to the bot, and how that is changed.
func (l *Log) InteractionsElsewhere(host string) {
	cure := l.t.Format("log.cure.interactions_elsewhere", locale.Args{"Host": sanitize.Code(host, nameLimit)})
	l.lifecycle("❗", red, "interactions_elsewhere", nil, cure)
}

// RedisLost writes that Redis cannot be used, why, and what that means.
func (l *Log) RedisLost(reason error) {
	l.lifecycle("🗄️", orange, "redis_lost", nil, because(reason))
}

// RedisBack writes that Redis can be used again, and after how long.
func (l *Log) RedisBack(after time.Duration) {
	l.lifecycle("🗄️", green, "redis_back", locale.Args{"Duration": l.t.Duration(after)}, "")
}

// ServiceDown writes that the hosting service is taken to be away, and why.
func (l *Log) ServiceDown(reason error) {
	l.lifecycle("🏚️", red, "service_down", nil, because(reason))
}

// ServiceUp writes that the hosting service is back, and after how long.
func (l *Log) ServiceUp(after time.Duration) {
	l.lifecycle("🏠", green, "service_up", locale.Args{"Duration": l.t.Duration(after)}, "")
}

// Resumed writes that the connection is back, with nothing lost, and after how long.
func (l *Log) Resumed(after time.Duration) {
	l.lifecycle("🔗", green, "resumed", locale.Args{"Duration": l.t.Duration(after)}, "")
}

// Outgrown writes that Discord recommends more shards than run.
func (l *Log) Outgrown(recommended, running int) {
	l.lifecycle("📈", orange, "outgrown", locale.Args{"Recommended": recommended, "Running": running}, l.t.Text("log.cure.outgrown"))
}

// CommandsUpdated writes that the commands were registered anew.
func (l *Log) CommandsUpdated() { l.lifecycle("📝", grey, "commands", nil, "") }

// lifecycle writes the text log.lifecycle.<key>, and more about it.
func (l *Log) lifecycle(emoji string, color int, key string, args locale.Args, text string) {
	entry := l.entry(emoji+" "+l.t.Format("log.lifecycle."+key, args), color)
	entry.Description = text
	l.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry})
}

// because shows the reason for something.
func because(reason error) string { return sanitize.Markdown(reason.Error(), detailLimit) }
