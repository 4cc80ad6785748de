package answer

import (
	"strconv"
	"sync"
	"time"
)

// recent remembers the interactions of the last while: a gateway that resumes
// may deliver one again, which must not be answered beside the first. As
// numbers, IDs take a sixth of the memory that they take as text: 0.4 MB at most.
type recent struct {
	mu        sync.Mutex
	began     time.Time // of now
	now, past map[uint64]struct{}
}

const (
	// generation is how long an interaction is remembered at least, unless there
	// are more than maxRemembered in that time.
	generation    = 30 * time.Second
	maxRemembered = 20_000
)

// first tells whether an interaction was not there before, and remembers it.
func (r *recent) first(snowflake string, at time.Time) bool {
	id, err := strconv.ParseUint(snowflake, 10, 64)
	if err != nil {
		return true // not of Discord's making
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil {
		r.now, r.past, r.began = make(map[uint64]struct{}), make(map[uint64]struct{}), at
	}
	if at.Sub(r.began) > generation || len(r.now) >= maxRemembered {
		r.past, r.now, r.began = r.now, r.past, at
		clear(r.now)
	}
	_, inNow := r.now[id]
	_, inPast := r.past[id]
	r.now[id] = struct{}{}
	return !inNow && !inPast
}
