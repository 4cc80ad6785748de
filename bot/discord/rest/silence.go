package rest

import (
	"sync"
	"time"
)

// longestGap is for how long nothing may be asked within one silence. It is longer than an alert
// waits for its next attempt. Two requests that fail an hour apart are no silence of an hour.
const longestGap = 15 * time.Second

// silence is for how long Discord has answered nothing although it was asked. It is safe for
// concurrent use.
type silence struct {
	mu       sync.Mutex
	inFlight int
	// from is when the first request began after the last answer or gap; zero if none has. until is
	// when the last request ended without an answer; zero if none has since from.
	from, until time.Time
}

// began is called before each request.
func (s *silence) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from.IsZero() || s.inFlight == 0 && time.Since(s.until) > longestGap {
		s.from, s.until = time.Now(), time.Time{}
	}
	s.inFlight++
}

// outcome is what became of a request.
type outcome int

const (
	answered   outcome = iota
	unanswered         // or Discord answered with a failure of its own
	canceled           // which says nothing about Discord
)

// ended is called after each request.
func (s *silence) ended(o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	switch {
	case o == unanswered:
		s.until = time.Now()
	case o == answered, s.until.IsZero() && s.inFlight == 0:
		s.from, s.until = time.Time{}, time.Time{}
		if s.inFlight > 0 {
			s.from = time.Now()
		}
	}
}

// span returns when the silence began and how far it has lasted: until now if a request is in
// flight, and until the last one ended otherwise. Both are zero if there is no silence.
func (s *silence) span() (from, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight > 0 {
		return s.from, time.Now()
	}
	return s.from, s.until
}
