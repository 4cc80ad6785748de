package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

const (
	botToken         = "bot-token-of-the-test"
	interactionToken = "interaction-token-of-the-test"
)

var to = rest.Callback{InteractionID: "11", ApplicationID: "22", Token: interactionToken}

// sent is one request as the server saw it.
type sent struct {
	Method, Path, Authorization, Body string
}

// userAgent is the form in which Discord wants to be told of the library.
// https://discord.com/developers/docs/reference#user-agent
var userAgent = regexp.MustCompile(`^DiscordBot \(https://\S+, v?[0-9.]+\)( |$)`)

// serve starts a server that notes requests and answers with handler.
func serve(t *testing.T, handler http.HandlerFunc) (*rest.Client, <-chan sent) {
	t.Helper()
	requests := make(chan sent, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if agent := r.UserAgent(); !userAgent.MatchString(agent) {
			t.Errorf("User-Agent %q", agent)
		}
		requests <- sent{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), string(body)}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := rest.New(botToken, server.URL+"/api/v10/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, requests
}

// noContent answers as Discord does, whose 204 has a Content-Type
// (discord-api-docs#5887).
func noContent(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNoContent)
}

func TestBodies(t *testing.T) {
	message := interaction.Message{Embeds: []*discordgo.MessageEmbed{{Title: "Your bots"}}}
	const full = `"content":"","embeds":[{"title":"Your bots"}],"components":[]`
	const quiet = `"allowed_mentions":{"parse":[]}`
	tests := map[string]struct {
		send         func(context.Context, *rest.Client) error
		method, path string
		body         string
	}{
		"reply": {
			func(ctx context.Context, c *rest.Client) error { return c.Respond(ctx, to, interaction.Reply(message)) },
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":4,"data":{` + full + `,"flags":64,` + quiet + `}}`,
		},
		"update": {
			func(ctx context.Context, c *rest.Client) error {
				return c.Respond(ctx, to, interaction.Update(message))
			},
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":7,"data":{` + full + `,` + quiet + `}}`,
		},
		"suggest nothing": {
			func(ctx context.Context, c *rest.Client) error { return c.Respond(ctx, to, interaction.Suggest(nil)) },
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":8,"data":{"choices":[]}}`,
		},
		"modal": {
			func(ctx context.Context, c *rest.Client) error {
				return c.Respond(ctx, to, interaction.Open(&interaction.Dialog{CustomID: "m", Title: "Delete"}))
			},
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":9,"data":{"custom_id":"m","title":"Delete","components":[]}}`,
		},
		"defer a message": {
			func(ctx context.Context, c *rest.Client) error { return c.Defer(ctx, to, interaction.FormReply) },
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":5,"data":{"flags":64}}`,
		},
		"defer an update": {
			func(ctx context.Context, c *rest.Client) error { return c.Defer(ctx, to, interaction.FormUpdate) },
			"POST", "/api/v10/interactions/11/" + interactionToken + "/callback",
			`{"type":6}`,
		},
		"edit": {
			func(ctx context.Context, c *rest.Client) error { return c.EditOriginal(ctx, to, message) },
			"PATCH", "/api/v10/webhooks/22/" + interactionToken + "/messages/@original",
			`{` + full + `,` + quiet + `}`,
		},
		"follow up": {
			func(ctx context.Context, c *rest.Client) error { return c.FollowUp(ctx, to, message) },
			"POST", "/api/v10/webhooks/22/" + interactionToken,
			`{` + full + `,"flags":64,` + quiet + `}`,
		},
		"edit in a channel": {
			func(ctx context.Context, c *rest.Client) error { return c.EditMessage(ctx, "33", "55", message.Embeds) },
			"PATCH", "/api/v10/channels/33/messages/55",
			`{"embeds":[{"title":"Your bots"}],` + quiet + `}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, noContent)
			if err := test.send(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			got := <-requests
			want := sent{test.method, test.path, "Bot " + botToken, test.body}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesOfAChannel(t *testing.T) {
	client, requests := serve(t, answer(200, `{"id":"55","embeds":[]}`))
	id, err := client.CreateMessage(t.Context(), "33", "once", []*discordgo.MessageEmbed{{Title: "Restart"}})
	if err != nil || id != "55" {
		t.Errorf("CreateMessage() = %q, %v", id, err)
	}
	want := sent{"POST", "/api/v10/channels/33/messages", "Bot " + botToken,
		`{"embeds":[{"title":"Restart"}],"allowed_mentions":{"parse":[]},"nonce":"once","enforce_nonce":true}`}
	if diff := cmp.Diff(want, <-requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}

	// Messages of others may hold what the library does not know.
	client, requests = serve(t, answer(200, `[{"id":"56","components":[{"type":99}],"embeds":[{"title":"Stop"}]},{"id":"55"}]`))
	latest, err := client.LatestMessages(t.Context(), "33", 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]rest.Posted{{ID: "56", Embeds: []*discordgo.MessageEmbed{{Title: "Stop"}}}, {ID: "55"}}, latest); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sent{"GET", "/api/v10/channels/33/messages?limit=100", "Bot " + botToken, ""}, <-requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		want   rest.Error
	}{
		"refused with a code": {
			answer(404, `{"message":"Unknown interaction","code":10062}`),
			rest.Error{Status: 404, Code: 10062},
		},
		"unauthorized": {answer(401, `{"message":"401: Unauthorized","code":0}`), rest.Error{Status: 401}},
		"rate limited": {
			answer(429, `{"message":"You are being rate limited.","retry_after":1.5,"global":false}`),
			rest.Error{Status: 429, RetryAfter: 1500 * time.Millisecond},
		},
		"server error":            {answer(503, `upstream`), rest.Error{Status: 503, Uncertain: true}},
		"bad gateway":             {answer(502, `<html>`), rest.Error{Status: 502, Uncertain: true}},
		"page in Discord's place": {answer(200, `<html>`), rest.Error{Uncertain: true}},
		"page with the address": {
			answer(404, `<pre>Cannot POST /interactions/11/`+interactionToken+`/callback</pre>`), rest.Error{Status: 404},
		},
		"error with the address": {
			answer(404, `{"message":"Cannot POST /interactions/11/`+interactionToken+`/callback"}`), rest.Error{Status: 404},
		},
		"gateway error with the address": {
			answer(502, `Cannot POST /interactions/11/`+interactionToken+`/callback`), rest.Error{Status: 502, Uncertain: true},
		},
		"redirect is no way":   {answer(302, ``), rest.Error{Status: 302}},
		"limit without a form": {limited(`<html>`), rest.Error{Status: 429, RetryAfter: 90 * time.Second}},
		"connection lost":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, rest.Error{Uncertain: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			err := client.Respond(t.Context(), to, interaction.Reply(interaction.Message{Content: "x"}))
			var got *rest.Error
			if !errors.As(err, &got) {
				t.Fatalf("error %v, want an *Error", err)
			}
			summary := rest.Error{Status: got.Status, Code: got.Code, RetryAfter: got.RetryAfter, Uncertain: got.Uncertain}
			if summary != test.want {
				t.Errorf("error %+v, want %+v", summary, test.want)
			}
			<-requests
			if len(requests) != 0 {
				t.Error("the request was sent again")
			}
			for _, form := range []string{"%v", "%+v", "%#v"} {
				if text := fmt.Sprintf(form, err); strings.Contains(text, interactionToken) || strings.Contains(text, botToken) {
					t.Errorf("%s prints a secret: %s", form, text)
				}
			}
		})
	}
}

// What comes from Discord or in its place is told in its own words, and tells no
// secret that they repeat.
func TestRefusalsAreToldInTheirOwnWords(t *testing.T) {
	const address = "/interactions/11/" + interactionToken + "/callback"
	tests := map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"Discord":              {answer(403, `{"message": "Missing Access", "code": 50001}`), "status 403, code 50001: Missing Access"},
		"a limit of Discord's": {answer(429, `{"message": "The resource is being rate limited.", "retry_after": 1163.1, "code": 20028}`), "status 429, code 20028: The resource is being rate limited."},
		// discord-api-docs#6473
		"Cloudflare in JSON": {answer(403, `{"message": "internal network error", "code": 40333}`), "status 403, code 40333: internal network error (Cloudflare refuses the request)"},
		"Cloudflare's page": {
			answer(403, "<!DOCTYPE html>\n<html lang=\"en-US\">\n<head>\n<Title>Attention Required! | Cloudflare</title>\n"+strings.Repeat("<meta>", 2000)),
			"status 403: Attention Required! | Cloudflare",
		},
		"Cloudflare's line":                   {answer(429, "error code: 1015"), "status 429: error code: 1015"},
		"an overload":                         {answer(503, "upstream connect error or disconnect/reset before headers. reset reason: overflow"), "status 503: upstream connect error or disconnect/reset before headers. reset reason: overflow"},
		"a page without a title":              {answer(502, "<html><h1>oh"), "status 502: Bad Gateway"},
		"nothing":                             {answer(502, ""), "status 502: Bad Gateway"},
		"JSON without words":                  {answer(400, "{}"), "status 400: Bad Request"},
		"a line with the address":             {answer(404, "Cannot POST "+address), "status 404: Cannot POST …"},
		"a title with the address":            {answer(404, "<title>"+address+" is unknown</title>"), "status 404: … is unknown"},
		"a line with the escaped address":     {answer(404, "no "+url.QueryEscape(address)), "status 404: no …"},
		"a title that is no ASCII":            {answer(404, "<title>K</title>"), "status 404: Not Found"},
		"a page that ends within its address": {answer(404, "<title>"+strings.Repeat("x", 5000)+address), "status 404: Not Found"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, test.answer)
			err := client.Respond(t.Context(), to, interaction.Reply(interaction.Message{Content: "x"}))
			if err == nil || err.Error() != "discord: "+test.want {
				t.Errorf("it says %q, want %q", err, test.want)
			}
		})
	}
}

// How long a 429 asks to wait, in the forms in which it was seen.
func TestHowLongToWait(t *testing.T) {
	tests := map[string]struct {
		header, body string
		want         time.Duration
	}{
		"Discord's":              {"1", `{"message":"You are being rate limited.","retry_after":0.3,"global":false}`, 300 * time.Millisecond},
		"the body alone":         {"", `{"retry_after":1.5}`, 1500 * time.Millisecond},
		"the body says more":     {"1", `{"code":20028,"retry_after":1163.097}`, 1163097 * time.Millisecond}, // discord-api-docs#6109
		"the header says more":   {"5", `{"retry_after":0.5}`, 5 * time.Second},
		"at once":                {"0", `{"retry_after":0}`, 0},
		"an hour in the header":  {"3600", `error code: 1015`, time.Hour},                                                                                               // discord-api-docs#5385
		"a page":                 {"90", `<html>`, 90 * time.Second},                                                                                                    // Javacord#704
		"a page without a wait":  {"0", `<html>`, time.Minute},                                                                                                          // DiscordSRV#1767
		"nothing at all":         {"", ``, time.Minute},                                                                                                                 //
		"the address is banned":  {"", `{"message":"You are being blocked from accessing our API temporarily due to exceeding our rate limits","code":0}`, time.Minute}, // discord-api-docs#5810
		"what makes no sense":    {"NaN", `{"retry_after":-5}`, 0},
		"longer than believable": {"1e300", `<html>`, 24 * time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if test.header != "" {
					w.Header().Set("Retry-After", test.header)
				}
				answer(http.StatusTooManyRequests, test.body)(w, r)
			})
			err := client.EditOriginal(t.Context(), to, interaction.Message{})
			var got *rest.Error
			if !errors.As(err, &got) || got.RetryAfter != test.want || !got.Temporary() || got.Uncertain {
				t.Errorf("error %+v, want a wait of %v", err, test.want)
			}
		})
	}
}

func limited(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "90")
		answer(http.StatusTooManyRequests, body)(w, r)
	}
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Reset-After", "soon") // not a number: must not matter
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestSuccessWithHeadersThatMakeNoSense(t *testing.T) {
	client, _ := serve(t, answer(200, `[]`))
	if _, err := client.LatestMessages(t.Context(), "33", 1); err != nil {
		t.Fatal(err)
	}
}

// TestErrorsTellNoToken also where Discord's words are cut off within one.
func TestErrorsTellNoToken(t *testing.T) {
	for filler := range 520 {
		said := strings.Repeat("x", filler) + botToken + " " + interactionToken
		client, _ := serve(t, answer(403, `{"code":1,"message":"`+said+`"}`))
		err := client.FollowUp(t.Context(), to, interaction.Message{})
		if err == nil || strings.Contains(err.Error(), botToken[:4]) || strings.Contains(err.Error(), interactionToken[:4]) {
			t.Fatalf("after %d characters: %v", filler, err)
		}
		client.Close()
	}
}

func TestContextEndsARequest(t *testing.T) {
	release := make(chan struct{})
	client, requests := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-requests
		cancel()
	}()
	err := client.EditOriginal(ctx, to, interaction.Message{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if strings.Contains(err.Error(), interactionToken) {
		t.Errorf("error prints the token: %v", err)
	}
}

func TestEditsDoNotWaitForEachOther(t *testing.T) {
	const edits = 8
	arrived, release := make(chan struct{}, edits), make(chan struct{})
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		noContent(w, r)
	})
	errs := make(chan error, edits)
	for range edits {
		go func() { errs <- client.EditOriginal(t.Context(), to, interaction.Message{}) }()
	}
	for range edits { // all are under way at once, or this waits for ever
		<-arrived
	}
	close(release)
	for range edits {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	if _, err := rest.New(botToken, "discord.com"); err == nil {
		t.Error("accepted an address without a host")
	}
}

func TestComponentsAreSentAsDiscordgoSendsThem(t *testing.T) {
	components := []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Label: "Refresh", Style: discordgo.SecondaryButton, CustomID: "list/0", Emoji: &discordgo.ComponentEmoji{Name: "🟢"}},
			discordgo.Button{Label: "Read", Style: discordgo.LinkButton, URL: "https://example.com", Disabled: true},
		}},
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: "open", Placeholder: "Open a bot",
			Options: []discordgo.SelectMenuOption{{Label: "Shop", Value: "1", Default: true}},
		}}},
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{MenuType: discordgo.UserSelectMenu, CustomID: "user"}}},
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{
			CustomID: "name", Label: "Name", Style: discordgo.TextInputShort, Required: true, MaxLength: 80,
		}}},
		discordgo.TextDisplay{Content: "text"},
	}
	encoded, err := json.Marshal(components)
	if err != nil {
		t.Fatal(err)
	}
	client, requests := serve(t, noContent)
	if err := client.Respond(t.Context(), to, interaction.Reply(interaction.Message{Components: components})); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Data struct {
			Components any `json:"components"`
		} `json:"data"`
	}
	var want any
	if err := errors.Join(json.Unmarshal([]byte((<-requests).Body), &got), json.Unmarshal(encoded, &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Data.Components); diff != "" {
		t.Errorf("components (-discordgo +sent):\n%s", diff)
	}
}
