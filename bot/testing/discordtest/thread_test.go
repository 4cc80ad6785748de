package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// TestThreadsAreArchivedByTime lets an hour pass over a thread. Only a message keeps it open
// or opens it again, unless it is locked.
func TestThreadsAreArchivedByTime(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock, NoRateLimits: true})
	thread := c.discord.AddThread("help", time.Hour)
	path := messages(thread.ID)
	id := c.do("POST", path, `{"content":"one"}`).body.ID
	shows := func(what string) {
		t.Helper()
		if got := c.do("GET", "/channels/"+thread.ID, ""); !strings.Contains(got.text, what) || !strings.Contains(got.text, `"auto_archive_duration":60`) {
			t.Errorf("the thread is %s, without %s", got.text, what)
		}
	}
	edit := func() answer {
		t.Helper()
		return c.do("PATCH", path+"/"+id, `{"content":"one, changed"}`)
	}
	clock.Advance(30 * time.Minute)
	edit().want(t, 200, 0)
	clock.Advance(29 * time.Minute)
	shows(`"archived":false`)
	clock.Advance(time.Minute)
	edit().want(t, 400, discordtest.CodeThreadArchived)
	shows(`"archived":true`)

	second := c.do("POST", path, `{"content":"two"}`)
	second.want(t, 200, 0)
	shows(`"archived":false`)
	edit().want(t, 200, 0)
	clock.Advance(30 * time.Minute)
	c.discord.User("anna").In(thread).Say("hello")
	clock.Advance(59 * time.Minute)
	edit().want(t, 200, 0)

	clock.Advance(time.Minute)
	c.do("DELETE", path+"/"+second.body.ID, "").want(t, 204, 0)
	edit().want(t, 400, discordtest.CodeThreadArchived)
	c.discord.User("anna").In(thread).Say("hello again")
	edit().want(t, 200, 0)

	thread.Allow(discordtest.Locked)
	c.do("POST", path, `{"content":"three"}`).want(t, 400, discordtest.CodeThreadArchived)
	thread.Allow(discordtest.FullAccess)
	clock.Advance(59 * time.Minute)
	edit().want(t, 200, 0)
	if f := c.discord.Failures(); len(f) != 0 {
		t.Errorf("a thread's age counts as the bot's mistake: %v", f)
	}
}
