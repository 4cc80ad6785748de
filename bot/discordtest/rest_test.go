package discordtest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hostbot/bot/discordtest"
)

func TestWhoMayCall(t *testing.T) {
	c := start(t, discordtest.Config{})
	c.discord.ExpectFailures()
	for _, path := range []string{"/gateway", "/gateway/bot", "/users/@me", "/applications/@me", "/oauth2/applications/@me"} {
		if got := c.do("GET", path, ""); got.status != 200 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
	c.do("GET", "/nowhere", "").want(t, 404, 0)
	for _, token := range []string{"wrong", ""} {
		c.token = token
		c.do("GET", "/users/@me", "").want(t, 401, 0)
		c.do("GET", "/gateway", "").want(t, 200, 0)
	}
}

func TestErrorsAreWrittenAsPythonDoes(t *testing.T) {
	c := start(t, discordtest.Config{})
	c.discord.ExpectFailures()
	for body, want := range map[string]string{
		`{"content":""}`: `{"message": "Cannot send an empty message", "code": 50006}`,
		`{"content"`:     `{"message": "The request body contains invalid JSON.", "code": 50109}`,
		`{"flags":1}`: `{"message": "Invalid Form Body", "code": 50035, "errors": {"flags": {"_errors": ` +
			`[{"code": "BASE_TYPE_CHOICES", "message": "Flags 1 cannot be set here."}]}}}`,
	} {
		if got := c.do("POST", c.general(), body); got.text != want {
			t.Errorf("got  %s\nwant %s", got.text, want)
		}
	}
}

func TestUsualHeaders(t *testing.T) {
	h := start(t, discordtest.Config{}).do("GET", "/gateway", "").header
	if h.Get("Via") != "1.1 google" || h.Get("Server") != "cloudflare" || h.Get("CF-RAY") == "" || h.Get("CF-Cache-Status") != "DYNAMIC" {
		t.Errorf("got %v", h)
	}
}

func TestUserAgents(t *testing.T) {
	const blocked = `{"message": "internal network error", "code": 40333}`
	c := start(t, discordtest.Config{})
	c.discord.ExpectFailures()
	for agent, status := range map[string]int{
		testAgent: 200,
		"DiscordBot (https://github.com/bwmarrin/discordgo, v0.29.0)":                       200,
		"DiscordBot (https://discord.js.org, 2.6.0) Node.js/22.11.0":                        200,
		"DiscordBot (https://github.com/Rapptz/discord.py 2.4.0) Python/3.12 aiohttp/3.9.1": 200,
		"":                       403,
		"Go-http-client/1.1":     403,
		"DiscordBot":             403,
		"DiscordBot ()":          403,
		"Mozilla/5.0 DiscordBot": 403,
	} {
		c.agent = agent
		got := c.do("GET", "/users/@me", "")
		if got.status != status || status == 403 && (got.text != blocked || got.header.Get("Via") != "") {
			t.Errorf("%q gets %d %s, %v", agent, got.status, got.text, got.header)
		}
	}

	// Only a strict server refuses them where an interaction is answered, as discord.py
	// does without naming itself, and at the gateway.
	for _, strict := range []bool{false, true} {
		c := start(t, discordtest.Config{StrictUserAgent: strict})
		c.discord.ExpectFailures()
		c.agent = "Python/3.11 aiohttp/3.8.4"
		for _, path := range []string{"/interactions/1/x/callback", "/webhooks/" + c.discord.ApplicationID() + "/x"} {
			if got := c.do("POST", path, `{"type":6}`); (got.text == blocked) != strict {
				t.Errorf("strict %v: %s answers %s", strict, path, got.text)
			}
		}
		for agent, refused := range map[string]bool{"": strict, testAgent: false} {
			conn, response, err := websocket.DefaultDialer.Dial(c.discord.GatewayURL()+"/?v=10", http.Header{"User-Agent": {agent}})
			if (err != nil) != refused || refused && response.StatusCode != 403 {
				t.Errorf("strict %v: the gateway answers %q with %+v, %v", strict, agent, response, err)
			}
			if err == nil {
				_ = conn.Close()
			}
		}
	}
}

func TestFaults(t *testing.T) {
	c := start(t, discordtest.Config{})
	discord, general := c.discord, c.discord.Channels()[0]
	post := func(text string) (answer, error) { return c.try("POST", c.general(), `{"content":"`+text+`"}`) }
	has := func(text string) bool {
		return slices.ContainsFunc(general.Messages(), func(m discordtest.View) bool { return m.Contains(text) })
	}

	t.Run("status, once", func(t *testing.T) {
		discord.Inject(discordtest.Fault{Method: "POST", Route: discordtest.RouteMessages, Times: 1, Status: 503, Body: "upstream"})
		if got, err := post("status"); err != nil || got.status != 503 || got.text != "upstream" || has("status") {
			t.Errorf("got %+v, %v", got, err)
		}
		if got, err := post("after"); err != nil || got.status != 200 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("other routes are spared", func(t *testing.T) {
		defer discord.Inject(discordtest.Fault{Method: "POST", Route: discordtest.RouteCallback, Status: 500})()
		if got, err := post("spared"); err != nil || got.status != 200 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("reset before", func(t *testing.T) {
		remove := discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Reset: true})
		if _, err := post("before"); err == nil || has("before") {
			t.Errorf("got %v", err)
		}
		remove()
	})
	t.Run("reset after", func(t *testing.T) {
		discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Times: 1, Reset: true, After: true})
		if _, err := post("lost"); err == nil || !has("lost") {
			t.Errorf("got %v; the message should be there all the same", err)
		}
	})
	t.Run("status after", func(t *testing.T) {
		discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Times: 1, Status: 502, Body: "bad gateway", After: true})
		if got, err := post("taken"); err != nil || got.status != 502 || got.text != "bad gateway" || !has("taken") {
			t.Errorf("got %+v, %v; the message should be there all the same", got, err)
		}
		calls := discord.Calls()
		if last := calls[len(calls)-1]; last.Status != 502 || string(last.Response) != "bad gateway" {
			t.Errorf("noted as %+v", last)
		}
	})
	t.Run("hang after", func(t *testing.T) {
		remove := discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Hang: true, After: true})
		done := make(chan error, 1)
		go func() { _, err := post("stuck"); done <- err }()
		general.WaitFor(t, "stuck")
		remove()
		if err := <-done; err == nil {
			t.Error("an answer came")
		}
	})
	t.Run("hang", func(t *testing.T) {
		remove := discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Hang: true})
		done := make(chan error, 1)
		go func() { _, err := post("hung"); done <- err }()
		begun := func(call discordtest.Call) bool { return strings.Contains(string(call.Request), "hung") }
		if _, err := discord.WaitCall(limit(t), begun); err != nil {
			t.Fatal(err)
		}
		remove()
		if err := <-done; err == nil || has("hung") {
			t.Errorf("got %v", err)
		}
	})
}

