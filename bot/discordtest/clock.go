package discordtest

import (
	"sync"
	"time"
)

// Clock is the time by which the server judges: the 3 s for a first response,
// the 15 min of a token, the age of messages, rate limits and delays.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f, in a goroutine of its own, once d has passed. The
	// function it returns prevents that, where it is not too late.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// ManualClock is a Clock that stands still until it is moved.
type ManualClock struct {
	mu     sync.Mutex
	now    time.Time
	nextID int
	timers map[int]manualTimer
}

type manualTimer struct {
	due time.Time
	f   func()
}

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock {
	return &ManualClock{now: now, timers: map[int]manualTimer{}}
}

// Now returns the time to which the clock was moved.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc calls f when the clock is moved by d in all.
func (c *ManualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextID++
	id := c.nextID
	c.timers[id] = manualTimer{c.now.Add(d), f}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, pending := c.timers[id]
		delete(c.timers, id)
		return pending
	}
}

// Advance moves the clock. When it returns, what has fallen due has been called.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for id, timer := range c.timers {
		if !timer.due.After(c.now) {
			due = append(due, timer.f)
			delete(c.timers, id)
		}
	}
	c.mu.Unlock()

	var called sync.WaitGroup
	for _, f := range due {
		called.Go(f)
	}
	called.Wait()
}
