package discordtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func TestWhoMayCall(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	c := newClient(t, discord)
	for _, path := range []string{"/gateway", "/gateway/bot", "/users/@me", "/applications/@me", "/oauth2/applications/@me"} {
		if got := c.do("GET", path, ""); got.status != 200 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
	c.do("GET", "/nowhere", "").want(t, 404, 0)
	c.token = "wrong"
	c.do("GET", "/users/@me", "").want(t, 401, 0)
	c.do("GET", "/gateway", "").want(t, 200, 0)
	c.token = ""
	c.do("GET", "/users/@me", "").want(t, 401, 0)
	c.do("GET", "/gateway", "").want(t, 200, 0)
}

func TestFaults(t *testing.T) {
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	general := discord.Channels()[0]
	path := "/channels/" + general.ID + "/messages"
	post := func(text string) (answer, error) { return c.try("POST", path, `{"content":"`+text+`"}`) }
	has := func(text string) bool {
		for _, m := range general.Messages() {
			if m.Contains(text) {
				return true
			}
		}
		return false
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
	t.Run("429", func(t *testing.T) {
		discord.Inject(withTimes(discordtest.RateLimited("", discordtest.RouteMessages, 1500*time.Millisecond, false), 1))
		got, err := post("limited")
		if err != nil || got.status != 429 || got.body.RetryAfter != 1.5 || got.header.Get("Retry-After") != "2" {
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
		waitForCall(t, discord, "POST", "hung")
		remove()
		if err := <-done; err == nil || has("hung") {
			t.Errorf("got %v", err)
		}
	})
}

func withTimes(f discordtest.Fault, times int) discordtest.Fault {
	f.Times = times
	return f
}

// waitForCall waits until a call with text in its body has begun.
func waitForCall(t *testing.T, discord *discordtest.Server, method, text string) {
	t.Helper()
	if _, err := discord.WaitCall(limit(t), func(c discordtest.Call) bool {
		return c.Method == method && strings.Contains(string(c.Request), text)
	}); err != nil {
		t.Fatal(err)
	}
}

// A delay passes on the server's clock.
func TestDelay(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	c := newClient(t, discord)
	discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Delay: time.Hour})
	done := make(chan answer, 1)
	go func() {
		got, _ := c.try("POST", "/channels/"+discord.Channels()[0].ID+"/messages", `{"content":"slow"}`)
		done <- got
	}()
	if err := clock.WaitTimers(limit(t), 1); err != nil {
		t.Fatal(err)
	}
	if n := len(discord.Channels()[0].Messages()); n != 0 {
		t.Errorf("%d messages before the delay was over", n)
	}
	clock.Advance(time.Hour)
	if got := <-done; got.status != 200 {
		t.Errorf("got %+v", got)
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

// A lean server keeps nothing of what was forgotten.
func TestLean(t *testing.T) {
	s := newStage(t, discordtest.Config{Lean: true, NoRateLimits: true})
	r, e := s.message(oneButton)
	if len(r.History()) != 0 || len(s.discord.Calls()) != 0 {
		t.Errorf("history %v, calls %v", r.History(), s.discord.Calls())
	}
	r.Forget()
	if n := len(s.anna.Messages()); n != 0 {
		t.Errorf("%d messages are left", n)
	}
	s.discord.ExpectFailures()
	s.do("GET", e.hook(s.discord)+"/messages/@original", "").want(t, 401, discordtest.CodeInvalidToken)
}
