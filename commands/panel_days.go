package commands

import (
	"strings"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
)

const (
	// lastDays is how many days a panel shows, of UTC: it has readers in any zone.
	lastDays = 30
	// daysInLine is how many of them a phone shows side by side in small print.
	daysInLine = 15
	// muchDowntime is from which downtime on a day is a bad one.
	muchDowntime = time.Hour
)

// fate is how a day was, the better the smaller.
type fate int

const (
	unseen fate = iota // or stopped because its owner wanted it so
	good
	troubled
	bad
)

func (f fate) square() string {
	switch f {
	case good:
		return "🟩"
	case troubled:
		return "🟨"
	case bad:
		return "🟥"
	default:
		return "⬜"
	}
}

// days are the last days, the oldest first.
type days [lastDays]fate

// firstDay returns when the first of the last days began.
func firstDay(now time.Time) time.Time {
	return now.UTC().Truncate(day).Add(-(lastDays - 1) * day)
}

// daysOf returns how a bot fared in the days before the end of today.
func daysOf(end time.Time, states []history.Span) (d days) {
	first := end.Add(-lastDays * day)
	if len(states) == 0 {
		return d
	}
	strip := fared(states, first, end)
	for i := range d {
		from := first.Add(time.Duration(i) * day)
		var ran, out time.Duration
		for _, span := range strip.Spans {
			lasted := overlap(span, from, from.Add(day))
			switch span.Kind {
			case chart.Running:
				ran += lasted
			case chart.Out:
				out += lasted
			}
		}
		switch {
		case out >= muchDowntime:
			d[i] = bad
		case out > 0:
			d[i] = troubled
		case ran > 0:
			d[i] = good
		}
	}
	return d
}

// overlap returns how much of a span lies between two times.
func overlap(s chart.Span, from, to time.Time) time.Duration {
	if s.From.After(from) {
		from = s.From
	}
	if s.To.Before(to) {
		to = s.To
	}
	return max(0, to.Sub(from))
}

// worse returns for each day how the bot fared that fared worse.
func (d days) worse(other days) days {
	for i := range d {
		d[i] = max(d[i], other[i])
	}
	return d
}

// draw draws the days as small squares.
func (d days) draw() string {
	var text strings.Builder
	for i, f := range d {
		switch {
		case i == 0:
			text.WriteString("-# ")
		case i%daysInLine == 0:
			text.WriteString("\n-# ")
		}
		text.WriteString(f.square())
	}
	return text.String()
}

// legend says what the squares mean.
func (v panelView) legend() string {
	return "-# " + v.t.Format("panel.legend", args{
		"Days": v.t.Duration(lastDays * day), "Limit": v.t.Duration(muchDowntime),
		"Good": good.square(), "Troubled": troubled.square(), "Bad": bad.square(), "Unseen": unseen.square(),
	})
}
