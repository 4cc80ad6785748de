package hostapitest

import (
	"sync"
	"testing"
	"time"
)

// Clock is where the service gets its time from.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives once d has passed.
	After(d time.Duration) <-chan time.Time
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// waitLimit bounds every wait of a test for something that should be near.
const waitLimit = 30 * time.Second

// ManualClock is a clock that only tests move.
type ManualClock struct {
	mu      sync.Mutex
	now     time.Time
	waiters []waiter
	changed chan struct{} // closed and replaced with each new waiter
}

type waiter struct {
	at time.Time
	c  chan time.Time
}

// NewManualClock returns a clock that stands at now.
func NewManualClock(now time.Time) *ManualClock {
	return &ManualClock{now: now, changed: make(chan struct{})}
}

// Now returns the time the clock stands at.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After returns a channel that receives when the clock has been advanced by d.
func (c *ManualClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := waiter{at: c.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		w.c <- c.now
		return w.c
	}
	c.waiters = append(c.waiters, w)
	close(c.changed)
	c.changed = make(chan struct{})
	return w.c
}

// Advance moves the clock by d and wakes everyone whose time has come.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	var later []waiter
	for _, w := range c.waiters {
		if w.at.After(c.now) {
			later = append(later, w)
			continue
		}
		w.c <- c.now
	}
	c.waiters = later
}

// BlockUntil waits until n or more wait for the clock, and fails the test
// where that does not come to be within 30 s.
func (c *ManualClock) BlockUntil(tb testing.TB, n int) {
	tb.Helper()
	limit := time.After(waitLimit)
	for {
		c.mu.Lock()
		waiting, changed := len(c.waiters), c.changed
		c.mu.Unlock()
		if waiting >= n {
			return
		}
		select {
		case <-changed:
		case <-limit:
			tb.Fatalf("%d wait for the clock, want %d", waiting, n)
		}
	}
}
