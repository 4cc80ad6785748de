package commands

import (
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

// healthView is the health of the program as staff read it.
type healthView struct {
	view
	Health
}

// draw draws one field for each thing that can fail.
func (h healthView) draw() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: h.t.Text("staff.status.title"), Color: green}
	field := func(key string, well bool, value string) {
		if !well {
			embed.Color = orange
			value = "⚠️ " + value
		}
		embed.Fields = append(embed.Fields, h.field(key, value, true))
	}
	shardsWell, shards := h.shards()
	field("staff.status.version", true, sanitize.Code(h.Version, wordLimit))
	field("staff.status.up", true, relative(h.Started))
	field("staff.status.served", true, strconv.FormatInt(h.Served, 10))
	field("staff.status.shards", shardsWell, shards)
	field("staff.status.service", h.Failed == 0 && h.DownSince.IsZero(), h.service())
	field("staff.status.redis", h.RedisErr == nil, h.redis())
	for _, ch := range h.Log {
		// An entry may wait for a while without anything being wrong.
		field("staff.status.log", ch.Trouble == "" && ch.Age(time.Now()) < time.Minute, h.logChannel(ch))
	}
	return h.view.draw("", embed)
}

func (h healthView) shards() (well bool, text string) {
	well = true
	var lines []string
	for _, s := range h.Shards {
		line := "🟢 " + h.milliseconds(s.Latency)
		if !s.Ready {
			well, line = false, "🔴 "+h.t.Text("staff.status.lost")
		}
		lines = append(lines, strconv.Itoa(s.ID)+": "+line)
	}
	return well, strings.Join(lines, "\n")
}

func (h healthView) service() string {
	down := ""
	if !h.DownSince.IsZero() {
		down = h.t.Format("staff.status.down", args{"Since": relative(h.DownSince)}) + "\n"
	}
	if h.Calls == 0 {
		return down + h.t.Format("staff.status.no_calls", args{"Window": h.t.Duration(h.Window)})
	}
	return down + h.t.Format("staff.status.calls", args{
		"Failed": h.Failed, "Calls": h.Calls, "Rate": h.t.Percent(h.Failed * 100 / h.Calls), "Window": h.t.Duration(h.Window),
	})
}

func (h healthView) redis() string {
	switch {
	case h.RedisErr != nil:
		return sanitize.Markdown(h.RedisErr.Error(), commandLimit)
	case h.RedisEmbedded:
		return h.t.Text("staff.status.embedded")
	default:
		return h.milliseconds(h.RedisLatency)
	}
}

func (h healthView) logChannel(ch logchannel.Status) string {
	text := "<#" + ch.Channel + "> " + h.t.Format("staff.status.waiting", args{"N": ch.Waiting})
	if ch.Waiting > 0 {
		text += ", " + h.t.Format("staff.status.oldest", args{"Age": h.t.Duration(ch.Age(time.Now()))})
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
