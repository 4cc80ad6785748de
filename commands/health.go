package commands

import (
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
)

// Health is the state of the program and of what it depends on.
type Health struct {
	Version string
	Started time.Time
	Served  int64 // interactions since then
	Shards  []Shard
	Service ServiceHealth
	Redis   RedisHealth
	Log     []LogChannel
}

// LogChannel is the state of a log channel.
type LogChannel struct {
	ID      string
	Waiting int           // entries that Discord does not have yet
	Age     time.Duration // of the oldest of them
	Trouble string        // why Discord takes none; empty while it does
	// Forbidden says that the bot lacks a permission there.
	Forbidden bool
}

// Shard is one connection to Discord's gateway.
type Shard struct {
	ID      int
	Ready   bool
	Latency time.Duration // between a heartbeat and its acknowledgement; 0: not known yet
}

// ServiceHealth counts the latest calls to the hosting service.
type ServiceHealth struct {
	Window        time.Duration // over which is counted
	Calls, Failed int           // those that the service or the network failed
	DownSince     time.Time     // since when the service is taken to be away; zero while it is not
}

// RedisHealth is the state of Redis.
type RedisHealth struct {
	Embedded bool // in the process: no other Redis is configured
	Err      error
	Latency  time.Duration // of one round trip
}

// healthView is the health of the program as staff read it.
type healthView struct {
	view
	Health
}

// draw draws one field for each thing that can fail.
func (h healthView) draw() interaction.Response {
	color := green
	field := func(key string, well bool, value string) *discordgo.MessageEmbedField {
		if !well {
			color = orange
			value = "⚠️ " + value
		}
		return h.field(key, value, true)
	}
	well := true
	var shards []string
	for _, s := range h.Shards {
		well = well && s.Ready
		shards = append(shards, h.shard(s))
	}
	fields := []*discordgo.MessageEmbedField{
		field("staff.status.version", true, sanitize.Code(h.Version, wordLimit)),
		field("staff.status.up", true, relative(h.Started)),
		field("staff.status.served", true, strconv.FormatInt(h.Served, 10)),
		field("staff.status.shards", well, strings.Join(shards, "\n")),
		field("staff.status.service", h.Service.Failed == 0 && h.Service.DownSince.IsZero(), h.service()),
		field("staff.status.redis", h.Redis.Err == nil, h.redis()),
	}
	for _, ch := range h.Log {
		fields = append(fields, field("staff.status.log", ch.Trouble == "" && ch.Age < lateAge, h.logChannel(ch)))
	}
	return h.view.draw("", &discordgo.MessageEmbed{Title: h.t.Text("staff.status.title"), Fields: fields, Color: color})
}

func (h healthView) shard(s Shard) string {
	text := "🔴 " + h.t.Text("staff.status.lost")
	if s.Ready {
		text = "🟢 " + h.milliseconds(s.Latency)
	}
	return strconv.Itoa(s.ID) + ": " + text
}

func (h healthView) service() string {
	s := h.Service
	down := ""
	if !s.DownSince.IsZero() {
		down = h.t.Format("staff.status.down", args{"Since": relative(s.DownSince)}) + "\n"
	}
	if s.Calls == 0 {
		return down + h.t.Format("staff.status.no_calls", args{"Window": h.t.Duration(s.Window)})
	}
	return down + h.t.Format("staff.status.calls", args{
		"Failed": s.Failed, "Calls": s.Calls, "Rate": h.t.Percent(s.Failed * 100 / s.Calls), "Window": h.t.Duration(s.Window),
	})
}

func (h healthView) redis() string {
	switch {
	case h.Redis.Err != nil:
		return sanitize.Markdown(h.Redis.Err.Error(), commandLimit)
	case h.Redis.Embedded:
		return h.t.Text("staff.status.embedded")
	default:
		return h.milliseconds(h.Redis.Latency)
	}
}

// lateAge is how old an entry may be that waits without anything being wrong.
const lateAge = time.Minute

func (h healthView) logChannel(ch LogChannel) string {
	text := "<#" + ch.ID + "> " + h.t.Format("staff.status.waiting", args{"N": ch.Waiting})
	if ch.Waiting > 0 {
		text += ", " + h.t.Format("staff.status.oldest", args{"Age": h.t.Duration(ch.Age)})
	}
	if ch.Trouble != "" {
		text += "\n" + sanitize.Markdown(ch.Trouble, commandLimit)
	}
	if ch.Forbidden {
		text += "\n" + h.t.Text("log.channel.permissions")
	}
	return text
}

// milliseconds says a latency; "–" where it is not known.
func (h healthView) milliseconds(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return h.t.Format("staff.milliseconds", args{"N": max(1, d.Milliseconds())})
}
