package logging

import (
	"sync"
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
	current        atomic.Int32

	mu    sync.Mutex
	timer *time.Timer // until the level is normal again; nil before it was raised
}

// NewLevel returns a level that is not raised.
func NewLevel(normal zerolog.Level) *Level {
	l := &Level{normal: normal, raised: min(normal, zerolog.DebugLevel)}
	l.current.Store(int32(normal))
	return l
}

// Gate returns log with the level as its own.
func (l *Level) Gate(log zerolog.Logger) zerolog.Logger { return log.Level(l.raised).Sample(l) }

// Sample tells zerolog whether a line is wanted, before zerolog makes it.
func (l *Level) Sample(line zerolog.Level) bool { return line >= zerolog.Level(l.current.Load()) }

// Raise has log, which the level gates, show what helps to find a mistake for ten
// minutes from now on. The log says so, and when that is over.
func (l *Level) Raise(log zerolog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.current.Store(int32(l.raised))
	log.Info().Stringer("to", l.raised).Dur("for", raisedFor).Msg("the log level is raised")
	var timer *time.Timer
	timer = time.AfterFunc(raisedFor, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.timer != timer { // raised again at this moment
			return
		}
		log.Info().Stringer("to", l.normal).Msg("the log level is as it was")
		l.current.Store(int32(l.normal))
	})
	l.timer = timer
}
