package stafflog

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/bot/leader"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/notify"
)

// RedisEmbedded writes that no Redis is configured, and what that means.
func (l *Log) RedisEmbedded() { l.warn("redis_embedded", l.t.Text("staff.todo.embedded")) }

// DeadLetter writes that the leader cannot deal with something.
func (l *Log) DeadLetter(letter leader.Letter) {
	l.warn("dead", sanitize.Code(letter.Kind+" "+letter.ID+": "+letter.Reason, detailLimit)+"\n"+l.t.Text("log.cure.dead"))
}

// AccountUnread writes what of an account the hosting service sent in a form that cannot be read. All
// replicas see it; it is written once a day.
func (l *Log) AccountUnread(customerID, what string) {
	entry := l.entry("⚠️ "+l.t.Text("log.problem.unread"), orange)
	entry.Description = sanitize.Code(what, detailLimit) + "\n" + l.t.Text("log.cure.unread")
	l.post(logchannel.Entry{
		Category: logchannel.Errors, Embed: entry, Own: []*discordgo.MessageEmbedField{l.field("customer", sanitize.User(customerID))},
		DedupKey: "unread " + customerID + " " + what, GroupKey: "unread " + sanitize.Plain(what, nameLimit), Customer: logchannel.Customer{ID: customerID},
	})
}

// EventUnreadable writes that an event of Discord's is not what was expected, so
// that nobody could be answered.
func (l *Log) EventUnreadable(reason error) { l.warn("event", because(reason)) }

// InteractionStuck writes that an interaction does not end and was left behind.
func (l *Log) InteractionStuck() { l.warn("stuck", "") }

// MessagesPaused writes that Discord lets the bot send no direct messages, why, and what can be
// done.
func (l *Log) MessagesPaused(p notify.Pause, reason error) {
	l.warn(p.Problem(), l.t.Text("log.cure."+p.Problem())+"\n"+because(reason))
}

// FollowersBudget writes that half of the first messages to new followers are used up for the day.
func (l *Log) FollowersBudget() { l.warn("dm_budget", l.t.Text("log.cure.dm_budget")) }

// warn writes what is wrong, by the text log.problem.<key>, and a description of it. Equal ones
// become one message that counts.
func (l *Log) warn(key, description string) {
	text := l.t.Text("log.problem." + key)
	entry := l.entry("⚠️ "+text, orange)
	entry.Description = description
	l.post(logchannel.Entry{Category: logchannel.Errors, Embed: entry, GroupKey: sanitize.Plain(text, nameLimit)})
}
