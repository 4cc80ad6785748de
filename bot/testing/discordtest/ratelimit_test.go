package discordtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

func TestRateLimits(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	general := s.general()
	for left := 4; left >= 0; left-- {
		got := s.do("POST", general, `{"content":"x"}`)
		got.want(t, 200, 0)
		if got.header.Get("X-RateLimit-Remaining") != fmt.Sprint(left) || got.header.Get("X-RateLimit-Limit") != "5" ||
			got.header.Get("X-RateLimit-Bucket") == "" || got.header.Get("X-RateLimit-Reset") == "" ||
			got.header.Get("X-RateLimit-Reset-After") != fmt.Sprintf("%.3f", 0.8*float64(5-left)) {
			t.Fatalf("with %d left: %v", left, got.header)
		}
	}
	limited := s.do("POST", general, `{"content":"x"}`)
	limited.want(t, 429, 0)
	if limited.body.RetryAfter != 0.8 || limited.body.Global || limited.header.Get("Retry-After") != "1" || limited.header.Get("X-RateLimit-Scope") != "user" {
		t.Errorf("got %s, %v", limited.text, limited.header)
	}
	other := s.discord.AddChannel("other")
	s.do("POST", messages(other.ID), `{"content":"x"}`).want(t, 200, 0)
	clock.Advance(800 * time.Millisecond) // one call has run out of the bucket, and no other
	s.do("POST", general, `{"content":"x"}`).want(t, 200, 0)
	s.do("POST", general, `{"content":"x"}`).want(t, 429, 0)
	clock.Advance(time.Second)

	for range 50 {
		s.do("GET", "/users/@me", "").want(t, 200, 0)
	}
	global := s.do("GET", "/users/@me", "")
	global.want(t, 429, 0)
	if !global.body.Global || global.header.Get("X-RateLimit-Global") != "true" || global.header.Get("X-RateLimit-Reset-After") != "" {
		t.Errorf("got %s, %v", global.text, global.header)
	}
	// What answers an interaction is not counted with the rest.
	s.message(`[]`)
}

// Callbacks have no limit. The calls after them have one for each interaction, which
// all its routes share.
func TestLimitsOfAnInteraction(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	_, e := s.command()
	callback := s.do("POST", e.path(), `{"type":4,"data":{"content":"x"}}`)
	callback.want(t, 204, 0)
	for name := range callback.header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			t.Errorf("a callback has the header %s", name)
		}
	}
	original := e.original(s.discord)
	used := []answer{
		s.do("GET", original, ""), s.do("PATCH", original, `{"content":"y"}`), s.do("POST", e.hook(s.discord), `{"content":"z"}`),
		s.do("PATCH", original, `{"content":"w"}`), s.do("DELETE", original, ""),
	}
	for i, got := range used {
		if got.status > 204 || got.header.Get("X-RateLimit-Remaining") != fmt.Sprint(4-i) || got.header.Get("X-RateLimit-Bucket") != used[0].header.Get("X-RateLimit-Bucket") {
			t.Errorf("call %d: %d %s, %v", i, got.status, got.text, got.header)
		}
	}
	if got := s.do("POST", e.hook(s.discord), `{"content":"z"}`); got.status != 429 || got.body.RetryAfter != 0.4 {
		t.Errorf("got %d %s", got.status, got.text)
	}
	_, other := s.command()
	s.do("POST", other.path(), `{"type":4,"data":{"content":"x"}}`).want(t, 204, 0)
	s.do("GET", other.original(s.discord), "").want(t, 200, 0)
	clock.Advance(400 * time.Millisecond)
	s.do("POST", e.hook(s.discord), `{"content":"z"}`).want(t, 200, 0)
}

