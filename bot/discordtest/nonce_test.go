package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func TestNonces(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock, NoRateLimits: true})
	c := newClient(t, discord)
	general := discord.Channels()[0]
	path := "/channels/" + general.ID + "/messages"
	post := func(nonce, enforce string) answer {
		t.Helper()
		got := c.do("POST", path, `{"content":"x","nonce":`+nonce+`,"enforce_nonce":`+enforce+`}`)
		got.want(t, 200, 0)
		return got
	}
	first := post(`"a"`, "true")
	if !strings.Contains(first.text, `"nonce":"a"`) {
		t.Errorf("the answer does not tell the nonce: %s", first.text)
	}
	if got := c.do("GET", path+"/"+first.body.ID, ""); strings.Contains(got.text, "nonce") {
		t.Errorf("the nonce is told later: %s", got.text)
	}
	clock.Advance(2 * time.Minute)
	if again := post(`"a"`, "true"); again.body.ID != first.body.ID || again.text != first.text {
		t.Errorf("got %s, want the first message", again.text)
	}
	if n := len(general.Messages()); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
	number := post("7", "true")
	if again := post("7", "true"); again.body.ID != number.body.ID {
		t.Error("a number is no nonce")
	}

	seen := map[string]bool{first.body.ID: true, number.body.ID: true}
	unseen := func(why string, got answer) {
		t.Helper()
		if seen[got.body.ID] {
			t.Errorf("%s: no new message was made", why)
		}
		seen[got.body.ID] = true
	}
	unseen("another nonce", post(`"b"`, "true"))
	unseen("not enforced", post(`"a"`, "false"))
	unseen("no nonce", post("null", "true"))
	unseen("still no nonce", post("null", "true"))
	clock.Advance(3*time.Minute + time.Second)
	unseen("long ago", post(`"a"`, "true"))

	discord.ExpectFailures()
	for _, nonce := range []string{`"` + x(26) + `"`, "1.5", "true", "[]"} {
		got := c.do("POST", path, `{"content":"x","nonce":`+nonce+`}`)
		got.want(t, 400, discordtest.CodeInvalidForm)
		if general.Messages()[0].ID != first.body.ID || len(general.Messages()) != len(seen) {
			t.Errorf("nonce %s: a message was made", nonce)
		}
	}
}

// A lost answer is why there are nonces.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	c := newClient(t, discord)
	general := discord.Channels()[0]
	const body = `{"content":"once","nonce":"n","enforce_nonce":true}`
	discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Times: 1, Status: 502, After: true})
	if got := c.do("POST", "/channels/"+general.ID+"/messages", body); got.status != 502 {
		t.Fatalf("got %d", got.status)
	}
	again := c.do("POST", "/channels/"+general.ID+"/messages", body)
	again.want(t, 200, 0)
	if m := general.WaitForMessages(t, 1); len(m) != 1 || m[0].ID != again.body.ID {
		t.Errorf("messages %+v, want the one that was answered the second time", m)
	}
}

// Discord does not create again what somebody has deleted.
func TestNonceOfADeletedMessage(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	c := newClient(t, discord)
	path := "/channels/" + discord.Channels()[0].ID + "/messages"
	const body = `{"content":"once","nonce":"n","enforce_nonce":true}`
	first := c.do("POST", path, body)
	first.want(t, 200, 0)
	c.do("DELETE", path+"/"+first.body.ID, "").want(t, 204, 0)
	got := c.do("POST", path, body)
	got.want(t, 404, discordtest.CodeUnknownMessage)
	if got.body.Message != "Unknown Message" || len(discord.Channels()[0].Messages()) != 0 {
		t.Errorf("got %s", got.text)
	}
	clock.Advance(3*time.Minute + time.Second)
	c.do("POST", path, body).want(t, 200, 0)
}
