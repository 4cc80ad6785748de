package discordtest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

func TestChannelStates(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	log := c.discord.AddChannel("log")
	path := messages(log.ID)
	id := c.do("POST", path, `{"content":"one"}`).body.ID
	type result struct{ status, code int }
	ok, none := result{200, 0}, result{403, discordtest.CodeMissingPermissions}
	hidden, gone := result{403, discordtest.CodeMissingAccess}, result{404, discordtest.CodeUnknownChannel}
	archived, locked := result{400, discordtest.CodeThreadArchived}, result{400, discordtest.CodeThreadLocked}
	forum, newPost := result{400, discordtest.CodeNeedsThread}, result{403, discordtest.CodeNeedsThread}

	for name, tc := range map[string]struct {
		access                 discordtest.Access
		edit, list, read, post result
	}{
		"full access":          {discordtest.FullAccess, ok, ok, ok, ok},
		"missing access":       {discordtest.MissingAccess, hidden, hidden, hidden, hidden},
		"missing permissions":  {discordtest.MissingPermissions, ok, ok, ok, none},
		"no thread permission": {discordtest.MissingThreadPermission, ok, ok, ok, hidden},
		"no history":           {discordtest.NoHistory, ok, ok, none, ok},
		"archived":             {discordtest.Archived, archived, ok, ok, ok},
		"locked":               {discordtest.Locked, archived, ok, ok, archived},
		"locked alone":         {discordtest.LockedOpen, locked, ok, ok, locked},
		"forum":                {discordtest.Forum, ok, ok, ok, forum},
		"new post":             {discordtest.NewPost, ok, ok, ok, newPost},
		"gone":                 {discordtest.Gone, gone, gone, gone, gone},
	} {
		t.Run(name, func(t *testing.T) {
			log.Allow(tc.access)
			c.do("PATCH", path+"/"+id, `{"content":"one, changed"}`).want(t, tc.edit.status, tc.edit.code)
			c.do("GET", path, "").want(t, tc.list.status, tc.list.code)
			c.do("GET", path+"/"+id, "").want(t, tc.read.status, tc.read.code)
			c.do("POST", path, `{"content":"two"}`).want(t, tc.post.status, tc.post.code)
		})
	}

	if f := c.discord.Failures(); len(f) != 0 {
		t.Errorf("a channel's state counts as the bot's mistake: %v", f)
	}
	c.discord.ExpectFailures()
	log.Allow(discordtest.NoHistory)
	if got := c.do("GET", path, ""); got.text != "[]" {
		t.Errorf("without history the bot reads %s", got.text)
	}
	log.Allow(discordtest.FullAccess)
	c.do("DELETE", path+"/"+id, "").want(t, 204, 0)
	c.do("GET", path+"/"+id, "").want(t, 404, discordtest.CodeUnknownMessage)
	c.do("PATCH", path+"/"+id, `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownMessage)
	c.do("POST", messages("1"), `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownChannel)
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "before=x", "after=-1", "before=2&after=1", "around=1"} {
		c.do("GET", path+"?"+query, "").want(t, 400, discordtest.CodeInvalidForm)
	}
}

// TestLockedThreads: a locked thread takes from who may manage threads what any other takes.
func TestLockedThreads(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	log := c.discord.AddChannel("log")
	path := messages(log.ID)
	id, other := c.do("POST", path, `{"content":"one"}`).body.ID, c.do("POST", path, `{"content":"two"}`).body.ID
	log.Allow(discordtest.Locked)
	c.do("DELETE", path+"/"+id, "").want(t, 400, discordtest.CodeThreadArchived)
	log.Allow(discordtest.LockedOpen)
	c.do("DELETE", path+"/"+id, "").want(t, 204, 0)

	log.Grant(discordtest.ManageThreads)
	c.do("PATCH", path+"/"+other, `{"content":"two, changed"}`).want(t, 200, 0)
	c.do("POST", path, `{"content":"three"}`).want(t, 200, 0)
	log.Allow(discordtest.Locked)
	c.do("PATCH", path+"/"+other, `{"content":"two, changed"}`).want(t, 400, discordtest.CodeThreadArchived)
	c.do("POST", path, `{"content":"four"}`).want(t, 200, 0)
	c.do("PATCH", path+"/"+other, `{"content":"two, as the thread is open again"}`).want(t, 200, 0)
	c.do("DELETE", path+"/"+other, "").want(t, 204, 0)
}

