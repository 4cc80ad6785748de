// Package away tells since when something that the program asks does not answer.
package away

import (
	"sync"
	"time"
)

// Since is since when something does not answer, or does. The zero value is that of what was not asked yet.
// It is safe for concurrent use.
type Since struct {
	mu          sync.Mutex
	first, last time.Time // failures since the latest answer; zero if there are none
	well        time.Time // the first answer since the latest failure; zero if there is none
	worked      time.Time // the latest answer
}

// Failed notes that a request has not been answered. It was sent at a time.
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

// Worked notes an answer, and returns for how long there was none: from when the first request was sent
// that failed until the last one did; 0 if none has.
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

// Away returns when the first request was sent of those that failed since the latest answer, and when the
// last one failed; zero if none has.
func (s *Since) Away() (from, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.last
}

// Well returns for how long each request has been answered; 0 if the last one was not.
func (s *Since) Well() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.well.IsZero() {
		return 0
	}
	return time.Since(s.well)
}
