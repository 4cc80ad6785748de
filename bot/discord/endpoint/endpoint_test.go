package endpoint_test

import (
	"crypto/ed25519"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

func leave(_ *server, e *interaction.Event) { e.Inline.Leave() }

func TestOnlyWhatDiscordHasSignedIsAccepted(t *testing.T) {
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
	at := func(r *request, d time.Duration) {
		r.timestamp = strconv.FormatInt(time.Now().Add(d).Unix(), 10)
		r.signature = sign(discordsKey(), r.timestamp, r.body)
	}
	for name, test := range map[string]struct {
		change func(*request)
		want   int
	}{
		"as Discord sends it":         {func(*request) {}, 202},
		"a clock that is behind":      {func(r *request) { at(r, 5*time.Minute) }, 202},
		"a clock that is ahead":       {func(r *request) { at(r, -5*time.Minute) }, 202},
		"stale":                       {func(r *request) { at(r, -5*time.Minute-2*time.Second) }, 401},
		"from the future":             {func(r *request) { at(r, 5*time.Minute+2*time.Second) }, 401},
		"another key":                 {func(r *request) { r.signature = sign(other, r.timestamp, r.body) }, 401},
		"another body":                {func(r *request) { r.body = strings.Replace(r.body, `"3"`, `"4"`, 1) }, 401},
		"another timestamp":           {func(r *request) { r.timestamp += "0" }, 401},
		"no signature":                {func(r *request) { r.signature = "" }, 401},
		"a signature that is short":   {func(r *request) { r.signature = r.signature[2:] }, 401},
		"a signature that is long":    {func(r *request) { r.signature += "00" }, 401},
		"a signature not in hex":      {func(r *request) { r.signature = "zz" + r.signature[2:] }, 401},
		"no timestamp":                {func(r *request) { r.timestamp, r.signature = "", sign(discordsKey(), "", r.body) }, 401},
		"a timestamp that is no time": {func(r *request) { r.timestamp, r.signature = "now", sign(discordsKey(), "now", r.body) }, 401},
		"a timestamp without end": {func(r *request) {
			r.timestamp = strings.Repeat("1", 21)
			r.signature = sign(discordsKey(), r.timestamp, r.body)
		}, 401},
		"signed nonsense": {func(r *request) { *r = signed("{") }, 400},
		"no object":       {func(r *request) { *r = signed("[]") }, 400},
		"nothing":         {func(r *request) { *r = signed("") }, 400},
		"GET":             {func(r *request) { r.method = http.MethodGet }, 405},
		"another path":    {func(r *request) { r.path = "/" }, 404},
		"a path below":    {func(r *request) { r.path += "/x" }, 404},
		"as large as can be": {func(r *request) {
			*r = signed(`{"id":"1"}` + strings.Repeat(" ", 512<<10-10))
		}, 202},
		"the press of a button of the longest message": {func(r *request) {
			// Five menus of 25 options with 300 characters, 6,000 in embeds and 2,000 beside.
			*r = signed(`{"id":"1","message":{"content":"` + strings.Repeat(`\u0e01`, 5*25*300+6000+2000) + `"}}`)
		}, 202},
		"too large": {func(r *request) { *r = signed(`{"id":"1"}` + strings.Repeat(" ", 512<<10-9)) }, 413},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, leave, func(s *server) {
				r := signed(command)
				test.change(&r)
				status, _, body := s.ask(r)
				accepted := 0
				if test.want == http.StatusAccepted {
					accepted = 1
				}
				if n := s.received(); status != test.want || n != accepted || accepted > 0 && body != "" {
					t.Errorf("answered %d %q with %d events, want %d", status, body, n, test.want)
				}
			})
		})
	}
}

// TestNothingIsAcceptedOnceTheKeyIsAnothers although it is signed with it.
func TestNothingIsAcceptedOnceTheKeyIsAnothers(t *testing.T) {
	run(t, leave, func(s *server) {
		s.endpoint.RefuseAll()
		for _, body := range []string{`{"id":"1","token":"t","type":1,"version":1}`, signed("").body} {
			if status, _, _ := s.ask(signed(body)); status != http.StatusUnauthorized || s.received() != 0 {
				t.Errorf("answered %d with %d events", status, s.received())
			}
		}
		if s.endpoint.Ready() {
			t.Error("it is ready")
		}
	})
}

func TestBodyWithoutALengthIsBoundedAsWell(t *testing.T) {
	run(t, leave, func(s *server) {
		r := signed(strings.Repeat(" ", 512<<10+1))
		header := strings.Replace(r.header(), "Content-Length: 524289", "Transfer-Encoding: chunked", 1)
		c := s.connect()
		go func() { _, _ = c.Write([]byte(header + "80001\r\n" + r.body + "\r\n0\r\n\r\n")) }()
		if status, _, _ := c.answer(t); status != http.StatusRequestEntityTooLarge {
			t.Errorf("answered %d", status)
		}
	})
}

