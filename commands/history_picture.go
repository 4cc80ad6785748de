package commands

import (
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
)

// picture returns what is drawn of a bot's past: the shorter periods as strips, the longest by its
// days.
func (v view) picture(p past) chart.Picture {
	all := periods()
	drawn := chart.Picture{Days: p.days, Uptime: v.share(p, all[2])}
	for _, length := range all[:2] {
		drawn.Strips = append(drawn.Strips, chart.Strip{
			From: p.now.Add(-length), To: p.now, Stretches: p.known, Uptime: v.share(p, length),
		})
	}
	return drawn
}

func (v view) pictureWords() chart.Words {
	return chart.Words{
		Length: func(d time.Duration) string { return v.t.DurationWithin(d, time.Minute) },
		Date:   v.date,
		Now:    v.t.Text("history.now"),
	}
}

// date says a day of UTC where Discord renders no times.
func (v view) date(at time.Time) string {
	at = at.UTC()
	return v.t.Format("history.date", args{"Month": int(at.Month()), "Day": at.Day()})
}

// describePicture says in words what a picture shows, to somebody who does not see it. It may have 1024
// characters (openapi.json, MessageAttachmentRequest), which it never has.
func (v view) describePicture(bot string, p past) string {
	lines := []string{v.t.Format("history.described", args{"Bot": bot})}
	for _, length := range periods() {
		lines = append(lines, strings.ReplaceAll(v.shareLine(p, length), "**", "")) // which nobody renders there
	}
	out := p.outages()
	if len(out) == 0 {
		lines = append(lines, v.t.Text("history.no_outages"))
	} else {
		lines = append(lines, v.t.Count("history.outages", len(out), nil))
	}
	for _, s := range out[:min(len(out), listedOutages)] {
		lines = append(lines, v.outage(p, s, v.date(s.From)))
	}
	if stopped := v.stopped(p); stopped != "" {
		lines = append(lines, strings.TrimPrefix(stopped, "\n"+chart.Stopped.Square()+" "))
	}
	return strings.Join(lines, "\n")
}

// legend is the key of the colours that the picture has, and says what the shares mean, and since
// when the bot is watched where that began within the days.
func (v view) legend(p past) string {
	seen := make(map[chart.Color]bool)
	for _, s := range p.known {
		seen[chart.OfKind(s.Kind)] = true
	}
	for _, d := range p.days {
		seen[chart.OfGrade(d.Grade())] = true
	}
	var key []string
	for _, entry := range [...]struct {
		color chart.Color
		text  string
	}{
		{chart.Running, v.t.Text("status.running")},
		{chart.Out, v.t.Text("history.down")},
		{chart.Short, v.t.Format("history.down_short", args{"Duration": v.t.DurationWithin(history.ShortOutage, time.Minute)})},
		{chart.Changing, v.t.Text("history.changing")},
		{chart.Stopped, v.t.Text("status.stopped")},
		{chart.Unknown, v.t.Text("history.unmonitored")},
	} {
		if seen[entry.color] {
			key = append(key, entry.color.Square()+" "+entry.text)
		}
	}
	text := "-# " + strings.Join(key, " · ") + "\n-# " + v.t.Text("history.meaning") + "\n-# " + v.t.Text("history.days")
	if len(p.known) > 0 && p.known[0].From.After(p.from) {
		text += "\n-# " + v.t.Format("history.since", args{"When": message.Time(p.known[0].From, "f")})
	}
	return text
}
