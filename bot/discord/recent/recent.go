// Package recent counts calls, and how they ended, over a sliding window.
package recent

import (
	"sync"
	"time"
)

// slots is how many parts a window is counted in, so that it may be a tenth longer than it should be.
const slots = 10

// Counter counts calls, and those that failed, within the last Window. Window is a multiple of ten seconds and is
// set before the first call. A Counter is safe for concurrent use.
type Counter struct {
	Window time.Duration

	mu    sync.Mutex
	slots [slots]slot
}

type slot struct {
	began         time.Time
	calls, failed int
}

// Add counts a call.
func (c *Counter) Add(now time.Time, failed bool) {
	length := c.Window / slots
	began := now.Truncate(length)
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.slots[began.Unix()/int64(length/time.Second)%slots]
	if !s.began.Equal(began) {
		*s = slot{began: began}
	}
	s.calls++
	if failed {
		s.failed++
	}
}

// Sum returns how many calls there were within Window before now.
func (c *Counter) Sum(now time.Time) (calls, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.slots {
		if now.Sub(s.began) < c.Window {
			calls, failed = calls+s.calls, failed+s.failed
		}
	}
	return calls, failed
}
