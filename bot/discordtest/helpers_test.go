package discordtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"go.uber.org/goleak"

	"hostbot/bot/discordtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit bounds waits; only a broken test meets it.
func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// still is a clock that only the test moves, so that a slow machine is not late.
func still() *discordtest.ManualClock {
	return discordtest.NewManualClock(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC))
}

// rebased sends what is meant for Discord to the server.
type rebased struct {
	next http.RoundTripper
	base *url.URL
}

func (b rebased) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = b.base.Scheme, b.base.Host
	r.Host = ""
	return b.next.RoundTrip(r)
}

// session returns a session of discordgo's that talks to the server.
func session(t *testing.T, discord *discordtest.Server) *discordgo.Session {
	t.Helper()
	s, err := discordgo.New("Bot " + discord.Token())
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(discord.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s.Client = &http.Client{Transport: rebased{transport, base}}
	s.Identify.Intents = discordgo.IntentsNone
	// The library's own loop may run twice and outlives Close.
	s.ShouldReconnectOnError = false
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	s.LogLevel = -1
	return s
}

// bot connects a session, registers commands and answers with handle.
func bot(t *testing.T, discord *discordtest.Server, commands []*discordgo.ApplicationCommand, handle func(*discordgo.Session, *discordgo.InteractionCreate)) *discordgo.Session {
	t.Helper()
	s := session(t, discord)
	s.AddHandler(handle)
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.ApplicationCommandBulkOverwrite(discord.ApplicationID(), "", commands); err != nil {
		t.Fatal(err)
	}
	return s
}

// show is a command with an option that is completed.
func show() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{{
		Name: "bot", Description: "Your bots",
		NameLocalizations: &map[discordgo.Locale]string{discordgo.German: "bot"},
		Options: []*discordgo.ApplicationCommandOption{{
			Type: discordgo.ApplicationCommandOptionSubCommand, Name: "show", Description: "Show a bot",
			NameLocalizations: map[discordgo.Locale]string{discordgo.German: "zeigen"},
			Options: []*discordgo.ApplicationCommandOption{{
				Type: discordgo.ApplicationCommandOptionString, Name: "bot", Description: "Which bot", Required: true, Autocomplete: true,
			}},
		}, {
			Type: discordgo.ApplicationCommandOptionSubCommand, Name: "list", Description: "List your bots",
		}},
	}}
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

func newClient(t *testing.T, discord *discordtest.Server) *client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t, discord, &http.Client{Transport: transport}, discord.Token(), testAgent}
}

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
		Content    string         `json:"content"`
		Flags      int            `json:"flags"`
	}
}

// try sends a request; the error is the transport's.
func (c *client) try(method, path, body string) (answer, error) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, c.discord.URL()+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("User-Agent", c.agent)
	if c.token != "" {
		r.Header.Set("Authorization", "Bot "+c.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
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
	var node any = a.body.Errors
	for _, step := range strings.Split(path, ".") {
		if step == "" {
			continue
		}
		inner, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = inner[step]
	}
	inner, ok := node.(map[string]any)
	if !ok {
		return nil
	}
	var codes []string
	list, _ := inner["_errors"].([]any)
	for _, entry := range list {
		codes = append(codes, entry.(map[string]any)["code"].(string))
	}
	return codes
}

// register registers commands given as JSON.
func (c *client) register(commands string) answer {
	c.t.Helper()
	return c.do("PUT", "/applications/"+c.discord.ApplicationID()+"/commands", commands)
}
