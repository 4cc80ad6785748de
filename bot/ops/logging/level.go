package logging

import (
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// raisedFor is for how long a raised level shows everything.
const raisedFor = 10 * time.Minute

// Level is the level of a log, which can be raised to debug for a while. It is safe for
// concurrent use.
type Level struct {
	normal, raised zerolog.Level
	raises         atomic.Int32 // that are not over
}

// NewLevel returns a level that is not raised.
func NewLevel(normal zerolog.Level) *Level {
	return &Level{normal: normal, raised: min(normal, zerolog.DebugLevel)}
}

// Gate returns log with the level as its own.
func (l *Level) Gate(log zerolog.Logger) zerolog.Logger { return log.Level(l.raised).Sample(l) }

// Sample tells zerolog whether a line is wanted, before zerolog makes it.
func (l *Level) Sample(line zerolog.Level) bool { return line >= l.normal || l.raises.Load() > 0 }

// Raise has log, which the level gates, show what helps to find a mistake for ten
// minutes from now on. The log says so, and when that is over.
func (l *Level) Raise(log zerolog.Logger) {
	l.raises.Add(1)
	log.Info().Stringer("to", l.raised).Dur("for_ms", raisedFor).Msg("the log level is raised")
	time.AfterFunc(raisedFor, func() {
		if l.raises.Load() == 1 {
			log.Info().Stringer("to", l.normal).Msg("the log level is as it was")
		}
		l.raises.Add(-1)
	})
}
