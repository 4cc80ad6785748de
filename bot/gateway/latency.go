package gateway

import (
	"sync/atomic"
	"time"
)

// latency measures how long Discord takes to acknowledge a heartbeat, by what
// passes on the wire: the library's own figure is read without its lock.
type latency struct {
	sent atomic.Int64 // Unix nanoseconds; 0 while no heartbeat is under way
	last atomic.Int64 // nanoseconds; 0 until it is known
}

// sending is told of each heartbeat that is about to be sent.
func (l *latency) sending() { l.sent.Store(time.Now().UnixNano()) }

func (l *latency) acknowledged() {
	if sent := l.sent.Swap(0); sent != 0 {
		l.last.Store(time.Now().UnixNano() - sent)
	}
}
