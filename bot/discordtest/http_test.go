package discordtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hostbot/bot/discordtest"
)

func TestErrorsAreWrittenAsPythonDoes(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.ExpectFailures()
	path := "/channels/" + s.discord.Channels()[0].ID + "/messages"
	for body, want := range map[string]string{
		`{"content":""}`: `{"message": "Cannot send an empty message", "code": 50006}`,
		`{"content"`:     `{"message": "The request body contains invalid JSON.", "code": 50109}`,
		`{"flags":1}`: `{"message": "Invalid Form Body", "code": 50035, "errors": {"flags": {"_errors": ` +
			`[{"code": "BASE_TYPE_CHOICES", "message": "Flags 1 cannot be set here."}]}}}`,
	} {
		if got := s.do("POST", path, body); got.text != want {
			t.Errorf("got  %s\nwant %s", got.text, want)
		}
	}
	for range 50 {
		s.do("GET", "/users/@me", "")
	}
	limited := s.do("GET", "/users/@me", "")
	if limited.text != `{"message": "You are being rate limited.", "retry_after": 1, "global": true}` {
		t.Errorf("got %s", limited.text)
	}
}

func TestUsualHeaders(t *testing.T) {
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	if h := c.do("GET", "/gateway", "").header; h.Get("Via") != "1.1 google" || h.Get("Server") != "cloudflare" || h.Get("CF-RAY") == "" || h.Get("CF-Cache-Status") != "DYNAMIC" {
		t.Errorf("got %v", h)
	}
}

func TestUserAgents(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	c := newClient(t, discord)
	for agent, status := range map[string]int{
		"DiscordBot (https://github.com/bwmarrin/discordgo, v0.29.0)":                       200,
		"DiscordBot (https://discord.js.org, 2.6.0) Node.js/22.11.0":                        200,
		"DiscordBot (https://github.com/Rapptz/discord.py 2.4.0) Python/3.12 aiohttp/3.9.1": 200,
		"DiscordBot (https://github.com/disgoorg/disgo, v0.19.0)":                           200,
		"":                       403,
		"Go-http-client/1.1":     403,
		"DiscordBot":             403,
		"DiscordBot ()":          403,
		"Mozilla/5.0 DiscordBot": 403,
	} {
		c.agent = agent
		for _, path := range []string{"/gateway", "/gateway/bot", "/users/@me"} {
			got := c.do("GET", path, "")
			if got.status != status {
				t.Errorf("%q gets %d from %s", agent, got.status, path)
			}
			if status == 403 && (got.text != `{"message": "internal network error", "code": 40333}` || got.header.Get("Via") != "") {
				t.Errorf("%q gets %s, %v", agent, got.text, got.header)
			}
		}
	}

	c = newClient(t, discordtest.RunT(t, discordtest.Config{BlockPage: true}))
	c.agent = ""
	c.discord.ExpectFailures()
	if got := c.do("GET", "/gateway/bot", ""); got.status != 403 || !strings.HasPrefix(got.text, "<!DOCTYPE html>") {
		t.Errorf("got %d %s", got.status, got.text)
	}
	c = newClient(t, discordtest.RunT(t, discordtest.Config{AnyUserAgent: true}))
	c.agent = ""
	c.do("GET", "/gateway/bot", "").want(t, 200, 0)
}

// discord.py answers interactions without naming itself.
func TestUserAgentsOfAnswers(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := newClient(t, discordtest.RunT(t, discordtest.Config{StrictUserAgent: strict}))
		c.discord.ExpectFailures()
		c.agent = "Python/3.11 aiohttp/3.8.4"
		for _, path := range []string{"/interactions/1/x/callback", "/webhooks/" + c.discord.ApplicationID() + "/x"} {
			if got := c.do("POST", path, `{"type":6}`); (got.body.Code == discordtest.CodeBlocked) != strict {
				t.Errorf("strict %v: %s answers %s", strict, path, got.text)
			}
		}
	}
}

