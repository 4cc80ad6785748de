// Package redisrelay is a Redis inside the process, behind a relay that shows
// each command with its reply and that can be taken down.
package redisrelay

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/proto"
)

// Observer is told each command as it passes. What it returns is told the
// reply, as Redis writes it, or "" where the connection ended before.
type Observer func(command []string) (replied func(reply string))

// Relay is a running Redis with its relay. It is safe for concurrent use.
type Relay struct {
	redis    *miniredis.Miniredis
	listener net.Listener
	observe  Observer
	running  sync.WaitGroup

	mu    sync.Mutex
	down  bool
	ended bool
	open  map[net.Conn]struct{}
}

// Start runs one on a free port of the loopback interface, until Close.
func Start(observe Observer) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("redis relay: %w", err)
	}
	redis := miniredis.NewMiniRedis()
	if err := redis.Start(); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("redis relay: %w", err)
	}
	redis.ClockTTL(true)
	r := &Relay{redis: redis, listener: listener, observe: observe, open: make(map[net.Conn]struct{})}
	r.running.Go(r.accept)
	return r, nil
}

// URL is the address of the relay, as REDIS_URL takes it.
func (r *Relay) URL() string { return "redis://" + r.listener.Addr().String() }

// SetDown cuts all connections, and each new one at once, until it is set to
// false. What Redis holds stays.
func (r *Relay) SetDown(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = down
	if down {
		r.cut()
	}
}

// Down tells whether SetDown took it down.
func (r *Relay) Down() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down
}

// Close ends relay and Redis, and waits for them.
func (r *Relay) Close() {
	_ = r.listener.Close() // it is open, so this fails for no reason that matters
	r.mu.Lock()
	r.ended = true
	r.cut()
	r.mu.Unlock()
	r.running.Wait()
	r.redis.Close()
}

// cut closes all connections. The lock is held.
func (r *Relay) cut() {
	for conn := range r.open {
		_ = conn.Close()
	}
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.serve(client) })
	}
}

// serve relays one connection until either side ends it.
func (r *Relay) serve(client net.Conn) {
	if !r.admit(client) {
		_ = client.Close()
		return
	}
	defer r.leave(client)
	server, err := net.Dial("tcp", r.redis.Addr())
	if err != nil {
		return
	}
	exchange := &exchange{observe: r.observe}
	answers := make(chan struct{})
	r.running.Go(func() {
		defer close(answers)
		pass(server, client, exchange.reply)
		_ = client.Close()
	})
	pass(client, server, exchange.command)
	_ = server.Close()
	<-answers
	exchange.end()
}

func (r *Relay) admit(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down || r.ended {
		return false
	}
	r.open[conn] = struct{}{}
	return true
}

func (r *Relay) leave(conn net.Conn) {
	_ = conn.Close() // the other direction may have closed it
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, conn)
}

// pass copies values of the Redis protocol, each after it was seen.
func pass(from io.Reader, to io.Writer, see func(string)) {
	reader := bufio.NewReader(from)
	for {
		value, err := proto.Read(reader)
		if err != nil {
			return
		}
		see(value)
		if _, err := io.WriteString(to, value); err != nil {
			return
		}
	}
}

// exchange pairs the commands of a connection with their replies, which come
// in the same order.
type exchange struct {
	observe Observer

	mu      sync.Mutex
	waiting []func(string) // oldest first
}

func (e *exchange) command(value string) {
	words, err := proto.ReadStrings(value)
	if err != nil {
		words = []string{value}
	}
	replied := e.observe(words)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = append(e.waiting, replied)
}

func (e *exchange) reply(value string) {
	e.mu.Lock()
	if len(e.waiting) == 0 || value[0] == '>' { // a push answers nothing
		e.mu.Unlock()
		return
	}
	replied := e.waiting[0]
	e.waiting = e.waiting[1:]
	e.mu.Unlock()
	replied(value)
}

// end tells the commands that were not answered.
func (e *exchange) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, replied := range e.waiting {
		replied("")
	}
	e.waiting = nil
}
