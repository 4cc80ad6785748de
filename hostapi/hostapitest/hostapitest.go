// Package hostapitest is the hosting service as an in-process HTTP server, for
// tests, the playground and benchmarks.
//
// It is a second reading of the service's document, so it shares no code with
// the client: it knows the document's operations, checks the shared secret,
// keeps accounts with plans and servers with states, takes its time for an
// action, and refuses what the document does not describe. Where the document
// is silent it behaves as follows.
//
//   - A refusal is {"error": "a sentence", "code": "a_word"} under a 4xx status;
//     the codes are the Code constants.
//   - RUNNING, STOPPED, CRASHED and whatever else a test sets are settled: every
//     operation is accepted, except to start what runs and to stop what is
//     stopped. STARTING, STOPPING, RESTARTING and INSTALLING belong to an action,
//     and whatever else would change the server is refused until it has ended.
//   - An action's answer comes when the action has ended. A caller that goes
//     away does not end it.
//   - A created server is STOPPED.
//
// Faults make it slow, broken or absent; see [Fault].
package hostapitest

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"hostbot/hostapi/testclock"
)

// Options say how the service behaves. The zero value is useful.
type Options struct {
	// Secret is the shared secret; "hosting-secret" where it is empty.
	Secret string
	// Clock times actions, delays and creation; the real one where it is nil.
	Clock testclock.Clock
	// How long actions take: 4 s, 6 s, 3 s and 2 s where they are zero; a
	// negative one takes no time.
	Restart, Reinstall, Start, Stop time.Duration
	// AllowViolations keeps a test from failing when a request breaks the
	// document. The request is refused in any case.
	AllowViolations bool
	// Observe, where it is set, is told each request as it has been read. What
	// it returns is told the answer: the status, 0 where the connection was
	// broken off, and the body's first 16 KiB.
	Observe func(Request) (answered func(status int, body string))
	// Acted, where it is set, is told each operation that changes something as
	// soon as it is carried out or begun, whatever becomes of its answer. It must
	// not call the service.
	Acted func(op Operation, userID, serverID string)
}

func (o Options) withDefaults() Options {
	o.Secret = cmp.Or(o.Secret, "hosting-secret")
	if o.Clock == nil {
		o.Clock = testclock.Real{}
	}
	o.Restart = cmp.Or(o.Restart, 4*time.Second)
	o.Reinstall = cmp.Or(o.Reinstall, 6*time.Second)
	o.Start = cmp.Or(o.Start, 3*time.Second)
	o.Stop = cmp.Or(o.Stop, 2*time.Second)
	return o
}

// Service is a running hosting service. It is safe for concurrent use.
type Service struct {
	options  Options
	secret   atomic.Pointer[string]
	http     *http.Server
	url      string
	accounts accounts
	faults   faults
	recorder recorder
	// crashAgain is what CrashAgain has said.
	crashAgain atomic.Bool

	mu     sync.Mutex
	closed bool
	done   chan struct{}  // closed by Close
	work   sync.WaitGroup // requests and actions under way
}

// Start runs a service on a free port of the loopback interface, until Close.
func Start(o Options) (*Service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("hostapitest: %w", err)
	}
	s := &Service{
		options: o.withDefaults(),
		url:     "http://" + listener.Addr().String(),
		done:    make(chan struct{}),
	}
	s.SetSecret(s.options.Secret)
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // resets and hang-ups are made on purpose here
	}
	s.work.Go(func() { _ = s.http.Serve(listener) }) // ends with Close, always with ErrServerClosed
	return s, nil
}

// URL is the base address, without a slash at its end.
func (s *Service) URL() string { return s.url }

// Secret is the shared secret.
func (s *Service) Secret() string { return *s.secret.Load() }

// SetSecret has the service accept another secret, and no longer the one before.
func (s *Service) SetSecret(text string) { s.secret.Store(&text) }

// Close ends the service and all that is under way, and waits for it.
func (s *Service) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	s.mu.Unlock()
	_ = s.http.Close() // reports only what the closing of connections said
	s.work.Wait()
}

// begin counts something that Close must wait for; it is false after Close.
func (s *Service) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Add(1)
	}
	return !s.closed
}
