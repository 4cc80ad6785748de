package discordtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func TestRateLimits(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock})
	general := s.general()
	for left := 4; left >= 0; left-- {
		got := s.do("POST", general, `{"content":"x"}`)
		got.want(t, 200, 0)
		if got.header.Get("X-RateLimit-Remaining") != fmt.Sprint(left) || got.header.Get("X-RateLimit-Limit") != "5" ||
			got.header.Get("X-RateLimit-Bucket") == "" || got.header.Get("X-RateLimit-Reset") == "" || got.header.Get("X-RateLimit-Reset-After") != "4.000" {
			t.Fatalf("with %d left: %v", left, got.header)
		}
	}
	limited := s.do("POST", general, `{"content":"x"}`)
	limited.want(t, 429, 0)
	if limited.body.RetryAfter != 4 || limited.body.Global || limited.header.Get("Retry-After") != "4" || limited.header.Get("X-RateLimit-Scope") != "user" {
		t.Errorf("got %s, %v", limited.text, limited.header)
	}
	other := s.discord.AddChannel("other")
	s.do("POST", messages(other.ID), `{"content":"x"}`).want(t, 200, 0)
	clock.Advance(4 * time.Second)
	s.do("POST", general, `{"content":"x"}`).want(t, 200, 0)

	for range 49 {
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
	if got := s.do("POST", e.hook(s.discord), `{"content":"z"}`); got.status != 429 || got.body.RetryAfter != 2 {
		t.Errorf("got %d %s", got.status, got.text)
	}
	_, other := s.command()
	s.do("POST", other.path(), `{"type":4,"data":{"content":"x"}}`).want(t, 204, 0)
	s.do("GET", other.original(s.discord), "").want(t, 200, 0)
	clock.Advance(2 * time.Second)
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
