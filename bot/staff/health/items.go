package health

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/store/redisclient"
	"hostbot/locale"
)

// program is about the process. Staff read that above the items.
func (d describer) program() Item {
	text := fmt.Sprintf("version %s, up for %v", d.Version, d.now.Sub(d.Started).Round(time.Second))
	if d.Answered > 0 {
		text += fmt.Sprintf(", %d interactions answered", d.Answered)
	}
	if d.Unanswered > 0 {
		text += fmt.Sprintf(", %d without an answer", d.Unanswered)
	}
	return d.item("hostbot", "", text)
}

// interactions are about the way on which interactions arrive.
func (d describer) interactions() (items []Item) {
	if d.Shards == nil {
		return []Item{d.arrival("interactions over HTTP", problem{is: !d.Ready, state: Failure})}
	}
	if d.Arrival.Fault != register.None {
		items = append(items, d.arrival("interactions"))
	}
	lost := problem{state: Failure, verdict: "staff.verdict.gateway", cure: "staff.todo.shards", at: d.LostSince}
	if d.LostReason != nil {
		lost.reason = d.LostReason.Error()
	}
	add := func(name, text string, p problem) {
		i := d.item(name, "staff.status.shards", text, p)
		i.Short = true
		items = append(items, i)
	}
	notConnected := d.sign("🔴") + d.t.Text("staff.status.lost")
	if len(d.Shards) == 0 {
		text := d.t.Text("staff.status.standby")
		if lost.is = !d.Standby; lost.is {
			text = notConnected
		}
		add("gateway", text, lost)
		return items
	}
	for _, s := range d.Shards {
		text := d.sign("🟢") + d.milliseconds(s.Latency)
		if lost.is = !s.Ready; lost.is {
			text = notConnected
		}
		add("gateway, shard "+number(s.ID), d.sign(number(s.ID)+":")+text, lost)
	}
	if d.Unlocated != nil {
		text := d.sign("🟡") + d.t.Text("staff.status.unlocated") + "\n" + d.clean(d.Unlocated.Error(), errorLimit)
		add("gateway address", text, problem{is: true, state: Warning})
	}
	return items
}

// arrival is about whether Discord sends interactions to where the bot takes them, unless there is another problem
// before that.
func (d describer) arrival(name string, before ...problem) Item {
	a := d.Arrival
	days, soon := a.ExpiresSoon(d.now)
	text := ""
	if d.plain && !a.Expires.IsZero() { // staff read of it if it is due
		text = fmt.Sprintf("the certificate of %s expires in %d days", d.clean(a.Host, reasonLimit), days)
	}
	args := locale.Args{"Host": d.code(a.Host, reasonLimit), "Days": days}
	fault := problem{is: a.Fault != register.None, state: Failure, verdict: "log.lifecycle.interactions_elsewhere", cure: "log.cure." + string(a.Fault), args: args, at: a.Since, reason: a.Answer}
	if a.Fault == register.Unanswered && d.Responses.Calls > 0 { // this machine may not reach its own address, or not yet be missed
		fault.state, fault.verdict = Warning, ""
	}
	return d.item(name, "", text, append(before, fault, problem{is: soon, state: Warning, cure: "staff.todo.certificate", args: args})...)
}

// responses are about whether customers are answered in time.
func (d describer) responses() Item {
	s, within := d.Responses, ""
	if d.P95 > 0 {
		within = d.t.Format("staff.status.within", locale.Args{"Duration": d.t.Milliseconds(d.P95)})
	}
	return d.item("answers in time", "staff.status.answers", d.lines(within, d.fared(s)),
		problem{is: s.Failing(d.now), state: Failure, verdict: "staff.verdict.answers", cure: "staff.todo.answers", at: s.FailedSince, reason: s.Reason, calls: s},
		problem{is: s.Fails > 0, state: OK, verdict: "staff.verdict.answers_back", at: s.Recovered, reason: s.Reason, calls: s},
	)
}

func (d describer) service() Item {
	s, m, since := d.Service, d.Missing, d.Service.FailedSince
	if since.IsZero() || !d.DownSince.IsZero() && d.DownSince.Before(since) {
		since = d.DownSince
	}
	missing := recent.Summary{Fails: m.Accounts, Calls: m.Of}
	return d.item("hosting service", "staff.status.service", d.fared(s),
		problem{is: !d.DownSince.IsZero(), state: Failure, verdict: "staff.verdict.service", cure: "staff.todo.service_fails", at: since, reason: s.Reason, calls: s, counted: true},
		// These are found no more, which is how calls fail.
		problem{is: m.Accounts > 0 && m.Of == 0, state: Failure, verdict: "log.lifecycle.accounts_lost", cure: "log.cure.accounts_lost", at: m.Since, calls: missing},
		problem{is: s.Failing(d.now), state: Failure, verdict: "staff.verdict.service_fails", cure: "staff.todo.service_fails", at: s.FailedSince, reason: s.Reason, calls: s, counted: true},
		problem{is: m.Accounts > 0, state: Failure, verdict: "log.lifecycle.accounts_missing", cure: "log.cure.accounts_missing", at: m.Since, calls: missing},
		problem{is: s.Fails > 0, state: OK, verdict: "staff.verdict.service_back", at: s.Recovered, reason: s.Reason, calls: s, counted: true},
	)
}

