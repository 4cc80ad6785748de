package answer

import (
	"sync"
	"time"
)

// recent remembers the interactions of the last while: a gateway that resumes
// may deliver one again, which must not be answered beside the first.
type recent struct {
	mu        sync.Mutex
	began     time.Time // of now
	now, past map[string]struct{}
}

const (
	// generation is how long an interaction is remembered at least, unless there
	// are more than maxRemembered in that time.
	generation    = 30 * time.Second
	maxRemembered = 20_000
)

// first tells whether an interaction was not there before, and remembers it.
func (r *recent) first(id string, at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || at.Sub(r.began) > generation || len(r.now) >= maxRemembered {
		r.past, r.now, r.began = r.now, make(map[string]struct{}), at
	}
	_, inNow := r.now[id]
	_, inPast := r.past[id]
	r.now[id] = struct{}{}
	return !inNow && !inPast
}
