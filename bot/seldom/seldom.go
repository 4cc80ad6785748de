// Package seldom keeps an outage from filling the process log.
package seldom

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// pause is between two lines that say the same.
const pause = time.Minute

// Line is one that each failed call of an outage would write: of those within a minute one is
// written at its level, and the others at level debug. The zero Line is ready to use, and safe for
// concurrent use.
type Line struct {
	mu      sync.Mutex
	next    time.Time // when a line is written at its level again
	leftOut int
}

// Begin begins the line. At its level, it tells how many were at level debug since the last that
// was not, if any were.
func (l *Line) Begin(log *zerolog.Logger, level zerolog.Level) *zerolog.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.next) {
		l.leftOut++
		return log.Debug()
	}
	leftOut := l.leftOut
	l.next, l.leftOut = now.Add(pause), 0
	line := log.WithLevel(level)
	if leftOut > 0 {
		line = line.Int("left_out", leftOut)
	}
	return line
}
