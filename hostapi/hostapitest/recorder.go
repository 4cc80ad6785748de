package hostapitest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// maxRecorded is how many requests are remembered, the latest ones.
const maxRecorded = 1000

// keptBody is how many bytes of a request's body are remembered.
const keptBody = 4 << 10

// Request is a request as it arrived. The secret is not kept.
type Request struct {
	At        time.Time
	Operation Operation // empty: none that the document describes
	Method    string
	Path      string // as sent, percent-encoded, with the query
	UserID    string
	ServerID  string // decoded
	Body      string // its first 4 KiB
	Violation string // how it broke the document; empty: it did not
}

// recorder keeps the requests that came.
type recorder struct {
	mu      sync.Mutex
	latest  []Request
	counts  map[Operation]int
	broken  []string
	changed chan struct{} // closed with the next request; nil while no one waits
}

func (r *recorder) add(request Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.latest) == maxRecorded {
		r.latest = slices.Delete(r.latest, 0, 1)
	}
	r.latest = append(r.latest, request)
	if r.counts == nil {
		r.counts = make(map[Operation]int)
	}
	r.counts[request.Operation]++
	if request.Violation != "" && len(r.broken) < maxRecorded {
		r.broken = append(r.broken, fmt.Sprintf("%s %.200s: %s", request.Method, request.Path, request.Violation))
	}
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func (r *recorder) violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.broken)
}

// count returns how often op was asked for, and a channel that is closed when
// the next request has come.
func (r *recorder) count(op Operation) (int, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	if op != "" {
		return r.counts[op], r.changed
	}
	sum := 0
	for _, n := range r.counts {
		sum += n
	}
	return sum, r.changed
}

// Requests returns the latest requests, at most 1000, the oldest first. A
// request is there as soon as it has been read, whatever becomes of it.
func (s *Service) Requests() []Request {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	return slices.Clone(s.recorder.latest)
}

// Count returns how many requests came for op; for an empty op, how many came.
func (s *Service) Count(op Operation) int {
	n, _ := s.recorder.count(op)
	return n
}

// patience bounds a test's wait: much longer than that takes on a slow machine.
const patience = 2 * time.Minute

// WaitFor waits until n or more requests have come for op, any for an empty
// op, and fails the test where that takes more than two minutes.
func (s *Service) WaitFor(tb testing.TB, op Operation, n int) {
	tb.Helper()
	limit := time.After(patience)
	for {
		count, changed := s.recorder.count(op)
		if count >= n {
			return
		}
		select {
		case <-changed:
		case <-limit:
			tb.Fatalf("%d requests came for %q, want %d", count, op, n)
		}
	}
}
