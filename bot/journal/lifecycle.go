package journal

import (
	"time"

	"hostbot/bot/logchannel"
	"hostbot/bot/safetext"
	"hostbot/locale"
)

// Started writes that the bot has started.
func (j *Journal) Started(version string) {
	j.lifecycle("🚀", green, "log.lifecycle.started", locale.Args{"Version": safetext.Plain(version, nameLimit)})
}

// Stopping writes that the bot is about to stop, and why.
func (j *Journal) Stopping(reason string) {
	j.lifecycle("🛑", grey, "log.lifecycle.stopping", locale.Args{"Reason": safetext.Markdown(reason, detailLimit)})
}

// Connected writes that Discord delivers interactions in a new session.
func (j *Journal) Connected() { j.lifecycle("🔗", green, "log.lifecycle.connected", nil) }

// Disconnected writes that the connection to Discord was lost, and why.
func (j *Journal) Disconnected(reason error) {
	j.trouble("🔌", orange, "log.lifecycle.disconnected", reason)
}

// CommandsRefused writes that Discord does not take the commands, and why.
func (j *Journal) CommandsRefused(reason error) {
	j.trouble("❗", red, "log.lifecycle.commands_refused", reason)
}

// GuildRefused writes that the bot may not register its commands in a guild, and
// how it is invited there.
func (j *Journal) GuildRefused(guildID, inviteURL string, reason error) {
	j.cure("❗", j.t.Format("log.lifecycle.guild_refused", locale.Args{"Guild": safetext.Plain(guildID, nameLimit)}),
		j.t.Format("log.cure.guild_refused", locale.Args{"URL": inviteURL})+"\n"+safetext.Markdown(reason.Error(), detailLimit))
}

// InteractionsElsewhere writes that Discord sends interactions to a server of
// this name instead of to the bot, and how that is changed.
func (j *Journal) InteractionsElsewhere(host string) {
	j.cure("❗", j.t.Text("log.lifecycle.interactions_elsewhere"),
		j.t.Format("log.cure.interactions_elsewhere", locale.Args{"Host": safetext.Code(host, nameLimit)}))
}

// cure writes what is wrong and what staff can do about it.
func (j *Journal) cure(emoji, title, text string) {
	entry := j.entry(emoji+" "+title, red)
	entry.Description = text
	j.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry})
}

// RedisLost writes that Redis does not answer, why, and what that means.
func (j *Journal) RedisLost(reason error) {
	j.trouble("🗄️", orange, "log.lifecycle.redis_lost", reason)
}

// RedisBack writes that Redis answers again, and after how long.
func (j *Journal) RedisBack(after time.Duration) {
	j.lifecycle("🗄️", green, "log.lifecycle.redis_back", locale.Args{"Duration": j.t.Duration(after)})
}

// ServiceDown writes that the hosting service is taken to be away, and why.
func (j *Journal) ServiceDown(reason error) {
	j.trouble("🏚️", red, "log.lifecycle.service_down", reason)
}

// ServiceUp writes that the hosting service is back, and after how long.
func (j *Journal) ServiceUp(after time.Duration) {
	j.lifecycle("🏠", green, "log.lifecycle.service_up", locale.Args{"Duration": j.t.Duration(after)})
}

func (j *Journal) trouble(emoji string, color int, key string, reason error) {
	entry := j.entry(emoji+" "+j.t.Text(key), color)
	entry.Description = safetext.Markdown(reason.Error(), detailLimit)
	j.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry})
}

// Resumed writes that the connection is back, with nothing lost, and after how long.
func (j *Journal) Resumed(after time.Duration) {
	j.lifecycle("🔗", green, "log.lifecycle.resumed", locale.Args{"Duration": j.t.Duration(after)})
}

// CommandsUpdated writes that the commands were registered anew.
func (j *Journal) CommandsUpdated() { j.lifecycle("📝", grey, "log.lifecycle.commands", nil) }

func (j *Journal) lifecycle(emoji string, color int, key string, args locale.Args) {
	j.poster.Post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: j.entry(emoji+" "+j.t.Format(key, args), color)})
}
