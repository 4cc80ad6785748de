package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// TestThreadFromMessage starts a thread, which has its message's ID and stands in its channel.
func TestThreadFromMessage(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock, NoRateLimits: true})
	support := c.discord.AddChannel("support")
	support.Hide()
	card := c.do("POST", messages(support.ID), `{"content":"a card"}`).body.ID
	path := messages(support.ID) + "/" + card + "/threads"
	got := c.do("POST", path, `{"name":"Shop","auto_archive_duration":1440}`)
	got.want(t, 201, 0)
	if got.body.ID != card || !strings.Contains(got.text, `"parent_id":"`+support.ID+`"`) {
		t.Errorf("the thread is %s", got.text)
	}
	c.do("POST", path, `{"name":"Shop"}`).want(t, 400, discordtest.CodeThreadThere)

	all := c.discord.Channels()
	thread := all[len(all)-1]
	if thread.ID != card || thread.Name != "Shop" || thread.Parent().ID != support.ID || support.Parent() != nil {
		t.Errorf("the thread is %+v", thread)
	}
	c.do("POST", messages(thread.ID), `{"content":"an answer"}`).want(t, 200, 0)
	if seen := thread.Messages(); len(seen) != 2 || seen[0].Content != "a card" || seen[0].ThreadID != thread.ID {
		t.Errorf("the thread shows %+v", seen)
	}
	if n := len(support.Messages()); n != 1 {
		t.Errorf("its channel shows %d messages", n)
	}
	c.do("POST", messages(thread.ID)+"/"+card+"/threads", `{"name":"x"}`).want(t, 400, discordtest.CodeWrongChannelType)
	clock.Advance(25 * time.Hour)
	if text := c.do("GET", "/channels/"+thread.ID, "").text; !strings.Contains(text, `"archived":true`) {
		t.Errorf("a day later the thread is %s", text)
	}
	if f := c.discord.Failures(); len(f) != 0 {
		t.Errorf("mistakes: %v", f)
	}
}

// TestThreadsThatAreRefused: what is no message, no place for a thread, or not allowed.
func TestThreadsThatAreRefused(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	support := c.discord.AddChannel("support")
	card := c.do("POST", messages(support.ID), `{"content":"a card"}`).body.ID
	path := messages(support.ID) + "/" + card + "/threads"
	for _, body := range []string{
		`{}`, `{"name":""}`, `{"name":"` + strings.Repeat("x", 101) + `"}`, `{"name":"x","auto_archive_duration":90}`, `{"name":"x","rate_limit_per_user":21601}`,
	} {
		c.do("POST", path, body).want(t, 400, discordtest.CodeInvalidForm)
	}
	c.do("POST", messages(support.ID)+"/1/threads", `{"name":"x"}`).want(t, 404, discordtest.CodeUnknownMessage)
	support.Deny(discordtest.CreatePublicThreads)
	c.do("POST", path, `{"name":"x"}`).want(t, 403, discordtest.CodeMissingPermissions)
	support.Grant(discordtest.CreatePublicThreads)
	support.Allow(discordtest.MissingAccess)
	c.do("POST", path, `{"name":"x"}`).want(t, 403, discordtest.CodeMissingAccess)
	support.Allow(discordtest.Forum)
	c.do("POST", path, `{"name":"x"}`).want(t, 400, discordtest.CodeWrongChannelType)
	if n := len(c.discord.Channels()); n != 2 {
		t.Errorf("%d channels, want no thread", n)
	}
}

// TestThreadsAreLimitedTogether counts the threads of all channels of a guild, and not those of another.
func TestThreadsAreLimitedTogether(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock})
	in := func(ch *discordtest.Channel) answer {
		card := c.do("POST", messages(ch.ID), `{"content":"a card"}`).body.ID
		clock.Advance(time.Second)
		return c.do("POST", messages(ch.ID)+"/"+card+"/threads", `{"name":"x"}`)
	}
	for i := range 50 {
		in(c.discord.AddChannel(strings.Repeat("x", i+1))).want(t, 201, 0)
	}
	last := in(c.discord.AddChannel("another"))
	last.want(t, 429, 0)
	if last.header.Get("X-RateLimit-Scope") != "shared" || last.body.Global || last.body.RetryAfter != 250 {
		t.Errorf("got %s, %v", last.text, last.header)
	}
	elsewhere := c.discord.AddForeignChannel("elsewhere")
	c.discord.Invite(elsewhere.GuildID())
	in(elsewhere).want(t, 201, 0)
	clock.Advance(250 * time.Second)
	in(c.discord.AddChannel("another")).want(t, 201, 0)
}
