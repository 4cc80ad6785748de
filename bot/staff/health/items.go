package health

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/logchannel"
	"hostbot/locale"
)

// errorLimit is to how many characters an error is cut for staff.
const errorLimit = 300

// describer describes a report, an item in each method: what operators read beside what
// staff read.
type describer struct {
	Report
	t *locale.Texts
}

// item returns an item that is well.
func item(name, format string, args ...any) Item {
	return Item{Name: name, State: OK, Text: fmt.Sprintf(format, args...)}
}

// wrong gives an item a state other than OK, with a cure that a text has.
func (d describer) wrong(i Item, state State, cure string) Item {
	i.State, i.Cure = state, d.t.Text(cure)
	return i
}

// program has nothing for staff: the title of what they read has it.
func (d describer) program() Item {
	return item("hostbot", "version %s, up for %v, %d interactions answered, %d without an answer",
		d.Version, time.Since(d.Started).Round(time.Second), d.Answered, d.Unanswered)
}

// interactions are about the way on which interactions arrive.
func (d describer) interactions() []Item {
	if d.Shards == nil {
		i := item("interactions over HTTP", "")
		if !d.Ready {
			i.State = Failure
		}
		return []Item{i}
	}
	staff := Staff{Title: d.t.Text("staff.status.shards"), Short: true}
	lost := d.t.Text("staff.status.lost")
	if len(d.Shards) == 0 {
		i := item("gateway", "no shard is held here")
		i.Staff = staff
		i.Staff.Text = d.t.Text("staff.status.standby")
		if !d.Standby {
			i = d.wrong(i, Failure, "staff.todo.shards")
			i.Staff.Text = "🔴 " + lost
		}
		return []Item{i}
	}
	var items []Item
	for _, s := range d.Shards {
		i := item(fmt.Sprintf("gateway, shard %d", s.ID), "%s", shardText(s))
		i.Staff = staff
		i.Staff.Text = strconv.Itoa(s.ID) + ": 🟢 " + d.milliseconds(s.Latency)
		if !s.Ready {
			i = d.wrong(i, Failure, "staff.todo.shards")
			i.Staff.Text = strconv.Itoa(s.ID) + ": 🔴 " + lost
		}
		items = append(items, i)
	}
	return items
}

func shardText(s shards.Status) string {
	switch {
	case !s.Ready:
		return "not connected"
	case s.Latency > 0:
		return "heartbeats take " + s.Latency.Round(10*time.Microsecond).String()
	}
	return "connected"
}

func (d describer) redis() Item {
	i := item("redis", "answered within %v", d.RedisLatency.Round(10*time.Microsecond))
	text := d.milliseconds(d.RedisLatency)
	switch {
	case d.RedisErr != nil:
		i, text = d.wrong(i, Failure, "staff.todo.redis"), sanitize.Markdown(d.RedisErr.Error(), errorLimit)
		i.Text = d.RedisErr.Error()
	case d.RedisEmbedded:
		i, text = d.wrong(i, Warning, "staff.todo.embedded"), d.t.Text("staff.status.embedded")
		i.Text = "in the process, as REDIS_URL is empty"
	}
	i.Staff = Staff{Title: d.t.Text("staff.status.redis"), Text: text, Short: true}
	return i
}

// leader is about the replica that does what only one may do.
func (d describer) leader() Item {
	i := item("leader", "%s", d.Leader)
	i.Staff = Staff{Title: d.t.Text("staff.status.leader"), Text: sanitize.Markdown(d.Leader, errorLimit), Short: true}
	if d.Leader == "" {
		i = d.wrong(i, Failure, "staff.todo.leader")
		i.Text, i.Staff.Text = "no replica leads", d.t.Text("staff.status.leaderless")
	}
	return i
}

func (d describer) service() Item {
	i := item("hosting service", "%d of %d calls failed within %v", d.Failed, d.Calls, d.Window)
	text := d.t.Format("staff.status.no_calls", locale.Args{"Window": d.t.Duration(d.Window)})
	if d.Calls > 0 {
		text = d.share(d.Failed, d.Calls, d.Window)
	}
	if !d.DownSince.IsZero() {
		i.Text = fmt.Sprintf("away for %v; ", time.Since(d.DownSince).Round(time.Second)) + i.Text
		text = d.t.Format("staff.status.down", locale.Args{"Since": relative(d.DownSince)}) + "\n" + text
	}
	if d.Failed > 0 || !d.DownSince.IsZero() {
		i = d.wrong(i, Failure, "staff.todo.service")
	}
	i.Staff = Staff{Title: d.t.Text("staff.status.service"), Text: text}
	return i
}

