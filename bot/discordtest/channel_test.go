package discordtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func TestChannelStates(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	c := newClient(t, discord)
	log := discord.AddChannel("log")
	path := "/channels/" + log.ID + "/messages"
	id := c.do("POST", path, `{"content":"one"}`).body.ID
	type result struct{ status, code int }
	ok, none := result{200, 0}, result{403, discordtest.CodeMissingPermissions}
	hidden, gone := result{403, discordtest.CodeMissingAccess}, result{404, discordtest.CodeUnknownChannel}
	archived := result{400, discordtest.CodeThreadArchived}

	for name, tc := range map[string]struct {
		access                 discordtest.Access
		edit, list, read, post result
	}{
		"full access":          {discordtest.FullAccess, ok, ok, ok, ok},
		"missing access":       {discordtest.MissingAccess, hidden, hidden, hidden, hidden},
		"missing permissions":  {discordtest.MissingPermissions, ok, ok, ok, none},
		"no thread permission": {discordtest.MissingThreadPermission, ok, ok, ok, none},
		"no history":           {discordtest.NoHistory, ok, ok, none, ok},
		"archived":             {discordtest.Archived, archived, ok, ok, ok},
		"locked":               {discordtest.Locked, archived, ok, ok, archived},
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

	log.Allow(discordtest.NoHistory)
	if got := c.do("GET", path, ""); got.text != "[]" {
		t.Errorf("without history the bot reads %s", got.text)
	}
	log.Allow(discordtest.Archived)
	c.do("DELETE", path+"/"+c.do("POST", path, `{"content":"opened again"}`).body.ID, "").want(t, 204, 0)
	log.Allow(discordtest.Locked)
	c.do("DELETE", path+"/"+id, "").want(t, 400, discordtest.CodeThreadArchived)
	log.Allow(discordtest.Archived)
	c.do("DELETE", path+"/"+id, "").want(t, 204, 0)
	log.Allow(discordtest.FullAccess)
	discord.ExpectFailures()
	c.do("GET", path+"/"+id, "").want(t, 404, discordtest.CodeUnknownMessage)
	c.do("PATCH", path+"/"+id, `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownMessage)
	c.do("POST", "/channels/1/messages", `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownChannel)
}

// By the channel's routes an ephemeral message can be read but not changed.
func TestEphemeralInTheChannel(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.ExpectFailures()
	r, _ := s.message(`[]`)
	path := "/channels/" + s.anna.ChannelID() + "/messages"
	s.do("GET", path+"/"+r.View().ID, "").want(t, 200, 0)
	s.do("PATCH", path+"/"+r.View().ID, `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownMessage)
	s.do("DELETE", path+"/"+r.View().ID, "").want(t, 404, discordtest.CodeUnknownMessage)
	if got := s.do("GET", path, ""); got.text != "[]" {
		t.Errorf("got %s", got.text)
	}
}

// In a thread that is closed and locked an interaction cannot be answered.
func TestCommandInALockedThread(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.Channels()[0].Allow(discordtest.Locked)
	_, e := s.command()
	s.do("POST", e.path(), `{"type":4,"data":{"content":"x"}}`).want(t, 400, discordtest.CodeThreadArchived)
}

func TestDMs(t *testing.T) {
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	anna := discord.User("anna", discordtest.ClosedDMs())
	opened := c.do("POST", "/users/@me/channels", `{"recipient_id":"`+anna.ID+`"}`)
	opened.want(t, 200, 0)
	path := "/channels/" + opened.body.ID + "/messages"
	c.do("POST", path, `{"content":"x"}`).want(t, 403, discordtest.CodeCannotMessageUser)
	anna.CloseDMs(false)
	c.do("POST", path, `{"content":"x"}`).want(t, 200, 0)

	discord.ExpectFailures()
	c.do("POST", "/users/@me/channels", `{"recipient_id":"`+discord.ApplicationID()+`"}`).want(t, 400, discordtest.CodeCannotMessageUser)
}

func TestEditsOfOldMessages(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	c := newClient(t, discord)
	path := "/channels/" + discord.Channels()[0].ID + "/messages"
	got := c.do("POST", path, `{"content":"x"}`)
	clock.Advance(time.Hour + time.Second)
	for range 3 {
		c.do("PATCH", path+"/"+got.body.ID, `{"content":"y"}`).want(t, 200, 0)
	}
	limited := c.do("PATCH", path+"/"+got.body.ID, `{"content":"y"}`)
	limited.want(t, 429, discordtest.CodeOldMessageEdits)
	if limited.body.RetryAfter <= 0 || !strings.Contains(limited.body.Message, "older than 1 hour") {
		t.Errorf("got %s", limited.text)
	}
	fresh := c.do("POST", path, `{"content":"x"}`)
	c.do("PATCH", path+"/"+fresh.body.ID, `{"content":"y"}`).want(t, 200, 0)
}

// contents returns the contents of a list of messages.
func (a answer) contents(t *testing.T) string {
	t.Helper()
	a.want(t, 200, 0)
	var list []struct{ Content string }
	if err := json.Unmarshal([]byte(a.text), &list); err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for _, m := range list {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, " ")
}

func TestHistoryIsReadInPages(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still(), NoRateLimits: true})
	c := newClient(t, discord)
	path := "/channels/" + discord.Channels()[0].ID + "/messages"
	ids := []string{}
	for i := range 6 {
		ids = append(ids, c.do("POST", path, fmt.Sprintf(`{"content":"m%d"}`, i)).body.ID)
	}
	for query, want := range map[string]string{
		"":                             "m5 m4 m3 m2 m1 m0",
		"?limit=2":                     "m5 m4",
		"?before=" + ids[3]:            "m2 m1 m0",
		"?limit=2&before=" + ids[3]:    "m2 m1",
		"?after=" + ids[3]:             "m5 m4",
		"?limit=2&after=" + ids[1]:     "m3 m2",
		"?after=" + ids[5]:             "",
		"?before=" + ids[0]:            "",
		"?limit=100&after=1":           "m5 m4 m3 m2 m1 m0",
		"?before=18446744073709551615": "m5 m4 m3 m2 m1 m0",
	} {
		if got := c.do("GET", path+query, "").contents(t); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	discord.ExpectFailures()
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "before=x", "after=-1", "before=2&after=1", "around=1"} {
		c.do("GET", path+"?"+query, "").want(t, 400, discordtest.CodeInvalidForm)
	}
}

// What people write is theirs, and mostly none of the bot's business.
func TestMessagesOfPeople(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still(), NoRateLimits: true})
	c := newClient(t, discord)
	anna, general := discord.User("anna"), discord.Channels()[0]
	path := "/channels/" + general.ID + "/messages"
	said := anna.Say("a secret")
	if seen := general.WaitFor(t, "a secret"); seen.AuthorID != anna.ID {
		t.Errorf("written by %s, want anna", seen.AuthorID)
	}
	anna.Say("hello <@" + discord.ApplicationID() + ">")
	c.do("POST", path, `{"content":"own"}`).want(t, 200, 0)
	if got, want := c.do("GET", path, "").contents(t), "own hello <@"+discord.ApplicationID()+"> "; got != want {
		t.Errorf("the bot reads %q, want %q", got, want)
	}
	if got := c.do("GET", path+"/"+said.ID, ""); got.status != 200 || got.body.Content != "" {
		t.Errorf("the bot reads %s", got.text)
	}
	discord.ExpectFailures()
	c.do("PATCH", path+"/"+said.ID, `{"content":"x"}`).want(t, 403, discordtest.CodeNotTheAuthor)
	c.do("DELETE", path+"/"+said.ID, "").want(t, 403, discordtest.CodeMissingPermissions)

	anna.InDM().Say("in private")
	if got := c.do("GET", "/channels/"+anna.InDM().ChannelID()+"/messages", "").contents(t); got != "in private" {
		t.Errorf("the bot reads %q", got)
	}
}

func TestMessagesAndEmbedsAreCounted(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	c := newClient(t, discord)
	log := discord.AddChannel("log")
	path := "/channels/" + log.ID + "/messages"
	type result struct {
		views  []discordtest.View
		embeds []discordtest.Embed
		err    error
	}
	done := make(chan result, 1)
	go func() {
		views, err := log.AwaitMessages(limit(t), 2)
		embeds, embedsErr := log.AwaitEmbeds(limit(t), 3)
		done <- result{views, embeds, errors.Join(err, embedsErr)}
	}()
	first := c.do("POST", path, `{"embeds":[{"title":"a"},{"title":"b"}]}`)
	c.do("POST", path, `{"content":"none"}`).want(t, 200, 0)
	c.do("POST", path, `{"embeds":[{"title":"c"}]}`).want(t, 200, 0)
	got := <-done
	if got.err != nil || len(got.views) < 2 || got.views[0].ID != first.body.ID {
		t.Errorf("got %+v", got)
	}
	titles := ""
	for _, e := range got.embeds {
		titles += e.Title
	}
	if titles != "abc" || len(log.WaitForEmbeds(t, 3)) != 3 || len(log.Embeds()) != 3 {
		t.Errorf("embeds %q, %d in all", titles, len(log.Embeds()))
	}
	over, cancel := context.WithCancel(limit(t))
	cancel()
	if seen, err := log.AwaitMessages(over, 4); !errors.Is(err, context.Canceled) || len(seen) != 3 {
		t.Errorf("waiting for one too many: %d messages, %v", len(seen), err)
	}
}
