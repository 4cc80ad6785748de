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
	// Hindered tells that something stood in the way that was asked for here: a
	// Fault, or a gateway that did not pass the event on.
	Hindered bool
}

func (f Failure) String() string { return f.Call + ": " + f.Reason }

// Event is one thing that happened; one of its members is set.
type Event struct {
	Call     *Call // answered, or given up
	Dispatch *Dispatch
	Message  *MessageChange
	Failure  *Failure
}

// recorder remembers what happened and tells observers.
type recorder struct {
	lean     bool
	expected atomic.Bool // failures are no surprise

	mu        sync.Mutex
	calls     []*Call
	failures  []Failure
	called    notifier // guarded by mu
	observers map[*observer]struct{}
	running   sync.WaitGroup
}

func newRecorder(lean bool) *recorder {
	return &recorder{lean: lean, observers: map[*observer]struct{}{}}
}

// begin notes a call before it is handled, so that whoever sees what it did
// also finds it among the calls.
func (r *recorder) begin(c *Call) {
	if r.lean {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) >= maxCalls {
		r.calls = slices.Delete(r.calls, 0, maxCalls/10)
	}
	r.calls = append(r.calls, c)
	r.called.notify()
}

// finish notes how a call was answered.
func (r *recorder) finish(c *Call, status int, response []byte, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Status, c.Response, c.Duration = status, response, took
	r.called.notify()
	if len(r.observers) > 0 {
		done := *c
		r.emit(Event{Call: &done})
	}
}

func (r *recorder) fail(f Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, f)
	r.emit(Event{Failure: &f})
}

// note tells observers of an event that make builds, if there are any.
func (r *recorder) note(build func() Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.observers) > 0 {
		r.emit(build())
	}
}

func (r *recorder) emit(e Event) {
	for o := range r.observers {
		o.push(e)
	}
}

func (r *recorder) end() {
	r.mu.Lock()
	for o := range r.observers {
		o.stop()
	}
	r.mu.Unlock()
	r.running.Wait()
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
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	s.recorder.observers[o] = struct{}{}
	s.recorder.running.Go(func() { o.run(f) })
	return func() {
		s.recorder.mu.Lock()
		defer s.recorder.mu.Unlock()
		delete(s.recorder.observers, o)
		o.stop()
	}
}

// Calls returns the calls so far, the unanswered ones included, oldest first;
// the latest 10,000 at most, and none of a lean server.
func (s *Server) Calls() []Call {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	calls := make([]Call, len(s.recorder.calls))
	for i, c := range s.recorder.calls {
		calls[i] = *c
	}
	return calls
}

// WaitCall waits for a call, begun or answered, that wanted is content with.
// The calls so far count.
func (s *Server) WaitCall(ctx context.Context, wanted func(Call) bool) (Call, error) {
	return awaitOne(ctx, s, &s.recorder.mu, &s.recorder.called, s.Calls, wanted)
}

// ForgetCalls empties what Calls returns.
func (s *Server) ForgetCalls() {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	s.recorder.calls = nil
}

// Failures returns the rules that the bot broke so far.
func (s *Server) Failures() []Failure {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	return slices.Clone(s.recorder.failures)
}

// fail notes a rule that the bot broke by itself.
func (s *Server) fail(call, format string, args ...any) { s.failed(false, call, format, args...) }

// failed notes a broken rule.
func (s *Server) failed(hindered bool, call, format string, args ...any) {
	s.recorder.fail(Failure{Call: call, Reason: fmt.Sprintf(format, args...), Hindered: hindered})
}