// discord is about what Discord lets the bot request. Staff need not see that nothing was
// refused.
func (d describer) discord() (items []Item) {
	if wait := time.Until(d.PausedUntil); wait > 0 {
		paused := item("discord", "all requests but answers to interactions wait for %v more, as discord asks", wait.Round(time.Second))
		paused.State = Failure
		items = append(items, paused)
	}
	refused := item("discord", "%d of %d requests refused (401, 403 or 429) within %v", d.Invalid, d.Requests, rest.InvalidWindow)
	if d.Invalid > 0 {
		refused.Staff = Staff{Title: d.t.Text("staff.status.invalid"), Text: d.share(d.Invalid, d.Requests, rest.InvalidWindow)}
	}
	if d.Invalid >= rest.FewerFrom {
		refused = d.wrong(refused, Failure, "log.cure.invalid_requests")
	}
	return append(items, refused)
}

// watching is about the accounts that are watched and the alerts that follow from that.
func (d describer) watching() []Item {
	if !d.Watching {
		return nil
	}
	title := d.t.Text("staff.status.watch")
	watched := item("watcher", "%d accounts, each every %v, %v late; alerts: %d sent, %d refused, %d wait",
		d.Watch.Accounts, d.Watch.Interval, d.Watch.Delay, d.Alerts.Sent, d.Alerts.Refused, d.Alerts.Waiting)
	if d.Watch.Grown {
		watched = d.wrong(watched, Failure, "log.cure.watch_slow")
	}
	watched.Staff = Staff{Title: title, Text: d.t.Format("staff.status.watched", locale.Args{
		"N": d.Watch.Accounts, "Interval": d.t.Duration(d.Watch.Interval), "Lag": d.t.Duration(d.Watch.Delay),
	}) + "\n" + d.t.Format("staff.status.alerts", locale.Args{
		"Sent": d.Alerts.Sent, "Refused": d.Alerts.Refused, "Waiting": d.Alerts.Waiting,
	})}
	held := d.Alerts.Held
	if !held.Is() {
		return []Item{watched}
	}
	what := "alerts are held"
	if held.New {
		what = "no DMs are opened"
	}
	messages := d.wrong(item("direct messages", "%s, the next after %s is tried; Discord refuses them with the code %d",
		what, held.Until.UTC().Format(time.DateTime), held.Code), Failure, "log.cure."+held.Problem())
	messages.Staff = Staff{Title: title, Text: d.t.Text("log.problem." + held.Problem())}
	if held.Until.After(time.Now()) {
		messages.Staff.Text += "\n" + d.t.Format("staff.status.held", locale.Args{"When": relative(held.Until)})
	}
	return []Item{watched, messages}
}

// lateAfter is for how long an entry may wait in a log channel that takes entries.
const lateAfter = time.Minute

func (d describer) logChannel(ch logchannel.Status) Item {
	age := ch.Age(time.Now())
	i := item("log channel "+ch.Channel, "%d entries wait, the oldest for %v; %s",
		ch.Waiting, age.Round(time.Second), cmp.Or(ch.Trouble, "Discord takes them"))
	text := "<#" + ch.Channel + "> " + d.t.Count("staff.status.waiting", ch.Waiting, nil)
	if ch.Waiting > 0 {
		text += " · " + d.t.Format("staff.status.oldest", locale.Args{"Age": d.t.Duration(age)})
	}
	if ch.Trouble != "" {
		text += "\n" + sanitize.Markdown(ch.Trouble, errorLimit)
	}
	switch {
	case ch.Forbidden:
		i = d.wrong(i, Failure, "log.channel.permissions")
	case ch.Trouble != "":
		i = d.wrong(i, Failure, "staff.todo.log")
	case age >= lateAfter:
		i = d.wrong(i, Failure, "staff.todo.late")
	}
	i.Staff = Staff{Title: d.t.Text("staff.status.log"), Text: text, ChannelID: ch.Channel}
	return i
}

// share says how many of something failed.
func (d describer) share(failed, calls int, window time.Duration) string {
	return d.t.Format("staff.status.calls", locale.Args{
		"Failed": failed, "Calls": calls, "Rate": d.t.Percent(failed * 100 / calls), "Window": d.t.Duration(window),
	})
}

// milliseconds says a latency; "–" if it is not known.
func (d describer) milliseconds(latency time.Duration) string {
	if latency <= 0 {
		return "–"
	}
	return d.t.Milliseconds(latency)
}

// relative shows a time as Discord does, ticking: "5 minutes ago"
// (https://discord.com/developers/docs/reference#message-formatting-timestamp-styles).
func relative(at time.Time) string { return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":R>" }
