// Package away tracks since when a dependency has not answered.
package away

import (
	"sync"
	"time"
)

// Since tracks the answers and failures of a dependency. The zero value has seen neither. It is safe for
// concurrent use.
type Since struct {
	mu          sync.Mutex
	first, last time.Time // failures since the latest answer; zero if there are none
	well        time.Time // the first answer since the latest failure; zero if there is none
	worked      time.Time // the latest answer
}

// Failed notes that a request was not answered, and when it was sent.
func (s *Since) Failed(sent time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last, s.well = time.Now(), (time.Time{}); !s.first.IsZero() {
		return
	}
	if s.first = sent; s.worked.After(sent) { // another request was answered meanwhile
		s.first = s.worked
	}
}

// Worked notes an answer. It returns how long the outage lasted that ends with it: from the sending of the first
// failed request to the failure of the last one; 0 if none has failed.
func (s *Since) Worked() (away time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	away = s.last.Sub(s.first)
	s.first, s.last, s.worked = time.Time{}, time.Time{}, time.Now()
	if s.well.IsZero() {
		s.well = s.worked
	}
	return away
}

// Away returns, of the requests that failed since the latest answer, when the first was sent and when the last
// failed; zero if there are none.
func (s *Since) Away() (from, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.last
}

// Well returns for how long all requests have been answered; 0 if the last one failed.
func (s *Since) Well() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.well.IsZero() {
		return 0
	}
	return time.Since(s.well)
}
