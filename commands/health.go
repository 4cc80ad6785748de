package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/logchannel"
	"hostbot/bot/sanitize"
)

// Health is the state of the program and of what it depends on.
type Health struct {
	Version string
	Started time.Time
	Served  int64 // interactions since then
	Shards  []Shard

	// Of Calls to the hosting service within Window, Failed were failed by the service
	// or the network. DownSince is since when it is taken to be away; zero while it is
	// not.
	Calls, Failed int
	Window        time.Duration
	DownSince     time.Time

	RedisEmbedded bool // in the process: no other Redis is configured
	RedisErr      error
	RedisLatency  time.Duration // of one round trip

	Log []logchannel.Status
}

// Shard is one connection to Discord's gateway.
type Shard struct {
	ID      int
	Ready   bool
	Latency time.Duration // between a heartbeat and its acknowledgement; 0: not known yet
}

// drawHealth draws one field for each thing that can fail.
func (v view) drawHealth(h Health) interaction.Response {
	embed := &discordgo.MessageEmbed{Title: v.t.Text("staff.status.title"), Color: green}
	field := func(key string, well bool, value string) {
		if !well {
			embed.Color = orange
			value = "⚠️ " + value
		}
		embed.Fields = append(embed.Fields, v.field(key, value, true))
	}
	redis := v.milliseconds(h.RedisLatency)
	switch {
	case h.RedisErr != nil:
		redis = sanitize.Markdown(h.RedisErr.Error(), commandLimit)
	case h.RedisEmbedded:
		redis = v.t.Text("staff.status.embedded")
	}
	connected := !slices.ContainsFunc(h.Shards, func(s Shard) bool { return !s.Ready })
	field("staff.status.version", true, sanitize.Code(h.Version, wordLimit))
	field("staff.status.up", true, relative(h.Started))
	field("staff.status.served", true, strconv.FormatInt(h.Served, 10))
	field("staff.status.shards", connected, v.shards(h.Shards))
	field("staff.status.service", h.Failed == 0 && h.DownSince.IsZero(), v.service(h))
	field("staff.status.redis", h.RedisErr == nil, redis)
	for _, ch := range h.Log {
		// An entry may wait for a while without anything being wrong.
		field("staff.status.log", ch.Trouble == "" && ch.Age(time.Now()) < time.Minute, v.logChannel(ch))
	}
	return v.draw("", embed)
}

func (v view) shards(shards []Shard) string {
	var lines []string
	for _, s := range shards {
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

func (v view) logChannel(ch logchannel.Status) string {
	text := "<#" + ch.Channel + "> " + v.t.Format("staff.status.waiting", args{"N": ch.Waiting})
	if ch.Waiting > 0 {
		text += ", " + v.t.Format("staff.status.oldest", args{"Age": v.t.Duration(ch.Age(time.Now()))})
	}
	if ch.Trouble != "" {
		text += "\n" + sanitize.Markdown(ch.Trouble, commandLimit)
	}
	if ch.Forbidden {
		text += "\n" + v.t.Text("log.channel.permissions")
	}
	return text
}

// milliseconds says a latency; "–" where it is not known.
func (v view) milliseconds(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return v.t.Format("staff.milliseconds", args{"N": max(1, d.Milliseconds())})
}
