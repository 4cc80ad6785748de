package commands

import (
	"strings"

	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
)

// daysInLine is how many squares a phone shows side by side in small print.
const daysInLine = 15

// squares draws how days were as small squares, the oldest first. Of several bots each day is that of
// the one that fared worst.
func squares(of ...[]history.Day) string {
	var text strings.Builder
	for i := range history.ShownDays {
		switch {
		case i == 0:
			text.WriteString("-# ")
		case i%daysInLine == 0:
			text.WriteString("\n-# ")
		}
		worst := history.GradeUnknown
		for _, days := range of {
			if grade := days[i].Grade(); grade != history.GradeStopped { // which its owner wanted
				worst = max(worst, grade)
			}
		}
		text.WriteString(daySquare(worst))
	}
	return text.String()
}

// daySquare is the picture's square, but that a panel does not tell apart what was stopped and what
// nobody looked at: its readers cannot do so either.
func daySquare(g history.Grade) string {
	if g == history.GradeUnknown {
		g = history.GradeStopped
	}
	return chart.OfGrade(g).Square()
}

// legend says what the squares mean.
func (v panelView) legend() string {
	return "-# " + v.t.Format("panel.legend", args{
		"Days": v.t.Duration(history.ShownDays * day), "Limit": v.t.Duration(history.ShortOutage),
		"Good": daySquare(history.GradeUp), "Troubled": daySquare(history.GradeShort),
		"Bad": daySquare(history.GradeLong), "Unseen": daySquare(history.GradeUnknown),
	})
}
