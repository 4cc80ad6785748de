package discordtest_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// serveEndpoint has the server post interactions to a bot that answers each with
// respond, and PINGs as it should.
func serveEndpoint(t *testing.T, c *client, respond func(http.ResponseWriter, event)) {
	t.Helper()
	key, err := hex.DecodeString(c.discord.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		signature, _ := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		if strings.Contains(string(body), `"type":1,`) {
			inline(w, `{"type":1}`)
			return
		}
		respond(w, e)
	}))
	t.Cleanup(bot.Close)
	c.discord.AddEndpoint(bot.URL)
}

func inline(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

// Whatever an endpoint answers is judged by the rules of a callback, and both
// together are a second response.
func TestAnswersOfAnEndpoint(t *testing.T) {
	const hello = `{"type":4,"data":{"content":"hello"}}`
	for name, test := range map[string]struct {
		respond func(*client, http.ResponseWriter, event)
		shown   string
		broken  string // a part of the rule that is broken; empty for none
	}{
		"inline": {func(_ *client, w http.ResponseWriter, _ event) { inline(w, hello) }, "hello", ""},
		"by a callback": {func(c *client, w http.ResponseWriter, e event) {
			c.do("POST", e.path(), hello).want(c.t, 204, 0)
			w.WriteHeader(http.StatusAccepted)
		}, "hello", ""},
		"both ways": {func(c *client, w http.ResponseWriter, e event) {
			c.do("POST", e.path(), hello).want(c.t, 204, 0)
			inline(w, hello)
		}, "hello", "40060"},
		"202 with a body": {func(c *client, w http.ResponseWriter, e event) {
			c.do("POST", e.path(), hello).want(c.t, 204, 0)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, hello)
		}, "hello", "answered with 202"},
		"401": {func(c *client, w http.ResponseWriter, e event) {
			w.WriteHeader(http.StatusUnauthorized)
			c.do("POST", e.path(), hello).want(c.t, 204, 0)
		}, "hello", "answered with 401"},
		"another content type": {func(_ *client, w http.ResponseWriter, _ event) { _, _ = io.WriteString(w, hello) }, "", "Content-Type"},
		"a response that is malformed": {func(_ *client, w http.ResponseWriter, _ event) {
			inline(w, `{"type":7,"data":{"content":"not for a command"}}`)
		}, "", "INTERACTION_CALLBACK_TYPE_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, discordtest.Config{NoRateLimits: true})
			c.discord.ExpectFailures()
			c.register(`[{"name":"bot","description":"d"}]`).want(t, 200, 0)
			answered := make(chan struct{}, 1)
			serveEndpoint(t, c, func(w http.ResponseWriter, e event) {
				test.respond(c, w, e)
				answered <- struct{}{}
			})
			reply, err := c.discord.User("anna").Start("/bot", nil)
			if err != nil {
				t.Fatal(err)
			}
			if test.shown != "" {
				reply.WaitFor(t, test.shown)
			}
			select {
			case <-answered:
			case <-time.After(2 * time.Minute):
				t.Fatal("the bot was not asked")
			}
			if err := c.discord.Close(); err != nil { // which waits for what the answer does
				t.Fatal(err)
			}
			broken := c.discord.Failures()
			if test.broken == "" && len(broken) > 0 || test.broken != "" && (len(broken) != 1 || !strings.Contains(broken[0].String(), test.broken)) {
				t.Errorf("broken rules %v, want one with %q", broken, test.broken)
			}
		})
	}
}

// An endpoint that does not look at signatures is not accepted.
func TestEndpointMustRefuseWrongSignatures(t *testing.T) {
	c := start(t, discordtest.Config{})
	c.discord.ExpectFailures()
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { inline(w, `{"type":1}`) }))
	t.Cleanup(bot.Close)
	c.discord.AddEndpoint(bot.URL)
	if err := c.discord.Close(); err != nil {
		t.Fatal(err)
	}
	if broken := c.discord.Failures(); len(broken) != 1 || !strings.Contains(broken[0].String(), "want 401") {
		t.Errorf("broken rules %v", broken)
	}
}

// TestEndpointMustGoOnRefusingWrongSignatures: one that looks at them no more after it was
// accepted loses its address.
func TestEndpointMustGoOnRefusingWrongSignatures(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	c.register(`[{"name":"bot","description":"d"}]`).want(t, 200, 0)
	var pings atomic.Int32
	tried := make(chan struct{}, 2)
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case !strings.Contains(string(body), `"type":1,`):
			inline(w, `{"type":4,"data":{"content":"hello"}}`)
			tried <- struct{}{}
		case pings.Add(1) == 1: // the one with a wrong signature comes first
			w.WriteHeader(http.StatusUnauthorized)
		default:
			inline(w, `{"type":1}`)
		}
	}))
	t.Cleanup(bot.Close)
	c.discord.AddEndpoint(bot.URL)
	reply, err := c.discord.User("anna").Start("/bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	reply.WaitFor(t, "hello")
	for range 2 {
		select {
		case <-tried:
		case <-time.After(2 * time.Minute):
			t.Fatal("the endpoint was not tried")
		}
	}
	if err := c.discord.Close(); err != nil {
		t.Fatal(err)
	}
	if broken := c.discord.Failures(); len(broken) != 1 || !strings.Contains(broken[0].String(), "want 401") {
		t.Errorf("broken rules %v", broken)
	}
}
