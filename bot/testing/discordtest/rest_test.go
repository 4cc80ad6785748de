package discordtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"hostbot/bot/testing/discordtest"
)

func TestTokenIsAskedForExceptAtTheGateway(t *testing.T) {
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

func TestJSONWithoutABody(t *testing.T) {
	const refusal = `{"message": "The request body contains invalid JSON.", "code": 50109}`
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	_, e := s.command()
	s.do("POST", e.path(), `{"type":4,"data":{"content":"x"}}`).want(t, 204, 0)
	posted := s.general() + "/" + s.do("POST", s.general(), `{"content":"x"}`).body.ID
	original := e.original(s.discord)
	for _, test := range []struct {
		method, path string
		refused      bool
	}{
		{"DELETE", posted, true}, {"DELETE", original, true}, {"DELETE", "/nowhere", true},
		{"POST", s.general(), true}, {"PATCH", posted, true},
		{"GET", posted, false}, {"GET", original, false},
	} {
		for _, kind := range []string{"application/json", "application/json; charset=utf-8"} {
			got, err := s.tryTyped(test.method, test.path, kind, "")
			if err != nil || (got.text == refusal) != test.refused || (got.status == 400) != test.refused {
				t.Errorf("%s %s with %s: %d %s, %v", test.method, test.path, kind, got.status, got.text, err)
			}
		}
	}
	s.do("DELETE", posted, "").want(t, 204, 0)
	s.do("DELETE", original, "").want(t, 204, 0)
}

// TestHeadersAreJudged sends what Discord takes, or may, and no library sends.
func TestHeadersAreJudged(t *testing.T) {
	const form = "--x\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{\"content\":\"x\"}\r\n--x--\r\n"
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	posted := s.general() + "/" + s.do("POST", s.general(), `{"content":"x"}`).body.ID
	for _, test := range []struct {
		method, path, kind, body string
		status                   int
		failures                 int
	}{
		{"GET", posted, "", "", 200, 0},
		{"GET", posted, "application/octet-stream", "", 200, 0},
		{"GET", posted, "application/json", "", 200, 1},
		{"GET", posted, "multipart/form-data; boundary=x", "", 200, 1},
		{"GET", posted, "", `{}`, 200, 1},
		{"GET", "/gateway", "application/json", "", 200, 1},
		{"PATCH", posted, "application/json", `{"content":"y"}`, 200, 0},
		{"PATCH", posted, "application/json; charset=utf-8", `{"content":"y"}`, 200, 0},
		{"PATCH", posted, "application/json; charset", `{"content":"y"}`, 200, 1},
		{"PATCH", posted, "", `{"content":"y"}`, 400, 1},
		{"PATCH", posted, "text/plain", `{"content":"y"}`, 400, 1},
		{"POST", s.general(), "multipart/form-data; boundary=x", form, 200, 0},
		{"POST", s.general(), "multipart/form-data", form, 400, 2},
		{"DELETE", posted, "application/json", "{}", 204, 1},
	} {
		before := len(s.discord.Failures())
		got, err := s.tryTyped(test.method, test.path, test.kind, test.body)
		if n := len(s.discord.Failures()) - before; err != nil || got.status != test.status || n != test.failures {
			t.Errorf("%s %s with %q: %d %s, %v, failures: %v", test.method, test.body, test.kind, got.status, got.text, err, s.discord.Failures()[before:])
		}
	}

	chunked, err := http.NewRequestWithContext(t.Context(), "POST", s.discord.URL()+s.general(), io.MultiReader(strings.NewReader(`{"content":"z"}`)))
	if err != nil {
		t.Fatal(err)
	}
	chunked.Header = http.Header{"User-Agent": {testAgent}, "Authorization": {"Bot " + s.token}, "Content-Type": {"application/json"}}
	before := len(s.discord.Failures())
	response, err := s.http.Do(chunked)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if n := len(s.discord.Failures()) - before; response.StatusCode != 200 || n != 1 {
		t.Errorf("in chunks: %d, failures: %v", response.StatusCode, s.discord.Failures()[before:])
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
