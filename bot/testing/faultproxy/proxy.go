// Package faultproxy does to connections what networks do: it stands between a
// program and a server on the loopback interface, and refuses, cuts, stalls, slows
// or truncates what passes, from one moment to the next. A [Tap] hears what passes.
//
// A relay of a [Network] also speaks TLS to its clients and is reached by a name.
package faultproxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"hostbot/hostapi/loopback"
)

// Condition is how a relay treats connections, those that are open included.
type Condition int

const (
	// Open passes everything on.
	Open Condition = iota
	// Refusing has nobody listen on the port, and cuts what was open.
	Refusing
	// Resetting accepts connections and resets them at once.
	Resetting
	// Hanging passes nothing on and keeps it: it arrives when the condition ends.
	Hanging
	// Slow passes each piece on after a second.
	Slow
	// CuttingOff passes on the first half of an answer and then resets the
	// connection: the request has arrived.
	CuttingOff
	// Untrusted shows a certificate that nobody trusts, where the relay is one of
	// a network.
	Untrusted
	// Unknown has no address for the name, where the relay is one of a network,
	// and cuts what was open.
	Unknown
)

// slowness is how late a Slow relay is with each piece.
const slowness = time.Second

// patience bounds the wait for a port to be free again.
const patience = 20 * time.Second

// Tap opens two writers for a connection. What passes is written to them before it
// is passed on, and they are closed when the connection has ended.
type Tap func() (requests, answers io.WriteCloser)

// Relay is a running relay. It is safe for concurrent use.
type Relay struct {
	network *Network // nil: plain TCP
	name    string   // in the network
	addr    string
	target  string
	tap     Tap // nil: nobody listens in
	failed  func(error)
	work    sync.WaitGroup

	mu        sync.Mutex
	condition Condition
	changed   chan struct{} // closed with the next change of the condition
	listener  net.Listener  // nil: nobody listens
	ended     bool
	open      map[net.Conn]struct{} // both sides
}

// Start runs a relay to the server at target, a host and port, until Close. tap, where
// it is not nil, is asked for each connection.
func Start(target string, tap Tap) (*Relay, error) {
	r := &Relay{target: target, tap: tap, failed: func(error) {}}
	if err := r.start(); err != nil {
		return nil, err
	}
	return r, nil
}

// RunT runs a relay to the server at target, a host and port, until the test ends.
func RunT(tb testing.TB, target string) *Relay {
	tb.Helper()
	return run(tb, &Relay{target: target})
}

func run(tb testing.TB, r *Relay) *Relay {
	tb.Helper()
	r.failed = func(err error) { tb.Error(err) }
	if err := r.start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

func (r *Relay) start() error {
	listener, err := net.Listen("tcp", loopback.AnyPort())
	if err != nil {
		return fmt.Errorf("faultproxy: %w", err)
	}
	r.changed, r.open = make(chan struct{}), make(map[net.Conn]struct{})
	r.addr = listener.Addr().String()
	r.serve(listener)
	return nil
}

// Addr returns the host and port, which stay the same.
func (r *Relay) Addr() string {
	if r.name == "" {
		return r.addr
	}
	_, port, _ := net.SplitHostPort(r.addr) // which net gave
	return net.JoinHostPort(r.name, port)
}

// Set makes connections meet a condition from now on.
func (r *Relay) Set(c Condition) {
	r.mu.Lock()
	r.condition = c
	close(r.changed)
	r.changed = make(chan struct{})
	if c == Refusing && r.listener != nil {
		_ = r.listener.Close()
		r.listener = nil
	}
	switch c {
	case Refusing, Resetting, Untrusted, Unknown:
		r.cut()
	case Open, Hanging, Slow, CuttingOff:
	}
	closed := r.listener == nil && c != Refusing
	r.mu.Unlock()
	if closed {
		r.listen()
	}
}

// listen takes the port again; another program may be using it for a moment.
func (r *Relay) listen() {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(patience); ; <-pause.C {
		listener, err := net.Listen("tcp", r.addr)
		switch {
		case err == nil:
			r.serve(listener)
			return
		case time.Now().After(deadline):
			r.failed(fmt.Errorf("faultproxy: the relay's port is not free any more: %w", err))
			return
		}
	}
}

func (r *Relay) serve(listener net.Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		_ = listener.Close()
		return
	}
	r.listener = listener
	r.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.work.Go(func() { r.relay(conn) })
		}
	})
}

// Close ends the relay and all connections, and waits for them.
func (r *Relay) Close() {
	r.mu.Lock()
	r.ended = true
	r.condition = Open
	close(r.changed)
	r.changed = make(chan struct{})
	if r.listener != nil {
		_ = r.listener.Close()
	}
	r.cut()
	r.mu.Unlock()
	r.work.Wait()
}

// cut resets all connections. The lock is held.
func (r *Relay) cut() {
	for conn := range r.open {
		reset(conn)
	}
}

// reset closes a connection in such a way that the other side is told of an
// error, where the system can.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// current returns the condition and a channel that is closed when it changes.
func (r *Relay) current() (Condition, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.condition, r.changed
}

// relay serves one connection until either side ends it.
func (r *Relay) relay(conn net.Conn) {
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		reset(conn)
		return
	}
	defer func() { _ = server.Close() }()
	if !r.admit(conn, server) {
		reset(conn)
		return
	}
	defer r.leave(conn, server)
	client := conn
	if r.network != nil {
		client = tls.Server(conn, r.certificate())
	}
	requests, answers := r.listenIn()
	var answering sync.WaitGroup
	answering.Go(func() {
		r.pass(client, server, answers, true)
		reset(conn)
	})
	r.pass(server, client, requests, false)
	_, _ = server.Close(), requests.Close() // whoever hears answers may wait for requests
	answering.Wait()
	_ = answers.Close()
}

func (r *Relay) listenIn() (requests, answers io.WriteCloser) {
	if r.tap == nil {
		return nobody{io.Discard}, nobody{io.Discard}
	}
	return r.tap()
}

// nobody listens in.
type nobody struct{ io.Writer }

func (nobody) Close() error { return nil }

func (r *Relay) certificate() *tls.Config {
	if c, _ := r.current(); c == Untrusted {
		return r.network.strange
	}
	return r.network.trusted
}

func (r *Relay) admit(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.condition == Resetting || r.condition == Refusing || r.ended {
		return false
	}
	for _, conn := range conns {
		r.open[conn] = struct{}{}
	}
	return true
}

func (r *Relay) leave(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		delete(r.open, conn)
		_ = conn.Close()
	}
}

// pass copies what arrives, as the condition is by then.
func (r *Relay) pass(to, from net.Conn, tap io.Writer, answers bool) {
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if r.suffer() == CuttingOff && answers {
				_, _ = to.Write(piece[:n/2])
				return
			}
			_, _ = tap.Write(piece[:n]) // which may have heard enough
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// suffer waits for as long as the condition holds a piece up, and returns the
// condition of that time.
func (r *Relay) suffer() Condition {
	for {
		condition, changed := r.current()
		var late <-chan time.Time
		switch condition {
		case Hanging:
		case Slow:
			timer := time.NewTimer(slowness)
			defer timer.Stop()
			late = timer.C
		default:
			return condition
		}
		select {
		case <-changed:
		case <-late:
			return condition
		}
	}
}
