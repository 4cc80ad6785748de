package monitor

import (
	"sync"
	"time"
)

// Window is the time over which RecentCalls counts.
const Window = 5 * time.Minute

// recent are the calls of the last Window.
type recent struct {
	mu    sync.Mutex
	calls []call // oldest first
}

type call struct {
	at     time.Time
	failed bool
}

func (r *recent) add(c call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	r.forget(c.at)
}

func (r *recent) count(now time.Time) (calls, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now)
	for _, c := range r.calls {
		if c.failed {
			failed++
		}
	}
	return len(r.calls), failed
}

// forget forgets what is older than the Window. The caller holds the mutex.
func (r *recent) forget(now time.Time) {
	for len(r.calls) > 0 && now.Sub(r.calls[0].at) >= Window {
		r.calls = r.calls[1:]
	}
}