// noticing is a clock that tells when a wait begins.
type noticing struct {
	*discordtest.ManualClock
	waits chan time.Duration
}

func (c noticing) AfterFunc(d time.Duration, f func()) func() bool {
	defer func() { c.waits <- d }()
	return c.ManualClock.AfterFunc(d, f)
}

// A delay passes on the server's clock.
func TestDelay(t *testing.T) {
	clock := noticing{still(), make(chan time.Duration, 1)}
	c := start(t, discordtest.Config{Clock: clock})
	c.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Delay: time.Hour})
	done := make(chan answer, 1)
	go func() {
		got, _ := c.try("POST", c.general(), `{"content":"slow"}`)
		done <- got
	}()
	delay := <-clock.waits
	if n := len(c.discord.Channels()[0].Messages()); delay != time.Hour || n != 0 {
		t.Errorf("after %d messages a wait of %v began", n, delay)
	}
	clock.Advance(delay)
	if got := <-done; got.status != 200 {
		t.Errorf("got %+v", got)
	}
}

// What the ready-made faults answer is what was seen of Discord.
func TestFaultAnswers(t *testing.T) {
	c := start(t, discordtest.Config{})
	for name, tc := range map[string]struct {
		fault      discordtest.Fault
		status     int
		text       string
		retryAfter string
	}{
		"429":         {discordtest.RateLimited("", "", 1500*time.Millisecond, false), 429, `{"message": "You are being rate limited.", "retry_after": 1.5, "global": false}`, "2"},
		"429, global": {discordtest.RateLimited("", "", time.Second, true), 429, `{"message": "You are being rate limited.", "retry_after": 1, "global": true}`, "1"},
		"503":         {discordtest.Overloaded("", ""), 503, "upstream connect error or disconnect/reset before headers. reset reason: overflow", ""},
		"10015":       {discordtest.Refused("", "", discordtest.CodeUnknownWebhook), 404, `{"message": "Unknown Webhook", "code": 10015}`, ""},
		"200000":      {discordtest.Refused("", "", discordtest.CodeBlockedMessage), 400, `{"message": "Message was blocked by automatic moderation", "code": 200000}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			defer c.discord.Inject(tc.fault)()
			got := c.do("GET", "/gateway", "")
			if got.status != tc.status || got.text != tc.text || got.header.Get("Retry-After") != tc.retryAfter {
				t.Errorf("got %d %s, %v", got.status, got.text, got.header)
			}
			if global := name == "429, global"; got.header.Get("X-RateLimit-Global") != "" != global || (got.header.Get("X-RateLimit-Reset-After") != "") != (name == "429") {
				t.Errorf("the headers are %v", got.header)
			}
		})
	}
}

func TestCallsAndFailures(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.ExpectFailures()
	s.discord.ForgetCalls()
	events := make(chan discordtest.Event, 100)
	stop := s.discord.Observe(func(e discordtest.Event) { events <- e })
	_, e := s.message(`[]`)
	calls := s.discord.Calls()
	if len(calls) != 1 || calls[0].Route != discordtest.RouteCallback || calls[0].Method != "POST" || !strings.Contains(string(calls[0].Request), "hello") {
		t.Fatalf("calls %+v, want the callback alone", calls)
	}
	s.do("POST", e.path(), `{"type":5}`).want(t, 400, discordtest.CodeAlreadyAcknowledged)
	if f := s.discord.Failures(); len(f) != 1 || !strings.Contains(f[0].String(), "40060") || strings.Contains(f[0].String(), e.Token) {
		t.Errorf("failures %v", f)
	}
	var kinds []string
	for len(kinds) < 5 {
		select {
		case got := <-events:
			switch {
			case got.Dispatch != nil:
				kinds = append(kinds, got.Dispatch.Name)
			case got.Message != nil:
				kinds = append(kinds, "message to "+got.Message.VisibleTo)
			case got.Call != nil:
				kinds = append(kinds, fmt.Sprint(got.Call.Status))
			case got.Failure != nil:
				kinds = append(kinds, "failure")
			}
		case <-limit(t).Done():
			t.Fatalf("only %v was observed", kinds)
		}
	}
	if got, want := fmt.Sprint(kinds), fmt.Sprintf("[INTERACTION_CREATE message to %s 204 failure 400]", s.anna.ID); got != want {
		t.Errorf("observed %s, want %s", got, want)
	}
	stop()
}
