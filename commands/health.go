package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
)

// Health is the state of the program and of what it depends on.
type Health struct {
	Version string
	Started time.Time
	Shards  []shards.Status // that this replica holds; nil where interactions arrive over HTTP

	Answered, Unanswered int64 // interactions since it started

	// Of Calls to the hosting service within Window, Failed were failed by the service
	// or the network. DownSince is since when it is taken to be away; zero while it is
	// not.
	Calls, Failed int
	Window        time.Duration
	DownSince     time.Time

	// Of Requests that Discord answered in the last ten minutes, Invalid ones count towards
	// a ban of the machine's address.
	Requests, Invalid int

	RedisEmbedded bool // in the process: no other Redis is configured
	RedisErr      error
	RedisLatency  time.Duration // of one round trip

	Log []logchannel.Status

	Watching bool // accounts are watched at all
	Watch    watcher.Status
	Alerts   alerts.Status
}

// Connected tells whether all shards are.
func (h Health) Connected() bool {
	return !slices.ContainsFunc(h.Shards, func(s shards.Status) bool { return !s.Ready })
}

// ServiceWell tells whether the hosting service answers.
func (h Health) ServiceWell() bool { return h.Failed == 0 && h.DownSince.IsZero() }

// InvalidWell reports whether nothing is held back for the requests that Discord refused.
func (h Health) InvalidWell() bool { return h.Invalid < rest.FewerFrom }

// LogWell tells whether a log channel takes entries in time. One may wait for a while.
func LogWell(ch logchannel.Status) bool { return ch.Trouble == "" && ch.Age(time.Now()) < time.Minute }

// drawHealth draws a field for each thing that can fail, below what to do about it.
func (v view) drawHealth(h Health) interaction.Response {
	embed := &discordgo.MessageEmbed{Title: v.t.Text("staff.status.title"), Color: green}
	var todo []string
	field := func(key, value, cure string, inline bool) {
		if cure != "" {
			embed.Color, value = orange, "⚠️ "+value
			todo = append(todo, "⚠️ "+cure)
		}
		embed.Fields = append(embed.Fields, v.field(key, value, inline))
	}
	field("staff.status.version", sanitize.Code(h.Version, wordLimit), "", true)
	field("staff.status.up", relative(h.Started), "", true)
	field("staff.status.served", v.t.Number(int(h.Answered)), "", true)
	if h.Unanswered > 0 {
		field("staff.status.unanswered", v.t.Number(int(h.Unanswered)), "", true)
	}
	if h.Shards != nil {
		field("staff.status.shards", v.shards(h.Shards), v.unless(h.Connected(), "staff.todo.shards"), true)
	}
	redis := v.milliseconds(h.RedisLatency)
	switch {
	case h.RedisErr != nil:
		redis = sanitize.Markdown(h.RedisErr.Error(), commandLimit)
	case h.RedisEmbedded:
		redis = v.t.Text("staff.status.embedded")
		todo = append(todo, "💡 "+v.t.Text("staff.todo.embedded"))
	}
	field("staff.status.redis", redis, v.unless(h.RedisErr == nil, "staff.todo.redis"), true)
	field("staff.status.service", v.service(h), v.unless(h.ServiceWell(), "staff.todo.service"), false)
	if h.Invalid > 0 {
		refused := v.t.Format("staff.status.calls", args{
			"Failed": h.Invalid, "Calls": h.Requests, "Rate": v.t.Percent(h.Invalid * 100 / h.Requests), "Window": v.t.Duration(rest.InvalidWindow),
		})
		field("staff.status.invalid", refused, v.unless(h.InvalidWell(), "log.cure.invalid_requests"), false)
	}
	if h.Watching {
		cure := v.unless(!h.Watch.Grown, "log.cure.watch_slow")
		if held := h.Alerts.Held; held.Is() {
			cure = v.t.Text("log.cure." + held.Problem())
		}
		field("staff.status.watch", v.watching(h), cure, false)
	}
	for _, ch := range h.Log {
		field("staff.status.log", v.logChannel(ch), v.logCure(ch), false)
	}
	if len(todo) == 0 {
		todo = []string{"✅ " + v.t.Text("staff.todo.nothing")}
	}
	embed.Description = strings.Join(todo, "\n")
	return v.draw("", embed)
}

// unless says what to do about something, unless that is well.
func (v view) unless(well bool, key string) string {
	if well {
		return ""
	}
	return v.t.Text(key)
}

// logCure says what to do about a log channel, or nothing.
func (v view) logCure(ch logchannel.Status) string {
	where := "<#" + ch.Channel + "> · "
	switch {
	case LogWell(ch):
		return ""
	case ch.Forbidden:
		return where + v.t.Text("log.channel.permissions")
	case ch.Trouble != "":
		return where + v.t.Text("staff.todo.log")
	default:
		return where + v.t.Text("staff.todo.late")
	}
}

func (v view) shards(held []shards.Status) string {
	if len(held) == 0 {
		return v.t.Text("staff.status.standby")
	}
	var lines []string
	for _, s := range held {
		line := "🔴 " + v.t.Text("staff.status.lost")
		if s.Ready {
			line = "🟢 " + v.milliseconds(s.Latency)
		}
		lines = append(lines, strconv.Itoa(s.ID)+": "+line)
	}
	return strings.Join(lines, "\n")
}

func (v view) service(h Health) string {
	down := ""
	if !h.DownSince.IsZero() {
		down = v.t.Format("staff.status.down", args{"Since": relative(h.DownSince)}) + "\n"
	}
	window := v.t.Duration(h.Window)
	if h.Calls == 0 {
		return down + v.t.Format("staff.status.no_calls", args{"Window": window})
	}
	rate := v.t.Percent(h.Failed * 100 / h.Calls)
	return down + v.t.Format("staff.status.calls", args{"Failed": h.Failed, "Calls": h.Calls, "Rate": rate, "Window": window})
}

// watching says how the watching and alerts fare.
func (v view) watching(h Health) string {
	lag := v.t.Duration(h.Watch.Lag)
	text := v.t.Format("staff.status.watched", args{"N": h.Watch.Accounts, "Interval": v.t.Duration(h.Watch.Interval), "Lag": lag}) + "\n" +
		v.t.Format("staff.status.alerts", args{"Sent": h.Alerts.Sent, "Refused": h.Alerts.Refused, "Waiting": h.Alerts.Waiting})
	if held := h.Alerts.Held; held.Is() {
		text += "\n" + v.t.Text("log.problem."+held.Problem())
		if held.Until.After(time.Now()) {
			text += "\n" + v.t.Format("staff.status.held", args{"When": relative(held.Until)})
		}
	}
	return text
}

func (v view) logChannel(ch logchannel.Status) string {
	text := "<#" + ch.Channel + "> " + v.t.Count("staff.status.waiting", ch.Waiting, nil)
	if ch.Waiting > 0 {
		text += " · " + v.t.Format("staff.status.oldest", args{"Age": v.t.Duration(ch.Age(time.Now()))})
	}
	if ch.Trouble != "" {
		text += "\n" + sanitize.Markdown(ch.Trouble, commandLimit)
	}
	return text
}

// milliseconds says a latency; "–" where it is not known.
func (v view) milliseconds(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return v.t.Milliseconds(d)
}
