package monitor

import (
	"sync"
	"time"
)

// Window is the time over which Recent counts.
const Window = 5 * time.Minute

// slots is how finely it is divided: what is older than the window by less than
// a slot may still count.
const slots = 10

// recent counts calls and failures of the last Window.
type recent struct {
	mu    sync.Mutex
	slots [slots]slot
}

type slot struct {
	began         time.Time
	calls, failed int
}

func (r *recent) count(now time.Time, failed bool) {
	began := now.Truncate(Window / slots)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.slots[began.Unix()/int64(Window/slots/time.Second)%slots]
	if !s.began.Equal(began) {
		*s = slot{began: began}
	}
	s.calls++
	if failed {
		s.failed++
	}
}

func (r *recent) sum(now time.Time) (calls, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		if now.Sub(s.began) < Window {
			calls, failed = calls+s.calls, failed+s.failed
		}
	}
	return calls, failed
}