// requests are about Discord's REST API.
func (d describer) requests() Item {
	s := d.Discord
	return d.item("discord's rest api", "staff.status.rest", d.fared(s),
		problem{is: s.Failing(d.now), state: Failure, verdict: "staff.verdict.rest", cure: "staff.todo.rest", at: s.FailedSince, reason: s.Reason, calls: s, counted: true},
		problem{is: s.Fails > 0, state: OK, verdict: "staff.verdict.rest_back", at: s.Recovered, reason: s.Reason, calls: s, counted: true},
	)
}

// refusals are about what Discord does not let the bot request.
func (d describer) refusals() (items []Item) {
	if wait := d.PausedUntil.Sub(d.now); wait > 0 {
		text := fmt.Sprintf("all requests but answers to interactions wait for %v more, as discord asks", wait.Round(time.Second))
		items = append(items, d.item("discord", "", text, problem{is: true, state: Failure}))
	}
	if d.Invalid > 0 {
		items = append(items, d.item("discord", "staff.status.invalid", d.share(d.Invalid, d.Requests, rest.InvalidWindow),
			problem{is: d.Invalid >= rest.FewerFrom, state: Failure, cure: "log.cure.invalid_requests"}))
	}
	return items
}

func (d describer) redis() Item {
	s, text := d.Redis, d.milliseconds(d.RedisLatency)
	away := problem{is: d.RedisErr != nil, state: Failure, verdict: "staff.verdict.redis", cure: "staff.todo.redis", at: s.FailedSince}
	if away.is {
		text, away.reason = d.clean(d.RedisErr.Error(), errorLimit), cmp.Or(s.Reason, d.RedisErr.Error())
		if !s.Recovered.IsZero() { // that was another time
			away.at, away.reason = time.Time{}, d.RedisErr.Error()
		}
		if redisclient.IsRefusal(d.RedisErr) {
			away.verdict, away.cure = "staff.verdict.redis_refuses", "staff.todo.redis_refuses"
		}
	} else if d.RedisEmbedded {
		text = d.t.Text("staff.status.embedded")
	}
	i := d.item("redis", "staff.status.redis", text, away,
		problem{is: d.RedisEmbedded, state: Warning, cure: "staff.todo.embedded"},
		problem{is: s.Fails > 0 && !s.Recovered.IsZero(), state: OK, verdict: "staff.verdict.redis_back", at: s.Recovered, reason: s.Reason},
	)
	i.Short = true
	return i
}

// leader is about the replica that does what only one may do.
func (d describer) leader() Item {
	text := d.clean(d.Leader, errorLimit)
	if text == "" {
		text = d.t.Text("staff.status.leaderless")
	}
	i := d.item("leader", "staff.status.leader", text, problem{is: d.Leader == "", state: Failure, cure: "staff.todo.leader"})
	i.Short = true
	return i
}

// queues are about what the leader has to do. Staff read of the kinds of which something is due.
func (d describer) queues() (items []Item) {
	for _, q := range d.Queues {
		if d.plain || q.Due > 0 || q.Dead > 0 {
			text := d.t.Format("staff.status.queued", locale.Args{"Kind": d.code(q.Kind, reasonLimit), "Due": q.Due, "Late": q.Late, "Dead": q.Dead})
			items = append(items, d.item("work", "staff.status.queue", text, problem{is: q.Late > 0, state: Warning}))
		}
	}
	return items
}

// mostLetters is how many dead letters are shown.
const mostLetters = 3

// deadLetters are what the leader cannot deal with.
func (d describer) deadLetters() []Item {
	if len(d.Dead) == 0 {
		return nil
	}
	var lines []string
	for _, l := range d.Dead[:min(len(d.Dead), mostLetters)] {
		lines = append(lines, d.code(l.Kind+" "+l.ID, reasonLimit)+" "+d.when(l.Since, "R")+" "+d.clean(l.Reason, reasonLimit))
	}
	if more := len(d.Dead) - mostLetters; more > 0 {
		lines = append(lines, "… +"+number(more))
	}
	return []Item{d.item("dead letters", "staff.status.dead", d.lines(lines...), problem{is: true, state: Warning, cure: "log.cure.dead"})}
}

