package stafflog

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/register"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/locale"
)

// Started writes that the bot has started.
func (l *Log) Started(version string) {
	l.lifecycle("🚀", green, l.t.Format("log.lifecycle.started", locale.Args{"Version": sanitize.Plain(version, nameLimit)}), "", "")
}

// Stopping writes that the bot is about to stop, and why.
func (l *Log) Stopping(reason string) {
	l.lifecycle("🛑", grey, l.t.Format("log.lifecycle.stopping", locale.Args{"Reason": sanitize.Markdown(reason, nameLimit)}), "", "")
}

// CommandsRefused writes that Discord does not take the commands, and why.
func (l *Log) CommandsRefused(reason error) {
	l.lifecycle("❗", red, l.t.Text("log.lifecycle.commands_refused"), because(reason), "")
}

// maxTranslations is how many texts an entry names whose translations are refused.
const maxTranslations = 15

// LocalizationsRefused writes which translations of the commands Discord refuses, so that
// the commands are registered without them. All replicas see it; it is written once a day.
func (l *Log) LocalizationsRefused(which []string) {
	list := ""
	for _, text := range which[:min(len(which), maxTranslations)] {
		list += sanitize.Markdown(text, 2*nameLimit) + "\n"
	}
	if len(which) > maxTranslations {
		list += "… (" + strconv.Itoa(len(which)) + ")"
	}
	l.lifecycle("🌐", orange, l.t.Text("log.lifecycle.localizations_refused"), list, "localizations refused "+day()+strings.Join(which, "\n"))
}

// GuildRefused writes that the bot may not register its commands in a guild, and
// how it is invited there.
func (l *Log) GuildRefused(guildID, inviteURL string, reason error) {
	cure := l.t.Format("log.cure.guild_refused", locale.Args{"URL": inviteURL})
	title := l.t.Format("log.lifecycle.guild_refused", locale.Args{"Guild": sanitize.Plain(guildID, nameLimit)})
	l.lifecycle("❗", red, title, cure+"\n"+because(reason), "")
}

// Unreached writes that no command or button reaches the bot, why, and what can be done. All replicas see it; it is
// written once in an hour.
func (l *Log) Unreached(a register.Arrival) {
	text := l.t.Format("log.cure."+string(a.Fault), locale.Args{"Host": sanitize.Code(a.Host, nameLimit)})
	if a.Answer != "" {
		text += "\n" + sanitize.Markdown(a.Answer, detailLimit)
	}
	l.lifecycle("❗", red, l.t.Text("log.lifecycle.interactions_elsewhere"), text, "unreached "+string(a.Fault)+hour())
}

// Reached writes that commands and buttons reach the bot again, and for how long they did not. All replicas see it; it is
// written once in an hour.
func (l *Log) Reached(after time.Duration) {
	l.lifecycle("🔗", green, l.t.Format("log.lifecycle.reached", locale.Args{"Duration": l.t.Duration(after)}), "", "reached"+hour())
}

// hour ends the DedupKey of what is written once in an hour, and day that of what is written once a day.
func hour() string { return time.Now().UTC().Format(" 2006-01-02 15") }
func day() string  { return time.Now().UTC().Format(time.DateOnly) }

// WatchSlow writes that accounts are looked at less often than they should be, and what
// can be done. All replicas see it; it is written once a day.
func (l *Log) WatchSlow(s watcher.Status) {
	title := l.t.Format("log.lifecycle.watch_slow", locale.Args{"N": s.Accounts, "Duration": l.t.Duration(s.Interval)})
	l.lifecycle("🐌", orange, title, l.t.Text("log.cure.watch_slow"), "watch slow "+day())
}

// PollsLimited writes that the hosting service limits the polls of some accounts or of all, what that
// means, or that this is over if now is zero. All replicas see it; each is written once.
func (l *Log) PollsLimited(before, now watcher.Limits) {
	title, means, which, of := l.t.Count("log.lifecycle.polls_limited", now.Accounts, nil), l.t.Text("log.cure.polls_limited"), "some", now
	switch {
	case now.Since.IsZero():
		title, means, which, of = l.t.Format("log.lifecycle.polls_free", locale.Args{"Duration": l.t.Duration(time.Since(before.Since))}), "", "none", before
	case now.All:
		title, means, which = l.t.Text("log.lifecycle.polls_slowed"), l.t.Text("log.cure.polls_slowed"), "all"
	}
	l.lifecycle("🚦", orange, title, means, "limited polls "+which+" "+of.Since.UTC().Format(time.RFC3339Nano))
}

// maxPlans is how many plans fit into a field of 1,024 characters.
const maxPlans = 8

// Outage writes that many bots stopped running at about the same time. A later call for
// the same outage takes the entry's place.
func (l *Log) Outage(o outages.Outage) {
	color, plans := red, ""
	if o.Recovered >= o.Bots {
		color = green
	}
	names := slices.Sorted(maps.Keys(o.Plans))
	for _, plan := range names[:min(len(names), maxPlans)] {
		plans += sanitize.Markdown(plan, nameLimit) + ": " + strconv.Itoa(o.Plans[plan]) + "\n"
	}
	title := l.t.Count("log.fell.title", o.Bots, locale.Args{"Customers": o.Customers, "Duration": l.t.Duration(o.Within)})
	entry := l.entry("📉 "+title, color, l.field("fell_at", message.Time(o.First, "T")), l.field("fell_back", strconv.Itoa(o.Recovered)))
	if plans != "" {
		entry.Fields = append(entry.Fields, l.field("fell_plans", plans))
	}
	entry.Description = l.t.Text("log.todo.fell")
	l.post(logchannel.Entry{Category: logchannel.Errors, Embed: entry, GroupKey: "fell " + o.ID, Latest: true})
}

// CommandsUpdated writes that the commands were registered anew.
func (l *Log) CommandsUpdated() {
	l.lifecycle("📝", grey, l.t.Text("log.lifecycle.commands"), "", "")
}

// lifecycle writes what happened, in a line if there is no text to say more about it. once is the DedupKey.
func (l *Log) lifecycle(emoji string, color int, title, text, once string) {
	title = emoji + " " + title
	if text == "" {
		l.post(logchannel.Entry{Category: logchannel.Lifecycle, Line: l.now() + title, DedupKey: once})
		return
	}
	entry := l.entry(title, color)
	entry.Description = text
	l.post(logchannel.Entry{Category: logchannel.Lifecycle, Embed: entry, DedupKey: once})
}

// because shows the reason for something.
func because(reason error) string { return sanitize.Markdown(reason.Error(), detailLimit) }
