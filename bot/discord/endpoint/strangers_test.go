package endpoint_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// crowd is how many connections a flood has: more than all that the endpoint keeps.
const crowd = 1100

// watched is a client whose connection a test watches.
type watched struct {
	*client
	closed chan struct{}
}

// watch reads what the endpoint sends until it closes the connection.
func watch(c *client) watched {
	w := watched{c, make(chan struct{})}
	go func() {
		defer close(w.closed)
		_, _ = io.Copy(io.Discard, c.answers)
	}()
	return w
}

func (w watched) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

func TestSlowClientsAreCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		sent  func(request) string
		after time.Duration
	}{
		"nothing": {func(request) string { return "" }, 2 * time.Second},
		"header":  {func(r request) string { return r.header()[:20] }, 2 * time.Second},
		"body":    {func(r request) string { return r.header() + r.body[:20] }, time.Second},
		"a page that there is not": {func(r request) string {
			r.path = "/"
			return r.header() + r.body[:20]
		}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				began := time.Now()
				c := s.connect()
				_, _ = c.Write([]byte(test.sent(signed(command))))
				_, _ = io.Copy(io.Discard, c.answers) // until it is closed
				if took := time.Since(began); took > test.after || s.received() > 0 {
					t.Errorf("closed after %v with %d events", took, s.received())
				}
			})
		})
	}
}

// TestHeaderIsJudgedBeforeTheBody: what cannot be Discord's is refused at once.
func TestHeaderIsJudgedBeforeTheBody(t *testing.T) {
	for name, change := range map[string]func(*request){
		"no signature": func(r *request) { r.signature = "" },
		"no timestamp": func(r *request) { r.timestamp = "" },
		"stale":        func(r *request) { r.timestamp = strconv.FormatInt(time.Now().Add(-6*time.Minute).Unix(), 10) },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				r := signed(command)
				change(&r)
				began := time.Now()
				c := s.connect()
				_, _ = c.Write([]byte(r.header()))
				if status, _, _ := c.answer(t); status != http.StatusUnauthorized || time.Since(began) > 0 {
					t.Errorf("answered %d after %v", status, time.Since(began))
				}
				_ = c.Close()
			})
		})
	}
}

// TestOnlyDiscordKeepsAConnection, for as long as a load balancer wants to.
func TestOnlyDiscordKeepsAConnection(t *testing.T) {
	run(t, leave, func(s *server) {
		c := s.connect()
		for range 3 {
			r := signed(command)
			_, _ = c.Write([]byte(r.header() + r.body))
			if status, _, _ := c.answer(t); status != http.StatusAccepted {
				t.Errorf("answered %d", status)
			}
			time.Sleep(619 * time.Second)
		}
		r := signed(command)
		r.signature = sign(discordsKey(), "0", "")
		_, _ = c.Write([]byte(r.header() + r.body))
		_, _ = io.Copy(io.Discard, c.answers) // until it is closed
		for method, path := range map[string]string{http.MethodGet: "/interactions", http.MethodPost: "/"} {
			c := s.connect()
			_, _ = fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: bot\r\n\r\n", method, path)
			began := time.Now()
			_, _ = io.Copy(io.Discard, c.answers)
			if took := time.Since(began); took > 0 {
				t.Errorf("%s %s: closed after %v", method, path, took)
			}
		}
	})
}

// TestFloodKeepsNobodyOut has many connections of one address hold memory, each in the same way.
func TestFloodKeepsNobodyOut(t *testing.T) {
	for name, test := range map[string]struct {
		connections, open int // how many of them may stay open
		send              func(*testing.T, *client)
	}{
		"idle":         {crowd, 819, func(*testing.T, *client) {}},
		"slow headers": {crowd, 819, func(_ *testing.T, c *client) { _, _ = c.Write([]byte("POST ")) }},
		"small bodies": {crowd, 819, func(_ *testing.T, c *client) {
			r := signed(command)
			_, _ = c.Write([]byte(r.header() + r.body[:1]))
		}},
		"large bodies": {100, 32, func(_ *testing.T, c *client) {
			r := signed(strings.Repeat(" ", 512<<10))
			_, _ = c.Write([]byte(r.header() + r.body[1:]))
		}},
		"second requests": {crowd, 819, func(t *testing.T, c *client) {
			r := signed(command)
			_, _ = c.Write([]byte(r.header() + r.body))
			if status, _, _ := c.answer(t); status != http.StatusAccepted {
				t.Errorf("answered %d", status)
			}
			_, _ = c.Write([]byte(r.header() + r.body[:1]))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				var flood []watched
				for range test.connections {
					c := s.connect()
					test.send(t, c)
					flood = append(flood, watch(c))
				}
				synctest.Wait()
				open := 0
				for _, c := range flood {
					if !c.isClosed() {
						open++
					}
				}
				if open > test.open {
					t.Errorf("%d connections are open", open)
				}
				if status, _, _ := s.ask(signed(command)); status != http.StatusAccepted {
					t.Errorf("answered %d", status)
				}
				for _, c := range flood {
					_ = c.Close()
				}
			})
		})
	}
}

// TestOnePeerHasAShare: a flood from one address closes no connection from another, although
// that has been there for longer. The addresses of an IPv6 network are one peer.
func TestOnePeerHasAShare(t *testing.T) {
	for name, address := range map[string]string{"IPv4": "198.51.100.%d:443", "IPv6": "[2001:db8::%d]:443"} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				r := signed(command)
				other := s.connectFrom("[::ffff:192.0.2.2]:443")
				_, _ = other.Write([]byte(r.header() + r.body[:20]))
				var flood []watched
				for i := range crowd {
					n := 7
					if name == "IPv6" {
						n = i%9000 + 1000
					}
					c := s.connectFrom(fmt.Sprintf(address, n))
					_, _ = c.Write([]byte("POST "))
					flood = append(flood, watch(c))
				}
				_, _ = other.Write([]byte(r.body[20:]))
				if status, _, _ := other.answer(t); status != http.StatusAccepted {
					t.Errorf("answered %d", status)
				}
				for _, c := range append(flood, watched{client: other}) {
					_ = c.Close()
				}
			})
		})
	}
}
