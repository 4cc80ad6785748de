package hostapitest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// journalLength is how many requests are remembered, the latest ones.
const journalLength = 1000

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

type journal struct {
	mu      sync.Mutex
	latest  []Request
	counts  map[Operation]int
	broken  []string
	changed chan struct{} // closed with the next request; nil while no one waits
}

func (j *journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.latest) == journalLength {
		j.latest = slices.Delete(j.latest, 0, 1)
	}
	j.latest = append(j.latest, r)
	if j.counts == nil {
		j.counts = make(map[Operation]int)
	}
	j.counts[r.Operation]++
	if r.Violation != "" && len(j.broken) < journalLength {
		j.broken = append(j.broken, fmt.Sprintf("%s %.200s: %s", r.Method, r.Path, r.Violation))
	}
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

func (j *journal) violations() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.broken)
}

// count returns how often op was asked for, and a channel that is closed when
// the next request has come.
func (j *journal) count(op Operation) (int, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	if op != "" {
		return j.counts[op], j.changed
	}
	sum := 0
	for _, n := range j.counts {
		sum += n
	}
	return sum, j.changed
}

// Requests returns the latest requests, at most 1000, the oldest first. A
// request is there as soon as it has been read, whatever becomes of it.
func (s *Service) Requests() []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return slices.Clone(s.journal.latest)
}

// Count returns how many requests came for op; for an empty op, how many came.
func (s *Service) Count(op Operation) int {
	n, _ := s.journal.count(op)
	return n
}

// WaitFor waits until n or more requests have come for op, any for an empty
// op, and fails the test where that takes more than 30 s.
func (s *Service) WaitFor(tb testing.TB, op Operation, n int) {
	tb.Helper()
	limit := time.After(waitLimit)
	for {
		count, changed := s.journal.count(op)
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
