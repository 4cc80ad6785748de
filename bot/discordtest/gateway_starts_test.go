package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func TestIdentifiesAreLimited(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock, LimitIdentifies: true})
	dial(t, discord).identify()
	w := dial(t, discord)
	w.send(identifyTestToken)
	if p := w.read(); p.Op != 9 || string(p.Data) != "false" {
		t.Errorf("got op %d %s, want op 9 false", p.Op, p.Data)
	}
	clock.Advance(5 * time.Second)
	w.identify()
}

func TestSessionStartsRunOut(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	c := newClient(t, discord)
	for _, step := range []struct {
		exhausted, passes time.Duration
		want              string
	}{
		{want: `"remaining":1000,"reset_after":0`},
		{exhausted: time.Minute, want: `"remaining":0,"reset_after":60000`},
		{passes: time.Minute, want: `"remaining":1000,`},
	} {
		if step.exhausted > 0 {
			discord.ExhaustSessions(step.exhausted)
		}
		clock.Advance(step.passes)
		if a := c.do("GET", "/gateway/bot", ""); !strings.Contains(a.text, step.want) {
			t.Errorf("got %s, want %s", a.text, step.want)
		}
	}
}

// IDENTIFYs of a day are counted, RESUMEs are not.
func TestSessionStartsAreCounted(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	c := newClient(t, discord)
	discord.SetShards(3)
	discord.SetSessionStartLimit(discordtest.SessionStartLimit{Total: 2000, Remaining: 7, ResetAfter: time.Hour, MaxConcurrency: 16})
	said := func(want string) {
		t.Helper()
		if a := c.do("GET", "/gateway/bot", ""); !strings.Contains(a.text, want) {
			t.Errorf("got %s, want %s", a.text, want)
		}
	}
	said(`"max_concurrency":16,"remaining":7,"reset_after":3600000,"total":2000},"shards":3`)
	id := dial(t, discord).identify()
	said(`"remaining":6,"reset_after":3600000`)
	discord.Drop()
	w := dial(t, discord)
	w.resume(id, 1)
	if p := w.read(); p.Type != "RESUMED" {
		t.Fatalf("got %+v", p)
	}
	clock.Advance(time.Minute)
	said(`"remaining":6,"reset_after":3540000`)
	clock.Advance(time.Hour)
	said(`"remaining":2000,"reset_after":0`)
	dial(t, discord).identify()
	clock.Advance(time.Hour)
	said(`"remaining":1999,"reset_after":82800000`)
}

// An IDENTIFY too many costs the bot its token.
func TestTooManySessionStarts(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	discord.SetSessionStartLimit(discordtest.SessionStartLimit{Total: 1000, Remaining: 1, ResetAfter: time.Hour})
	first := dial(t, discord)
	first.identify()
	second := dial(t, discord)
	second.send(identifyTestToken)
	if code := second.closed(); code != 4004 {
		t.Errorf("closed with %d", code)
	}
	if code := first.closed(); code != 4004 {
		t.Errorf("the other session was closed with %d", code)
	}
	newClient(t, discord).do("GET", "/users/@me", "").want(t, 401, 0)
	if len(discord.Failures()) == 0 {
		t.Error("no rule was broken")
	}
}