func TestNonces(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock, NoRateLimits: true})
	post := func(nonce, enforce string) answer {
		t.Helper()
		return c.do("POST", c.general(), `{"content":"x","nonce":`+nonce+`,"enforce_nonce":`+enforce+`}`)
	}
	first := post(`"a"`, "true")
	first.want(t, 200, 0)
	if !strings.Contains(first.text, `"nonce":"a"`) {
		t.Errorf("the answer does not tell the nonce: %s", first.text)
	}
	if got := c.do("GET", c.general()+"/"+first.body.ID, ""); strings.Contains(got.text, "nonce") {
		t.Errorf("the nonce is told later: %s", got.text)
	}
	ids := []string{first.body.ID, post("7", "true").body.ID}
	clock.Advance(2 * time.Minute)
	if again := post(`"a"`, "true"); again.text != first.text {
		t.Errorf("got %s, want the first message", again.text)
	}
	if again := post("7", "true"); again.body.ID != ids[1] {
		t.Error("a number is no nonce")
	}
	for _, tc := range []struct{ why, nonce, enforce string }{
		{"another nonce", `"b"`, "true"}, {"not enforced", `"a"`, "false"}, {"no nonce", "null", "true"}, {"still no nonce", "null", "true"},
	} {
		got := post(tc.nonce, tc.enforce)
		got.want(t, 200, 0)
		if slices.Contains(ids, got.body.ID) {
			t.Errorf("%s: no new message was made", tc.why)
		}
		ids = append(ids, got.body.ID)
	}

	// Discord does not create again what somebody has deleted, until it has forgotten.
	c.do("DELETE", c.general()+"/"+ids[1], "").want(t, 204, 0)
	post("7", "true").want(t, 404, discordtest.CodeUnknownMessage)
	clock.Advance(3*time.Minute + time.Second)
	post("7", "true").want(t, 200, 0)

	c.discord.ExpectFailures()
	for _, nonce := range []string{`"` + x(26) + `"`, "1.5", "true", "[]"} {
		post(nonce, "true").want(t, 400, discordtest.CodeInvalidForm)
	}
	if n := len(c.discord.Channels()[0].Messages()); n != len(ids) {
		t.Errorf("%d messages, want %d", n, len(ids))
	}
}

func TestDMs(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	anna := c.discord.User("anna").InDM()
	open := func(recipient string) answer {
		t.Helper()
		return c.do("POST", "/users/@me/channels", `{"recipient_id":`+recipient+`}`)
	}
	for _, id := range []string{anna.ID, `"` + anna.ID + `"`} {
		opened := open(id)
		opened.want(t, 200, 0)
		if opened.body.ID != anna.ChannelID() {
			t.Errorf("opened %s, want %s", opened.body.ID, anna.ChannelID())
		}
	}
	path := messages(anna.ChannelID())
	anna.CloseDMs(true)
	open(anna.ID).want(t, 200, 0)
	c.do("POST", path, `{"content":"x"}`).want(t, 403, discordtest.CodeNoWayToUser)
	anna.CloseDMs(false)
	anna.Block(true)
	open(anna.ID).want(t, 200, 0)
	c.do("POST", path, `{"content":"x"}`).want(t, 403, discordtest.CodeCannotMessageUser)
	anna.Block(false)
	c.do("POST", path, `{"content":"hello"}`).want(t, 200, 0)
	if seen := anna.Messages(); len(seen) != 1 || seen[0].Content != "hello" {
		t.Errorf("anna sees %+v", seen)
	}

	c.discord.ExpectFailures()
	open(c.discord.ApplicationID()).want(t, 400, discordtest.CodeCannotMessageUser)
	open("123456789012345678").want(t, 404, discordtest.CodeUnknownUser)
	for _, id := range []string{`""`, `-1`, `1.5`, `{}`} {
		open(id).want(t, 400, discordtest.CodeInvalidForm)
	}
}
