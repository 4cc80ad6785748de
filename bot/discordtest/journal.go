package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxCalls bounds how many calls are remembered; older ones are forgotten.
const maxCalls = 10_000

// Call is a request of the bot to the REST API.
type Call struct {
	Method string
	Route  string // as the Route constants write it; empty where there is none
	Path   string // below the version
	// Request and Response are the bodies.
	Request  []byte
	Response []byte
	// Status is 0 while the call is not answered, or if it never was.
	Status   int
	Started  time.Time
	Duration time.Duration
}

// Dispatch is an event that the gateway sent, or keeps for a session that is
// away at the moment.
type Dispatch struct {
	At        time.Time
	Name      string // INTERACTION_CREATE, READY, …
	SessionID string
	Sequence  int64
	Data      json.RawMessage
}

// MessageChange says that a message came, changed or went.
type MessageChange struct {
	Message View
	// VisibleTo is the one user who sees it, or empty if all do.
	VisibleTo string
}

// Failure is a rule of Discord's that the bot broke.
type Failure struct {
	Call   string // method and route, or the interaction
	Reason string
}

func (f Failure) String() string { return f.Call + ": " + f.Reason }

// Event is one thing that happened; one of its members is set.
type Event struct {
	Call     *Call // answered, or given up
	Dispatch *Dispatch
	Message  *MessageChange
	Failure  *Failure
}

// journal remembers what happened and tells observers.
type journal struct {
	lean     bool
	expected atomic.Bool // failures are no surprise

	mu        sync.Mutex
	calls     []*Call
	failures  []Failure
	called    notifier // guarded by mu
	observers map[*observer]struct{}
	running   sync.WaitGroup
}

func newJournal(lean bool) *journal {
	return &journal{lean: lean, observers: map[*observer]struct{}{}}
}

// begin notes a call before it is handled, so that whoever sees what it did
// also finds it among the calls.
func (j *journal) begin(c *Call) {
	if j.lean {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.calls) >= maxCalls {
		j.calls = slices.Delete(j.calls, 0, maxCalls/10)
	}
	j.calls = append(j.calls, c)
	j.called.notify()
}

// finish notes how a call was answered.
func (j *journal) finish(c *Call, status int, response []byte, took time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c.Status, c.Response, c.Duration = status, response, took
	j.called.notify()
	if len(j.observers) > 0 {
		done := *c
		j.emit(Event{Call: &done})
	}
}

func (j *journal) fail(f Failure) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = append(j.failures, f)
	j.emit(Event{Failure: &f})
}

// note tells observers of an event that make builds, if there are any.
func (j *journal) note(build func() Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.observers) > 0 {
		j.emit(build())
	}
}

func (j *journal) emit(e Event) {
	for o := range j.observers {
		o.push(e)
	}
}

func (j *journal) end() {
	j.mu.Lock()
	for o := range j.observers {
		o.stop()
	}
	j.mu.Unlock()
	j.running.Wait()
}

// observer passes events on, in order, in a goroutine of its own, so that a
// function that is told may call the server.
type observer struct {
	mu      sync.Mutex
	queue   []Event
	stopped bool
	wake    chan struct{}
}

func (o *observer) push(e Event) {
	o.mu.Lock()
	o.queue = append(o.queue, e)
	o.mu.Unlock()
	o.signal()
}

func (o *observer) stop() {
	o.mu.Lock()
	o.stopped = true
	o.mu.Unlock()
	o.signal()
}

func (o *observer) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *observer) run(f func(Event)) {
	for range o.wake {
		o.mu.Lock()
		events, stopped := o.queue, o.stopped
		o.queue = nil
		o.mu.Unlock()
		for _, e := range events {
			f(e)
		}
		if stopped {
			return
		}
	}
}

// Observe calls f for each event from now on, one at a time and in order, until
// stop is called or the server closes. f should return quickly: events wait for
// it in memory.
func (s *Server) Observe(f func(Event)) (stop func()) {
	o := &observer{wake: make(chan struct{}, 1)}
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.observers[o] = struct{}{}
	s.journal.running.Go(func() { o.run(f) })
	return func() {
		s.journal.mu.Lock()
		defer s.journal.mu.Unlock()
		delete(s.journal.observers, o)
		o.stop()
	}
}

// Calls returns the calls so far, the unanswered ones included, oldest first;
// the latest 10,000 at most, and none of a lean server.
func (s *Server) Calls() []Call {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	calls := make([]Call, len(s.journal.calls))
	for i, c := range s.journal.calls {
		calls[i] = *c
	}
	return calls
}

// WaitCall waits for a call, begun or answered, that wanted is content with.
// The calls so far count.
func (s *Server) WaitCall(ctx context.Context, wanted func(Call) bool) (Call, error) {
	for {
		s.journal.mu.Lock()
		called := s.journal.called.next()
		s.journal.mu.Unlock()
		for _, c := range s.Calls() {
			if wanted(c) {
				return c, nil
			}
		}
		select {
		case <-called:
		case <-ctx.Done():
			return Call{}, ctx.Err()
		case <-s.done:
			return Call{}, errClosed
		}
	}
}

// ForgetCalls empties what Calls returns.
func (s *Server) ForgetCalls() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.calls = nil
}

// Failures returns the rules that the bot broke so far.
func (s *Server) Failures() []Failure {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return slices.Clone(s.journal.failures)
}

// fail notes a broken rule.
func (s *Server) fail(call, format string, args ...any) {
	s.journal.fail(Failure{Call: call, Reason: fmt.Sprintf(format, args...)})
}
