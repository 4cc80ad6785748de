package commands

import (
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
)

// Health is how the bot and what it depends on fare.
type Health struct {
	Version string
	Started time.Time
	Served  int64 // interactions since then
	Shards  []Shard
	Service ServiceHealth
	Redis   RedisHealth
	Log     []LogChannel
}

// LogChannel is how a log channel fares.
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

// ServiceHealth is how the calls to the hosting service went of late.
type ServiceHealth struct {
	Window        time.Duration // over which is counted
	Calls, Failed int           // failed are those that the service or the way to it is to blame for
	DownSince     time.Time     // since when it is taken to be away; zero while it is not
}

// RedisHealth is how Redis answers.
type RedisHealth struct {
	Embedded bool // in the process: no other Redis is configured
	Err      error
	Latency  time.Duration // of one round trip
}

// health draws the bot's health, one field for each thing that can fail.
func (p *page) health(h Health) interaction.Message {
	color := green
	field := func(key string, well bool, value string) *discordgo.MessageEmbedField {
		if !well {
			color = orange
			value = "⚠️ " + value
		}
		return &discordgo.MessageEmbedField{Name: p.t.Text(key), Value: value, Inline: true}
	}
	well := true
	var shards []string
	for _, s := range h.Shards {
		well = well && s.Ready
		shards = append(shards, p.shard(s))
	}
	fields := []*discordgo.MessageEmbedField{
		field("staff.status.version", true, orDash(safetext.Code(h.Version, wordLimit))),
		field("staff.status.up", true, relative(h.Started)),
		field("staff.status.served", true, strconv.FormatInt(h.Served, 10)),
		field("staff.status.shards", well, orDash(strings.Join(shards, "\n"))),
		field("staff.status.service", h.Service.Failed == 0 && h.Service.DownSince.IsZero(), p.serviceHealth(h.Service)),
		field("staff.status.redis", h.Redis.Err == nil, p.redisHealth(h.Redis)),
	}
	for _, ch := range h.Log {
		fields = append(fields, field("staff.status.log", ch.Trouble == "" && ch.Age < lateAge, p.logHealth(ch)))
	}
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{{Title: p.t.Text("staff.status.title"), Fields: fields, Color: color}}}
}

func (p *page) shard(s Shard) string {
	text := "🔴 " + p.t.Text("staff.status.lost")
	if s.Ready {
		text = "🟢 " + p.milliseconds(s.Latency)
	}
	return strconv.Itoa(s.ID) + ": " + text
}

func (p *page) serviceHealth(h ServiceHealth) string {
	down := ""
	if !h.DownSince.IsZero() {
		down = p.t.Format("staff.status.down", args{"Since": relative(h.DownSince)}) + "\n"
	}
	if h.Calls == 0 {
		return down + p.t.Format("staff.status.no_calls", args{"Window": p.t.Duration(h.Window)})
	}
	return down + p.t.Format("staff.status.calls", args{
		"Failed": h.Failed, "Calls": h.Calls, "Rate": p.t.Percent(h.Failed * 100 / h.Calls), "Window": p.t.Duration(h.Window),
	})
}

func (p *page) redisHealth(h RedisHealth) string {
	switch {
	case h.Err != nil:
		return safetext.Markdown(h.Err.Error(), commandLimit)
	case h.Embedded:
		return p.t.Text("staff.status.embedded")
	default:
		return p.milliseconds(h.Latency)
	}
}

// lateAge is how old an entry may be that waits without anything being wrong.
const lateAge = time.Minute

func (p *page) logHealth(ch LogChannel) string {
	text := "<#" + ch.ID + "> " + p.t.Format("staff.status.waiting", args{"N": ch.Waiting})
	if ch.Waiting > 0 {
		text += ", " + p.t.Format("staff.status.oldest", args{"Age": p.t.Duration(ch.Age)})
	}
	if ch.Trouble != "" {
		text += "\n" + safetext.Markdown(ch.Trouble, commandLimit)
	}
	if ch.Forbidden {
		text += "\n" + p.t.Text("log.channel.permissions")
	}
	return text
}

// milliseconds says a latency; "–" where it is not known.
func (p *page) milliseconds(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return p.t.Format("staff.milliseconds", args{"N": max(1, d.Milliseconds())})
}
