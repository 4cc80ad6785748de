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

func TestSlowClientsAreCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		sent  func(request) string
		after time.Duration
	}{
		"nothing": {func(request) string { return "" }, 2 * time.Second},
		"header":  {func(r request) string { return r.header()[:20] }, 2 * time.Second},
		"body":    {func(r request) string { return r.header() + r.body[:20] }, 5 * time.Second},
		"a page that there is not": {func(r request) string {
			r.path = "/"
			return r.header() + r.body[:20]
		}, 5 * time.Second},
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

// TestOnlyDiscordKeepsAConnection, for a minute.
func TestOnlyDiscordKeepsAConnection(t *testing.T) {
	run(t, leave, func(s *server) {
		c := s.connect()
		for range 3 {
			r := signed(command)
			_, _ = c.Write([]byte(r.header() + r.body))
			if status, _, _ := c.answer(t); status != http.StatusAccepted {
				t.Errorf("answered %d", status)
			}
			time.Sleep(59 * time.Second)
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

// TestFloodKeepsNobodyOut has strangers take all places, as often as they can, each in the same way. Discord
// waits for no more than 3 s.
func TestFloodKeepsNobodyOut(t *testing.T) {
	for name, send := range map[string]func(*client){
		"idle":         func(*client) {},
		"slow headers": func(c *client) { _, _ = c.Write([]byte("POST ")) },
		"not signed": func(c *client) {
			r := signed(command)
			r.signature = ""
			_, _ = c.Write([]byte(r.header()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				var flood []*client
				for range 1999 {
					c := s.connect()
					send(c)
					flood = append(flood, c)
				}
				if status, _, _ := s.ask(signed(command)); status != http.StatusAccepted {
					t.Errorf("with a place left: answered %d", status)
				}
				flood = append(flood, s.connect())
				began := time.Now()
				if status, _, _ := s.ask(signed(command)); status != http.StatusAccepted || time.Since(began) > 2*time.Second {
					t.Errorf("with none left: answered %d after %v", status, time.Since(began))
				}
				for _, c := range flood {
					_ = c.Close()
				}
			})
		})
	}
}

// TestLargeBodiesDoNotFillTheMemory has strangers begin many. While they arrive, further ones are declined, and
// small ones are not.
func TestLargeBodiesDoNotFillTheMemory(t *testing.T) {
	run(t, leave, func(s *server) {
		large := signed(`{"id":"1"}` + strings.Repeat(" ", 16<<10))
		var flood []*client
		for range 32 {
			c := s.connect()
			_, _ = c.Write([]byte(large.header() + large.body[:1]))
			flood = append(flood, c)
		}
		synctest.Wait()
		for want, r := range map[int]request{http.StatusServiceUnavailable: large, http.StatusAccepted: signed(command)} {
			if status, _, _ := s.ask(r); status != want {
				t.Errorf("%d bytes: answered %d, want %d", len(r.body), status, want)
			}
		}
		for _, c := range flood {
			_ = c.Close()
		}
		synctest.Wait()
		if status, _, _ := s.ask(large); status != http.StatusAccepted {
			t.Errorf("afterwards: answered %d", status)
		}
	})
}