// massOutage is about many bots that stopped at about the same time. It is a failure until half of
// them run again.
func (d describer) massOutage() []Item {
	o := d.Outage
	if o.Bots == 0 {
		return nil
	}
	text, back := d.t.Count("staff.status.fell", o.Bots, locale.Args{"Customers": o.Customers, "When": d.when(o.First, "t")}), ""
	if o.Recovered > 0 {
		back = d.t.Format("staff.status.fell_back", locale.Args{"N": o.Recovered})
	}
	i := d.item("mass outage", "staff.status.outage", d.lines(text, back), problem{is: !o.Over(), state: Failure, cure: "log.todo.fell"})
	if i.State != OK {
		i.Verdict = strings.ReplaceAll(i.Text, "\n", " · ")
	}
	return []Item{i}
}

// watching is about the accounts that are watched and the alerts that follow from that.
func (d describer) watching() []Item {
	if !d.Watching {
		return nil
	}
	const title = "staff.status.watch"
	w, a := d.Watch, d.Alerts
	figures := []string{d.t.Format("staff.status.watches", locale.Args{"N": w.Accounts, "Interval": d.t.Duration(w.Interval)})}
	if w.Delay > 0 {
		figures = append(figures, d.t.Format("staff.status.behind", locale.Args{"Lag": d.t.Duration(w.Delay)}))
	}
	figures = append(figures, d.figures(figure{int64(w.Limits.Accounts), "limited"}, figure{a.Sent, "alerts_sent"},
		figure{a.Refused, "alerts_refused"}, figure{int64(a.Waiting), "alerts_waiting"})...)
	items := []Item{d.item("watcher", title, strings.Join(figures, " · "),
		problem{is: w.Limits.All, state: Failure, cure: "log.cure.polls_slowed"},
		problem{is: w.Limits.Accounts > 0, state: Warning, cure: "log.cure.polls_limited"},
		problem{is: w.Grown, state: Failure, cure: "log.cure.watch_slow"},
	)}
	if pause := a.Pause; pause.Is() {
		next := ""
		if pause.Until.After(d.now) {
			next = d.t.Format("staff.status.held", locale.Args{"When": d.when(pause.Until, "R")})
		}
		text := d.lines(d.t.Text("log.problem."+pause.Problem()), next)
		items = append(items, d.item("direct messages", title, text, problem{is: true, state: Failure, cure: "log.cure." + pause.Problem()}))
	}
	return items
}

// use is about how much is made of what may be turned on.
func (d describer) use() []Item {
	u := d.Use
	figures := d.figures(figure{int64(u.Restarts), "use_restarts"}, figure{int64(u.Scheduled), "use_scheduled"}, figure{int64(u.Timed), "use_timed"}, figure{int64(u.Channels), "use_channels"},
		figure{int64(u.Answers), "use_answers"}, figure{int64(u.Notices), "use_notices"})
	if len(figures) == 0 {
		return nil
	}
	return []Item{d.item("in use", "staff.status.use", strings.Join(figures, " · "))}
}

// figure is a number, and the key of what is said of it.
type figure struct {
	n   int64
	key string
}

// figures says the figures that are not zero.
func (d describer) figures(all ...figure) (said []string) {
	for _, f := range all {
		if f.n > 0 {
			said = append(said, d.t.Format("staff.status."+f.key, locale.Args{"N": f.n}))
		}
	}
	return said
}

// lateAfter is for how long an entry may wait in a log channel that takes entries.
const lateAfter = time.Minute

func (d describer) logChannel(ch logchannel.Status) Item {
	age, text := ch.Age(d.now), ""
	if !d.plain {
		text = "<#" + ch.Channel + ">"
	}
	if ch.Waiting > 0 {
		waiting := d.t.Count("staff.status.waiting", ch.Waiting, nil) + " · " + d.t.Format("staff.status.oldest", locale.Args{"Age": d.t.Duration(age)})
		text = strings.TrimSpace(text + " " + waiting)
	}
	i := d.item("log channel "+ch.Channel, "staff.status.log", d.lines(text, d.clean(ch.Trouble, errorLimit)),
		problem{is: ch.Forbidden, state: Failure, cure: "log.channel.permissions"},
		// While Discord itself fails, the settings of the channel need not be the reason.
		problem{is: ch.Trouble != "" && (ch.Passing || d.Discord.Failing(d.now)), state: Failure, cure: "staff.todo.late"},
		problem{is: ch.Trouble != "", state: Failure, cure: "staff.todo.log"},
		problem{is: age >= lateAfter, state: Failure, cure: "staff.todo.late"},
	)
	if i.State != OK { // all others share a field
		i.ChannelID = ch.Channel
	}
	return i
}