func TestPingIsAnsweredAtOnce(t *testing.T) {
	run(t, leave, func(s *server) {
		ping := signed(`{"id":"1","token":"t","type":1,"version":1}`)
		status, header, body := s.ask(ping)
		if status != 200 || body != `{"type":1}` || header.Get("Content-Type") != "application/json" || s.received() != 0 {
			t.Errorf("answered %d %q of type %q with %d events", status, body, header.Get("Content-Type"), s.received())
		}
		ping.signature = sign(discordsKey(), "0", ping.body)
		if status, _, _ := s.ask(ping); status != http.StatusUnauthorized {
			t.Errorf("a wrong signature: answered %d", status)
		}
	})
}

func TestRequestIsAnsweredOnce(t *testing.T) {
	const response = `{"type":4,"data":{"content":"hello"}}`
	for name, test := range map[string]struct {
		respond func(*testing.T, *interaction.Event)
		status  int
		body    string
		after   time.Duration
	}{
		"with a response": {func(t *testing.T, e *interaction.Event) {
			time.Sleep(time.Second)
			if err := e.Inline.Respond([]byte(response)); err != nil {
				t.Error(err)
			}
			e.Inline.Leave()
		}, 200, response, time.Second},
		"without": {func(t *testing.T, e *interaction.Event) {
			e.Inline.Leave()
			if e.Inline.Respond([]byte(response)) == nil {
				t.Error("it takes a response after it was left")
			}
		}, 202, "", 0},
		"with nothing done": {func(_ *testing.T, e *interaction.Event) {
			e.Inline.Decline()
			e.Inline.Leave()
		}, 503, "", 0},
		"by the deadline": {func(*testing.T, *interaction.Event) {}, 202, "", 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(_ *server, e *interaction.Event) { test.respond(t, e) }, func(s *server) {
				began := time.Now()
				status, header, body := s.ask(signed(command))
				if took := time.Since(began); status != test.status || body != test.body || took != test.after {
					t.Errorf("answered %d %q after %v, want %d %q after %v", status, body, took, test.status, test.body, test.after)
				}
				if kind := header.Get("Content-Type"); test.body != "" && kind != "application/json" {
					t.Errorf("type %q", kind)
				}
				e := s.events[0]
				if e.ID != "1" || e.UserID != "3" || e.Name != "plan" || !e.ReceivedAt.Equal(began) {
					t.Errorf("the event is %+v", e)
				}
			})
		})
	}
}

func TestResponseThatNobodyTakesIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		after   time.Duration
		hangsUp bool
	}{
		"the client has hung up":   {time.Second, true},
		"the client does not read": {0, false}, // its buffers are full
	} {
		t.Run(name, func(t *testing.T) {
			respond := func(s *server, e *interaction.Event) {
				time.Sleep(test.after)
				s.told <- e.Inline.Respond([]byte("{}"))
			}
			run(t, respond, func(s *server) {
				c := s.send(signed(command))
				if test.hangsUp {
					_ = c.Close()
				}
				began := time.Now()
				if err := <-s.told; err == nil || time.Since(began) > time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				_ = c.Close()
			})
		})
	}
}

// TestEndWaitsForAnswers: what has arrived is answered, and nothing more arrives.
func TestEndWaitsForAnswers(t *testing.T) {
	respond := func(_ *server, e *interaction.Event) {
		time.Sleep(2 * time.Second)
		_ = e.Inline.Respond([]byte("{}"))
	}
	run(t, respond, func(s *server) {
		c := s.send(signed(command))
		synctest.Wait()
		s.stop()
		synctest.Wait()
		if s.connect() != nil {
			t.Error("it takes connections after the end")
		}
		if status, _, body := c.answer(t); status != http.StatusOK || body != "{}" {
			t.Errorf("answered %d %q", status, body)
		}
	})
}

// TestConnectionsAreClosedBeforeTheEnd by an answer, so that a proxy sends no request over one that is
// being closed.
func TestConnectionsAreClosedBeforeTheEnd(t *testing.T) {
	run(t, leave, func(s *server) {
		c := s.send(signed(command))
		c.answer(t)
		s.endpoint.Leave()
		r := signed(command)
		_, _ = c.Write([]byte(r.header() + r.body))
		status, _, _ := c.answer(t)
		if _, err := c.answers.ReadByte(); status != http.StatusAccepted || !errors.Is(err, io.EOF) || !s.endpoint.Ready() {
			t.Errorf("answered %d, and then %v; ready: %v", status, err, s.endpoint.Ready())
		}
	})
}

func TestEndIsBounded(t *testing.T) {
	run(t, leave, func(s *server) {
		c := s.connect()
		_, _ = c.Write([]byte(signed(command).header()))
		synctest.Wait()
		began := time.Now()
		s.stop()
		s.ended <- <-s.ended
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
