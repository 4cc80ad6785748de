package discordtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hostbot/bot/testing/discordtest"
)

// Words of these tests:
//
//	client   a bot without a library: it sends the requests that it is told to
//	wire     a connection of such a bot to the gateway
//	stage    a client and its wire, with the command /bot and a user, anna
//	answer   what the server said to a request
//	event    an INTERACTION_CREATE

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit bounds waits; only a broken test meets it.
func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// still is a clock that only the test moves, so that a slow machine is not late.
func still() *discordtest.ManualClock {
	return discordtest.NewManualClock(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC))
}

// client is a bot without a library: it sends what it is told to.
type client struct {
	t       *testing.T
	discord *discordtest.Server
	http    *http.Client
	token   string
	agent   string // the User-Agent
}

const testAgent = "DiscordBot (https://example.com, 1.0)"

// start starts a server, whose clock stands still unless the configuration says
// otherwise, and returns a client of it.
func start(t *testing.T, config discordtest.Config) *client {
	t.Helper()
	if config.Clock == nil {
		config.Clock = still()
	}
	discord := discordtest.RunT(t, config)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, discord: discord, http: &http.Client{Transport: transport}, token: discord.Token(), agent: testAgent}
}

// commands is the path of a guild's commands, or of the global ones where guildID
// is empty.
func (c *client) commands(guildID string) string {
	path := "/applications/" + c.discord.ApplicationID()
	if guildID != "" {
		path += "/guilds/" + guildID
	}
	return path + "/commands"
}

// general is the path of the messages in the first channel.
func (c *client) general() string { return messages(c.discord.Channels()[0].ID) }

// messages is the path of a channel's messages.
func messages(channelID string) string { return "/channels/" + channelID + "/messages" }

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	text   string
	body   struct {
		Code       int            `json:"code"`
		Message    string         `json:"message"`
		Errors     map[string]any `json:"errors"`
		RetryAfter float64        `json:"retry_after"`
		Global     bool           `json:"global"`
		ID         string         `json:"id"`
		Flags      int            `json:"flags"`
	}
}

// try sends a request; the error is the transport's.
func (c *client) try(method, path, body string) (answer, error) {
	c.t.Helper()
	kind := ""
	if body != "" {
		kind = "application/json"
	}
	return c.tryTyped(method, path, kind, body)
}

// tryTyped sends a request with a Content-Type, unless that is empty.
func (c *client) tryTyped(method, path, kind, body string) (answer, error) {
	c.t.Helper()
	return c.send(method, path, kind, body, c.token != "" && !answersInteraction(path))
}

// send sends a request, authorized by the bot's token or not.
func (c *client) send(method, path, kind, body string, authorized bool) (answer, error) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, c.discord.URL()+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("User-Agent", c.agent)
	if authorized {
		r.Header.Set("Authorization", "Bot "+c.token)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		return answer{}, err
	}
	got := answer{status: response.StatusCode, header: response.Header, text: text.String()}
	_ = json.Unmarshal(text.Bytes(), &got.body) // lists and empty bodies stay unread
	return got, nil
}

// answersInteraction reports whether a path is authenticated by an interaction's token.
// Libraries send the bot's token there no more (discord-api-docs#4142).
func answersInteraction(path string) bool {
	return strings.HasPrefix(path, "/interactions/") || strings.HasPrefix(path, "/webhooks/")
}

func (c *client) do(method, path, body string) answer {
	c.t.Helper()
	got, err := c.try(method, path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

// want fails unless the server answered with the status and Discord's code.
func (a answer) want(t *testing.T, status, code int) {
	t.Helper()
	if a.status != status || a.body.Code != code {
		t.Fatalf("got status %d, code %d, want %d, %d: %s", a.status, a.body.Code, status, code, a.text)
	}
}

// at returns the codes of the mistakes at a path of the errors' tree.
func (a answer) at(path string) []string {
	node := a.body.Errors
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		node, _ = node[step].(map[string]any)
	}
	var codes []string
	list, _ := node["_errors"].([]any)
	for _, entry := range list {
		codes = append(codes, entry.(map[string]any)["code"].(string))
	}
	return codes
}

// refusedAt fails unless the server refused a form with a mistake at the path.
func (a answer) refusedAt(t *testing.T, path string) {
	t.Helper()
	a.want(t, 400, discordtest.CodeInvalidForm)
	if a.at(path) == nil {
		t.Errorf("no mistake at %s: %s", path, a.text)
	}
}

// read decodes an answer with status 200.
func read[T any](t *testing.T, a answer) T {
	t.Helper()
	a.want(t, 200, 0)
	return decode[T](t, []byte(a.text))
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

// register registers global commands given as JSON.
func (c *client) register(commands string) answer {
	c.t.Helper()
	return c.do("PUT", c.commands(""), commands)
}
