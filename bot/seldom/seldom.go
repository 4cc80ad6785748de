// Package seldom limits repeated lines of the process log.
package seldom

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// pause is the time between two lines at their own level.
const pause = time.Minute

// Line is a line that may be logged often, such as for each failed call of an outage. Once a minute it is logged at its
// own level, and otherwise at the level debug. The zero Line is ready to use, and safe for concurrent use.
type Line struct {
	mu      sync.Mutex
	next    time.Time // when a line is logged at its own level again
	leftOut int
}

// Begin begins a line. At its own level, the field left_out is the number of lines since the last one.
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
