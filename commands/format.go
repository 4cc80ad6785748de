package commands

import (
	"strconv"
	"strings"
	"time"
)

// stamp is a time that Discord shows in the reader's own zone and words. Style
// "R" is relative and ticks; "D" is the date.
func stamp(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}

// relative shows a time as Discord does, ticking: "5 minutes ago".
func relative(t time.Time) string { return stamp(t, "R") }

// bar draws how much of a whole is used, in ten steps. Anything used shows, and
// only a full bar means full.
func bar(used, total int) string {
	const steps = 10
	filled := 0
	switch {
	case total <= 0 || used <= 0:
	case used >= total:
		filled = steps
	default:
		filled = max(1, min(steps-1, int(int64(used)*steps/int64(total))))
	}
	return strings.Repeat("▰", filled) + strings.Repeat("▱", steps-filled)
}
