package endpoint_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/endpoint"
	"hostbot/bot/interaction"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// discordsKey is the key of the application under test.
var discordsKey = sync.OnceValue(func() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) })

func publicKey() ed25519.PublicKey {
	key, _ := discordsKey().Public().(ed25519.PublicKey)
	return key
}

// sign returns the signature of a body, in hex.
func sign(key ed25519.PrivateKey, timestamp, body string) string {
	return hex.EncodeToString(ed25519.Sign(key, []byte(timestamp+body)))
}

const command = `{"id":"1","application_id":"2","type":2,"token":"t","user":{"id":"3"},"data":{"name":"plan"}}`

// server is an endpoint that runs, on a clock of its own and without a network.
type server struct {
	endpoint *endpoint.Endpoint
	t        *testing.T
	dial     chan net.Conn
	closed   chan struct{}
	stop     context.CancelFunc
	ended    chan error
	told     chan error // what Respond returned
	close    sync.Once

	mu     sync.Mutex
	events []*interaction.Event
}

// run has test use an endpoint whose events are answered by respond.
func run(t *testing.T, respond func(*server, *interaction.Event), test func(*server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &server{t: t, dial: make(chan net.Conn), closed: make(chan struct{}), stop: cancel, ended: make(chan error, 1), told: make(chan error, 1)}
		e := endpoint.New(endpoint.Config{PublicKey: publicKey(), Log: zerolog.Nop(), OnInteraction: func(event *interaction.Event) {
			s.mu.Lock()
			s.events = append(s.events, event)
			s.mu.Unlock()
			go respond(s, event)
		}})
		s.endpoint = e
		go func() { s.ended <- e.Run(ctx, s) }()
		synctest.Wait()
		if !e.Ready() {
			t.Error("it runs and is not ready")
		}
		test(s)
		cancel()
		if err := <-s.ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		s.ended <- nil
		if e.Ready() {
			t.Error("it has ended and is ready")
		}
		synctest.Wait()
	})
}

// The server is the endpoint's listener.

func (s *server) Accept() (net.Conn, error) {
	select {
	case c := <-s.dial:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *server) Close() error {
	s.close.Do(func() { close(s.closed) })
	return nil
}

func (s *server) Addr() net.Addr { return &net.TCPAddr{} }

// received counts the events so far.
func (s *server) received() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

// client is a connection to the endpoint.
type client struct {
	net.Conn
	answers *bufio.Reader
}

// connect returns a new connection, or nil where it is not accepted any more.
func (s *server) connect() *client {
	ours, theirs := net.Pipe()
	select {
	case s.dial <- theirs:
		return &client{ours, bufio.NewReader(ours)}
	case <-s.closed:
		return nil
	}
}

// request is an HTTP request as it is sent.
type request struct{ method, path, timestamp, signature, body string }

// signed returns a request as Discord sends it.
func signed(body string) request {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	return request{http.MethodPost, endpoint.Path, timestamp, sign(discordsKey(), timestamp, body), body}
}

func (r request) header() string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: bot\r\nX-Signature-Timestamp: %s\r\nX-Signature-Ed25519: %s\r\nContent-Length: %d\r\n\r\n",
		r.method, r.path, r.timestamp, r.signature, len(r.body))
}

// send sends a request over a new connection, all of which is read.
func (s *server) send(r request) *client {
	c := s.connect()
	_, _ = c.Write([]byte(r.header() + r.body))
	return c
}

// ask sends a request over a new connection and returns the answer.
func (s *server) ask(r request) (status int, header http.Header, body string) {
	s.t.Helper()
	c := s.connect()
	defer func() { _ = c.Close() }()
	go func() { _, _ = io.Copy(c, strings.NewReader(r.header()+r.body)) }()
	return c.answer(s.t)
}

func (c *client) answer(t *testing.T) (status int, header http.Header, body string) {
	t.Helper()
	res, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}