// Some libraries tell the gateway no User-Agent, and it lets them in.
func TestUserAgentsAtTheGateway(t *testing.T) {
	dial(t, discordtest.RunT(t))

	strict := discordtest.RunT(t, discordtest.Config{StrictUserAgent: true})
	strict.ExpectFailures()
	_, response, err := websocket.DefaultDialer.Dial(strict.GatewayURL()+"/?v=10&encoding=json", nil)
	if err == nil || response == nil || response.StatusCode != 403 {
		t.Fatalf("got %+v, %v", response, err)
	}
	if body, _ := io.ReadAll(response.Body); string(body) != `{"message": "internal network error", "code": 40333}` {
		t.Errorf("got %s", body)
	}
	conn, response, err := websocket.DefaultDialer.Dial(strict.GatewayURL()+"/?v=10&encoding=json", http.Header{"User-Agent": {testAgent}})
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	_ = conn.Close()
}

// What the ready-made faults answer is what was seen of Discord.
func TestFaultAnswers(t *testing.T) {
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	for name, tc := range map[string]struct {
		fault      discordtest.Fault
		status     int
		text       string // the beginning
		retryAfter string
		via        string
	}{
		"429":              {discordtest.RateLimited("", "", 1500*time.Millisecond, false), 429, `{"message": "You are being rate limited.", "retry_after": 1.5, "global": false}`, "2", "1.1 google"},
		"429, disagreeing": {discordtest.DisagreeingLimit("", ""), 429, `{"message": "The write action you are performing on the channel has hit the write rate limit.", "retry_after": 1163.097, "global": false, "code": 20028}`, "1", "1.1 google"},
		"429, text":        {discordtest.CloudflareLimited("", "", discordtest.CloudflareText, time.Hour), 429, "error code: 1015", "3600", ""},
		"429, page":        {discordtest.CloudflareLimited("", "", discordtest.CloudflarePage, 0), 429, "<!doctype html>", "0", ""},
		"429, header":      {discordtest.CloudflareLimited("", "", "", 7*time.Second), 429, "", "7", ""},
		"429, no header":   {discordtest.CloudflareLimited("", "", discordtest.CloudflareText, -1), 429, "error code: 1015", "", ""},
		"banned":           {discordtest.BannedAddress("", ""), 429, `{"message": "You are being blocked from accessing our API`, "", ""},
		"500":              {discordtest.ServerError("", ""), 500, `{"message": "500: Internal Server Error", "code": 0}`, "", "1.1 google"},
		"503":              {discordtest.Overloaded("", ""), 503, "upstream connect error or disconnect/reset before headers. reset reason: overflow", "", "1.1 google"},
		"520":              {discordtest.BadOrigin("", ""), 520, "<!DOCTYPE html>", "", ""},
		"50027":            {discordtest.Refused("", "", discordtest.CodeInvalidToken), 401, `{"message": "Invalid Webhook Token", "code": 50027}`, "", "1.1 google"},
		"10062":            {discordtest.Refused("", "", discordtest.CodeUnknownInteraction), 404, `{"message": "Unknown interaction", "code": 10062}`, "", "1.1 google"},
		"10015":            {discordtest.Refused("", "", discordtest.CodeUnknownWebhook), 404, `{"message": "Unknown Webhook", "code": 10015}`, "", "1.1 google"},
		"200000":           {discordtest.Refused("", "", discordtest.CodeBlockedMessage), 400, `{"message": "Message was blocked by automatic moderation", "code": 200000}`, "", "1.1 google"},
		"240000":           {discordtest.Refused("", "", discordtest.CodeHarmfulLink), 400, `{"message": "Message blocked by harmful links filter", "code": 240000}`, "", "1.1 google"},
	} {
		t.Run(name, func(t *testing.T) {
			defer discord.Inject(tc.fault)()
			got := c.do("GET", "/gateway", "")
			if got.status != tc.status || !strings.HasPrefix(got.text, tc.text) || got.header.Get("Retry-After") != tc.retryAfter || got.header.Get("Via") != tc.via {
				t.Errorf("got %d %s, %v", got.status, got.text, got.header)
			}
		})
	}
	remove := discord.Inject(discordtest.RateLimited("", "", time.Second, true))
	defer remove()
	if h := c.do("GET", "/gateway", "").header; h.Get("X-RateLimit-Global") != "true" || h.Get("X-RateLimit-Reset-After") != "" {
		t.Errorf("a global limit has the headers %v", h)
	}
}
