// Package testclock is the time of the servers that tests run: the machine's, or one
// that only a test moves.
package testclock

import (
	"sync"
	"testing"
	"time"
)

// Clock is where a server gets its time from.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f, in a goroutine of its own, once d has passed. The
	// function it returns prevents that, where it is not too late.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Real is the machine's clock.
type Real struct{}

// Now returns the time.
func (Real) Now() time.Time { return time.Now() }

// AfterFunc is that of package time.
func (Real) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// Manual is a Clock that stands still until it is moved.
type Manual struct {
	mu      sync.Mutex
	now     time.Time
	timers  map[*timer]struct{}
	changed chan struct{} // closed and replaced with each new timer
}

type timer struct {
	due time.Time
	f   func()
}

// NewManual returns a clock that shows now.
func NewManual(now time.Time) *Manual {
	return &Manual{now: now, timers: make(map[*timer]struct{}), changed: make(chan struct{})}
}

// Now returns the time to which the clock was moved.
func (c *Manual) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc calls f when the clock is moved by d in all, or at once where d is not above 0.
func (c *Manual) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d <= 0 {
		go f()
		return func() bool { return false }
	}
	t := &timer{c.now.Add(d), f}
	c.timers[t] = struct{}{}
	close(c.changed)
	c.changed = make(chan struct{})
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, pending := c.timers[t]
		delete(c.timers, t)
		return pending
	}
}

// Advance moves the clock. When it returns, what has fallen due has been called.
func (c *Manual) Advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var called sync.WaitGroup
	for t := range c.timers {
		if !t.due.After(c.now) {
			delete(c.timers, t)
			called.Go(t.f)
		}
	}
	c.mu.Unlock()
	called.Wait()
}

// patience bounds a test's wait: much longer than that takes on a slow machine.
const patience = 2 * time.Minute

// BlockUntil waits until n or more wait for the clock, and fails the test where that
// does not come to be within two minutes.
func (c *Manual) BlockUntil(tb testing.TB, n int) {
	tb.Helper()
	limit := time.After(patience)
	for {
		c.mu.Lock()
		waiting, changed := len(c.timers), c.changed
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