// The headers do not tell of the limit of a channel's webhooks.
func TestHiddenLimitOfFollowUps(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	var e event
	follow := func() answer { return s.do("POST", e.hook(s.discord), `{"content":"x"}`) }
	for sent := range 30 {
		if sent%5 == 0 {
			_, e = s.command()
			s.do("POST", e.path(), `{"type":4,"data":{"content":"x"}}`).want(t, 204, 0)
		}
		follow().want(t, 200, 0)
	}
	clock.Advance(20 * time.Second)
	limited := follow()
	limited.want(t, 429, 0)
	if limited.body.RetryAfter != 40 || limited.header.Get("X-RateLimit-Scope") != "shared" || limited.header.Get("X-RateLimit-Remaining") != "4" {
		t.Errorf("got %s, %v", limited.text, limited.header)
	}
	s.do("PATCH", e.original(s.discord), `{"content":"y"}`).want(t, 200, 0)
	clock.Advance(40 * time.Second)
	follow().want(t, 200, 0)
}

// With the bot's token an answer to an interaction counts with all other calls
// (discord-api-docs#4142).
func TestAuthorizedAnswersCountToTheGlobalLimit(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.ExpectFailures() // answers that the limit refused come too late
	for _, authorized := range []bool{false, true} {
		refused := 0
		for range 60 {
			_, e := s.command()
			got, err := s.send("POST", e.path(), "application/json", `{"type":4,"data":{"content":"x"}}`, authorized)
			if err != nil {
				t.Fatal(err)
			}
			if got.status == 429 && got.body.Global {
				refused++
			}
		}
		if refused > 0 != authorized {
			t.Errorf("authorized %v: %d of 60 answers refused by the global limit", authorized, refused)
		}
	}
}

func TestLimitsOfReadingAndDeleting(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	s.discord.ExpectFailures() // there is no message 1 to delete
	posted := s.do("POST", s.general(), `{"content":"x"}`)
	message := s.general() + "/" + posted.body.ID
	for _, test := range []struct {
		method, path string
		allowed      int
		wait         time.Duration
	}{
		{"GET", s.general(), 5, time.Second},
		{"GET", message, 5, time.Second},
		{"DELETE", s.general() + "/1", 3, 334 * time.Millisecond},
		{"GET", "/gateway/bot", 2, 2500 * time.Millisecond},
	} {
		for range test.allowed {
			if got := s.do(test.method, test.path, ""); got.status == 429 {
				t.Fatalf("%s %s: refused early", test.method, test.path)
			}
		}
		got := s.do(test.method, test.path, "")
		got.want(t, 429, 0)
		if got.body.RetryAfter != test.wait.Seconds() || got.body.Global {
			t.Errorf("%s %s: %s", test.method, test.path, got.text)
		}
		clock.Advance(test.wait)
		if got := s.do(test.method, test.path, ""); got.status == 429 {
			t.Errorf("%s %s: refused after the wait", test.method, test.path)
		}
	}
}

// 10,000 invalid requests within ten minutes ban the address from everything. A 429 of
// the scope "shared" is none of them.
func TestTooManyInvalidRequests(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	s.discord.ExpectFailures()
	shared := discordtest.RateLimited("GET", "/users/@me", time.Second, false)
	shared.Header.Set("X-RateLimit-Scope", "shared")
	remove := s.discord.Inject(shared)
	s.do("GET", "/users/@me", "").want(t, 429, 0)
	remove()
	s.token = "wrong"
	invalid := func(n int) {
		for range n {
			s.do("GET", "/users/@me", "").want(t, 401, 0)
		}
	}
	invalid(100)
	if got := s.discord.InvalidRequests(); got != 100 {
		t.Fatalf("%d invalid requests are counted, want 100", got)
	}
	clock.Advance(10 * time.Minute)
	invalid(10_000)
	s.token = s.discord.Token()
	_, e := s.command()
	for _, path := range []string{"/users/@me", e.original(s.discord)} {
		got := s.do("GET", path, "")
		if got.status != 429 || got.text != "error code: 1015" || got.header.Get("Via") != "" {
			t.Errorf("GET %s while banned: %d %s", path, got.status, got.text)
		}
	}
	clock.Advance(time.Hour)
	s.do("GET", "/users/@me", "").want(t, 200, 0)
}
