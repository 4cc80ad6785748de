package health

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/store/redisclient"
	"hostbot/locale"
)

// mostLetters is how many dead letters are shown.
const mostLetters = 3

// errorLimit is to how many characters an error is cut for staff.
const errorLimit = 300

// describer describes a report, an item in each method: what operators read beside what
// staff read.
type describer struct {
	Report
	t   *locale.Texts
	now time.Time
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
	i := item("hostbot", "version %s, up for %v", d.Version, d.now.Sub(d.Started).Round(time.Second))
	if d.Answered > 0 {
		i.Text += fmt.Sprintf(", %d interactions answered", d.Answered)
	}
	if d.Unanswered > 0 {
		i.Text += fmt.Sprintf(", %d without an answer", d.Unanswered)
	}
	return i
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
	loss, why := judgement{key: "gateway", english: "connection to Discord lost", at: d.LostSince}, ""
	if d.LostReason != nil {
		loss.reason = d.LostReason.Error()
		why = ": " + sanitize.Plain(loss.reason, errorLimit)
	}
	if len(d.Shards) == 0 {
		i := item("gateway", "no shard is held here")
		i.Staff = staff
		i.Staff.Text = d.t.Text("staff.status.standby")
		if !d.Standby {
			i = d.judged(d.wrong(i, Failure, "staff.todo.shards"), loss)
			i.Text += why
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
			i = d.judged(d.wrong(i, Failure, "staff.todo.shards"), loss)
			i.Text += why
			i.Staff.Text = strconv.Itoa(s.ID) + ": 🔴 " + lost
		}
		items = append(items, i)
	}
	if d.Unlocated != nil {
		i := item("gateway address", "that of before is used, as Discord refuses to say it: %s", sanitize.Plain(d.Unlocated.Error(), errorLimit))
		i.State, i.Staff = Warning, staff
		i.Staff.Text = "🟡 " + d.t.Text("staff.status.unlocated") + " " + sanitize.Markdown(d.Unlocated.Error(), errorLimit)
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
		key, english := "redis", "Redis unreachable"
		if redisclient.IsRefusal(d.RedisErr) {
			key, english = "redis_refuses", "Redis refuses writes"
		}
		since, reason := d.Redis.FailedSince, cmp.Or(d.Redis.Reason, d.RedisErr.Error())
		if !d.Redis.Recovered.IsZero() { // that was another time
			since, reason = time.Time{}, d.RedisErr.Error()
		}
		i, text = d.wrong(i, Failure, "staff.todo."+key), sanitize.Markdown(d.RedisErr.Error(), errorLimit)
		i.Text = d.RedisErr.Error()
		i = d.judged(i, judgement{key: key, english: english, at: since, reason: reason})
	case d.RedisEmbedded:
		i, text = d.wrong(i, Warning, "staff.todo.embedded"), d.t.Text("staff.status.embedded")
		i.Text = "in the process, as REDIS_URL is empty"
	case d.Redis.Fails > 0 && !d.Redis.Recovered.IsZero():
		i = d.judged(i, judgement{key: "redis_back", english: "Redis back", at: d.Redis.Recovered, reason: d.Redis.Reason})
	}
	i.Staff.Title, i.Staff.Text, i.Staff.Short = d.t.Text("staff.status.redis"), text, true
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

// deadLetters are what the leader cannot deal with.
func (d describer) deadLetters() []Item {
	if len(d.Dead) == 0 {
		return nil
	}
	i := d.wrong(item("dead letters", "%d", len(d.Dead)), Warning, "log.cure.dead")
	lines := make([]string, 0, mostLetters)
	for _, l := range d.Dead[:min(len(d.Dead), mostLetters)] {
		i.Text += fmt.Sprintf("; %s %s since %s (%s)", l.Kind, l.ID, l.Since.UTC().Format(time.RFC3339), sanitize.Plain(l.Reason, reasonLimit))
		lines = append(lines, sanitize.Code(l.Kind+" "+l.ID, reasonLimit)+" "+timestamp(l.Since, "R")+" "+sanitize.Markdown(l.Reason, reasonLimit))
	}
	if more := len(d.Dead) - mostLetters; more > 0 {
		lines = append(lines, "… +"+strconv.Itoa(more))
	}
	i.Staff = Staff{Title: d.t.Text("staff.status.dead"), Text: strings.Join(lines, "\n")}
	return []Item{i}
}

func (d describer) service() Item {
	s, since := d.Service, d.Service.FailedSince
	i := d.fared("hosting service", "calls", "staff.status.service", s)
	switch {
	case !d.DownSince.IsZero():
		if since.IsZero() || d.DownSince.Before(since) {
			since = d.DownSince
		}
		i = d.wrong(i, Failure, "staff.todo.service_fails")
		return d.judged(i, judgement{key: "service", english: "hosting service unreachable", at: since, reason: s.Reason, of: s, unit: "calls"})
	case d.Missing.Accounts > 0 && d.Missing.Of == 0: // which is how calls fail
		return d.missing(i)
	case s.Failing(d.now):
		i = d.wrong(i, Failure, "staff.todo.service_fails")
		return d.judged(i, judgement{key: "service_fails", english: "calls to the hosting service fail", at: since, reason: s.Reason, of: s, unit: "calls"})
	case d.Missing.Accounts > 0:
		return d.missing(i)
	case s.Fails > 0:
		return d.judged(i, judgement{key: "service_back", english: "hosting service recovered", at: s.Recovered, reason: s.Reason, of: s, unit: "calls"})
	}
	return i
}

// missing is about accounts that are not found, where that is most of them, or several that were found before.
func (d describer) missing(i Item) Item {
	m, key := d.Missing, "accounts_missing"
	what := fmt.Sprintf("%d of %d accounts not found", m.Accounts, m.Of)
	if m.Of == 0 {
		key, what = "accounts_lost", fmt.Sprintf("%d accounts not found any more", m.Accounts)
	}
	i = d.wrong(i, Failure, "log.cure."+key)
	i.Verdict = what + " since " + clock(m.Since)
	i.Text += "; " + i.Verdict
	i.Staff.Verdict = d.t.Format("log.lifecycle."+key, locale.Args{"Failed": m.Accounts, "Calls": m.Of}) + " · " +
		d.t.Format("staff.verdict.since", locale.Args{"When": timestamp(d.Missing.Since, "t") + " (" + timestamp(d.Missing.Since, "R") + ")"})
	return i
}

// responses are about whether customers are answered in time.
func (d describer) responses() Item {
	s := d.Responses
	i := d.fared("answers in time", "interactions", "staff.status.answers", s)
	if d.P95 > 0 {
		i.Text += fmt.Sprintf("; 95%% within %v", d.P95.Round(time.Millisecond))
		i.Staff.Text = d.t.Format("staff.status.within", locale.Args{"Duration": d.t.Milliseconds(d.P95)}) + "\n" + i.Staff.Text
	}
	of := fmt.Sprintf("%d of the last %d interactions not answered in time", s.Fails, s.Calls)
	switch {
	case s.Failing(d.now):
		i = d.wrong(i, Failure, "staff.todo.answers")
		return d.judged(i, judgement{key: "answers", english: of, at: s.FailedSince, reason: s.Reason, of: s})
	case s.Fails > 0:
		return d.judged(i, judgement{key: "answers_back", english: of + ", all again", at: s.Recovered, reason: s.Reason, of: s})
	}
	return i
}

// requests are about Discord's REST API.
func (d describer) requests() Item {
	s := d.Discord
	i := d.fared("discord's rest api", "requests", "staff.status.rest", s)
	switch {
	case s.Failing(d.now):
		i = d.wrong(i, Failure, "staff.todo.rest")
		return d.judged(i, judgement{key: "rest", english: "requests to Discord fail", at: s.FailedSince, reason: s.Reason, of: s, unit: "requests"})
	case s.Fails > 0:
		return d.judged(i, judgement{key: "rest_back", english: "Discord's REST API recovered", at: s.Recovered, reason: s.Reason, of: s, unit: "requests"})
	}
	return i
}

// refusals are about what Discord does not let the bot request.
func (d describer) refusals() (items []Item) {
	if wait := d.PausedUntil.Sub(d.now); wait > 0 {
		paused := item("discord", "all requests but answers to interactions wait for %v more, as discord asks", wait.Round(time.Second))
		paused.State = Failure
		items = append(items, paused)
	}
	if d.Invalid == 0 {
		return items
	}
	refused := item("discord", "%d of %d requests refused (401, 403 or 429) within %v", d.Invalid, d.Requests, rest.InvalidWindow)
	refused.Staff = Staff{Title: d.t.Text("staff.status.invalid"), Text: d.share(d.Invalid, d.Requests, rest.InvalidWindow)}
	if d.Invalid >= rest.FewerFrom {
		refused = d.wrong(refused, Failure, "log.cure.invalid_requests")
	}
	return append(items, refused)
}

// massOutage is about many bots that stopped at about the same time. It is a failure until half of
// them run again.
func (d describer) massOutage() []Item {
	o := d.Outage
	if o.Bots == 0 {
		return nil
	}
	i := item("mass outage", "%d bots of %d customers stopped from %s on", o.Bots, o.Customers, clock(o.First))
	text := d.t.Count("staff.status.fell", o.Bots, locale.Args{"Customers": o.Customers, "When": timestamp(o.First, "t")})
	if o.Recovered > 0 {
		i.Text += fmt.Sprintf(", %d run again", o.Recovered)
		text += "\n" + d.t.Format("staff.status.fell_back", locale.Args{"N": o.Recovered})
	}
	if 2*o.Recovered < o.Bots {
		i = d.wrong(i, Failure, "log.todo.fell")
		i.Verdict, i.Staff.Verdict = i.Text, strings.ReplaceAll(text, "\n", " · ")
	}
	i.Staff.Title, i.Staff.Text = d.t.Text("staff.status.outage"), text
	return []Item{i}
}

// watching is about the accounts that are watched and the alerts that follow from that.
func (d describer) watching() []Item {
	if !d.Watching {
		return nil
	}
	title := d.t.Text("staff.status.watch")
	watched := item("watcher", "%d accounts, each every %v", d.Watch.Accounts, d.Watch.Interval)
	texts := []string{d.t.Format("staff.status.watches", locale.Args{"N": d.Watch.Accounts, "Interval": d.t.Duration(d.Watch.Interval)})}
	for _, figure := range []struct {
		is             bool
		english, staff string
	}{
		{d.Watch.Delay > 0, fmt.Sprintf("%v late", d.Watch.Delay), d.t.Format("staff.status.behind", locale.Args{"Lag": d.t.Duration(d.Watch.Delay)})},
		{d.Watch.Limits.Accounts > 0, fmt.Sprintf("%d limited by the hosting service (429)", d.Watch.Limits.Accounts), d.t.Format("staff.status.limited", locale.Args{"N": d.Watch.Limits.Accounts})},
		{d.Alerts.Sent > 0, fmt.Sprintf("%d alerts sent", d.Alerts.Sent), d.t.Format("staff.status.alerts_sent", locale.Args{"N": d.Alerts.Sent})},
		{d.Alerts.Refused > 0, fmt.Sprintf("%d alerts refused", d.Alerts.Refused), d.t.Format("staff.status.alerts_refused", locale.Args{"N": d.Alerts.Refused})},
		{d.Alerts.Waiting > 0, fmt.Sprintf("%d alerts wait", d.Alerts.Waiting), d.t.Format("staff.status.alerts_waiting", locale.Args{"N": d.Alerts.Waiting})},
	} {
		if figure.is {
			watched.Text += ", " + figure.english
			texts = append(texts, figure.staff)
		}
	}
	switch limits := d.Watch.Limits; {
	case limits.All:
		watched = d.wrong(watched, Failure, "log.cure.polls_slowed")
	case limits.Accounts > 0:
		watched = d.wrong(watched, Warning, "log.cure.polls_limited")
	case d.Watch.Grown:
		watched = d.wrong(watched, Failure, "log.cure.watch_slow")
	}
	watched.Staff = Staff{Title: title, Text: strings.Join(texts, " · ")}
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
	if held.Until.After(d.now) {
		messages.Staff.Text += "\n" + d.t.Format("staff.status.held", locale.Args{"When": timestamp(held.Until, "R")})
	}
	return []Item{watched, messages}
}

// lateAfter is for how long an entry may wait in a log channel that takes entries.
const lateAfter = time.Minute

func (d describer) logChannel(ch logchannel.Status) Item {
	age := ch.Age(d.now)
	i := item("log channel "+ch.Channel, "%s", cmp.Or(ch.Trouble, "Discord takes its entries"))
	text := "<#" + ch.Channel + ">"
	if ch.Waiting > 0 {
		i.Text = fmt.Sprintf("%d entries wait, the oldest for %v; ", ch.Waiting, age.Round(time.Second)) + i.Text
		text += " " + d.t.Count("staff.status.waiting", ch.Waiting, nil) + " · " + d.t.Format("staff.status.oldest", locale.Args{"Age": d.t.Duration(age)})
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
	i.Staff = Staff{Title: d.t.Text("staff.status.log"), Text: text}
	if i.State != OK { // all others share a field
		i.Staff.ChannelID = ch.Channel
	}
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
