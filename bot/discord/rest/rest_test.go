package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

func TestRequestsAreAsDiscordWantsThem(t *testing.T) {
	type send = func(context.Context, *rest.Client) error
	message := interaction.Message{Embeds: []*discordgo.MessageEmbed{{Title: "Your bots"}}}
	respond := func(r interaction.Response) send {
		return func(ctx context.Context, c *rest.Client) error { return c.Respond(ctx, to, r) }
	}
	postpone := func(f interaction.Form) send {
		return func(ctx context.Context, c *rest.Client) error { return c.Defer(ctx, to, f) }
	}
	const (
		callback = "/api/v10/interactions/11/" + interactionToken + "/callback"
		webhook  = "/api/v10/webhooks/22/" + interactionToken
		full     = `"content":"","embeds":[{"title":"Your bots"}],"components":[],"attachments":[]`
		quiet    = `"allowed_mentions":{"parse":[]}`
	)
	for name, test := range map[string]struct {
		send               send
		method, path, body string
	}{
		"reply":           {respond(interaction.Reply(message)), "POST", callback, `{"type":4,"data":{` + full + `,"flags":64,` + quiet + `}}`},
		"update":          {respond(interaction.Update(message)), "POST", callback, `{"type":7,"data":{` + full + `,` + quiet + `}}`},
		"suggest nothing": {respond(interaction.Suggest(nil)), "POST", callback, `{"type":8,"data":{"choices":[]}}`},
		"modal": {
			respond(interaction.Open(&interaction.Dialog{CustomID: "m", Title: "New", Fields: []interaction.Field{
				{Label: "Name", Description: "Short", Input: interaction.TextInput("name", "Shop", false)},
				{Label: "Start", Input: interaction.CheckboxInput("start", true)},
			}})),
			"POST", callback, `{"type":9,"data":{"custom_id":"m","title":"New","components":[` +
				`{"type":18,"label":"Name","description":"Short","component":{"type":4,"custom_id":"name","required":false,"style":1,"value":"Shop","max_length":4000}},` +
				`{"type":18,"label":"Start","component":{"type":23,"custom_id":"start","default":true}}]}}`,
		},
		"defer a message": {postpone(interaction.FormReply), "POST", callback, `{"type":5,"data":{"flags":64}}`},
		"change nothing":  {respond(interaction.Keep()), "POST", callback, `{"type":7}`},
		"reset menus":     {postpone(interaction.FormKeep), "POST", callback, `{"type":7}`},
		"defer an update": {postpone(interaction.FormUpdate), "POST", callback, `{"type":6}`},
		"edit": {
			func(ctx context.Context, c *rest.Client) error { return c.EditOriginal(ctx, to, message) },
			"PATCH", webhook + "/messages/@original", `{` + full + `,` + quiet + `}`,
		},
		"follow up": {
			func(ctx context.Context, c *rest.Client) error { _, err := c.FollowUp(ctx, to, message); return err },
			"POST", webhook, `{` + full + `,"flags":64,` + quiet + `}`,
		},
		"edit in a channel": {
			func(ctx context.Context, c *rest.Client) error { return c.EditMessage(ctx, "33", "55", message) },
			"PATCH", "/api/v10/channels/33/messages/55", `{` + full + `,` + quiet + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			handler := http.HandlerFunc(noContent)
			if strings.HasPrefix(test.path, "/api/v10/channels/") || test.path == webhook { // whose answer is the message
				handler = answer(200, `{"id":"55","embeds":[{"title":"Your bots"}]}`)
			}
			client, requests := serve(t, handler)
			if err := test.send(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			authorization := "Bot " + botToken
			if strings.Contains(test.path, interactionToken) { // which authenticates by itself
				authorization = ""
			}
			if diff := cmp.Diff(sent{test.method, test.path, authorization, test.body}, <-requests); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestContentTypeGoesWithABody: Discord refuses a DELETE that has the one without the
// other (DasWolke/SnowTransfer#49).
func TestContentTypeGoesWithABody(t *testing.T) {
	for name, test := range map[string]struct {
		send func(*rest.Client) error
		kind string
	}{
		"delete":   {func(c *rest.Client) error { return c.DeleteMessage(t.Context(), "33", "55") }, ""},
		"read":     {func(c *rest.Client) error { return c.Get(t.Context(), "guilds/44", new(any)) }, ""},
		"post":     {func(c *rest.Client) error { return c.Respond(t.Context(), to, interaction.Keep()) }, "application/json"},
		"register": {func(c *rest.Client) error { return register(c.Session()) }, "application/json"},
		"session's delete": {
			func(c *rest.Client) error { return c.Session().ApplicationCommandDelete("22", "", "66") }, "",
		},
		"session's read": {
			func(c *rest.Client) error { _, err := c.Session().ApplicationCommands("22", ""); return err }, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := make(chan string, 1)
			client, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
				kinds <- strings.Join(r.Header.Values("Content-Type"), ", ")
				answer(200, "null")(w, r)
			})
			if err := test.send(client); err != nil {
				t.Fatal(err)
			}
			if kind, body := <-kinds, (<-requests).Body; kind != test.kind || (body == "") != (kind == "") {
				t.Errorf("Content-Type %q with the body %q", kind, body)
			}
		})
	}
}

// TestFilesGoAlong has a message bring a picture along, however it is sent.
func TestFilesGoAlong(t *testing.T) {
	message := interaction.Message{Content: "Uptime", Embeds: []*discordgo.MessageEmbed{{Image: &discordgo.MessageEmbedImage{URL: "attachment://uptime.png"}}}, Files: []interaction.File{{Name: "uptime.png", Type: "image/png", Data: []byte("PNG"), Description: "99.8%"}}}
	for name, test := range map[string]struct {
		send   func(context.Context, *rest.Client) error
		prefix string
	}{
		"reply":     {func(ctx context.Context, c *rest.Client) error { return c.Respond(ctx, to, interaction.Reply(message)) }, `{"type":4,"data":{"content":"Uptime"`},
		"edit":      {func(ctx context.Context, c *rest.Client) error { return c.EditOriginal(ctx, to, message) }, `{"content":"Uptime"`},
		"follow up": {func(ctx context.Context, c *rest.Client) error { _, err := c.FollowUp(ctx, to, message); return err }, `{"content":"Uptime"`},
		"post": {func(ctx context.Context, c *rest.Client) error {
			_, err := c.CreateMessage(ctx, "33", "once", message)
			return err
		}, `{"content":"Uptime"`},
	} {
		t.Run(name, func(t *testing.T) {
			type part struct{ Disposition, Type, Data string }
			got := make(chan part, 2)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				parts, err := r.MultipartReader()
				for err == nil {
					var p *multipart.Part
					if p, err = parts.NextRawPart(); err == nil {
						data, _ := io.ReadAll(p)
						got <- part{p.Header.Get("Content-Disposition"), p.Header.Get("Content-Type"), string(data)}
					}
				}
				_, _ = io.WriteString(w, `{"id":"55","embeds":[{}]}`)
			}))
			t.Cleanup(server.Close)
			client := rest.New(botToken, server.URL+"/api/v10/")
			t.Cleanup(client.Close)
			if err := test.send(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			close(got)
			payload := <-got
			if payload.Disposition != `form-data; name="payload_json"` || payload.Type != "application/json" || !strings.HasPrefix(payload.Data, test.prefix) ||
				!strings.Contains(payload.Data, `"attachments":[{"id":0,"filename":"uptime.png","description":"99.8%"}]`) ||
				!strings.Contains(payload.Data, `"embeds":[{"image":{"url":"attachment://uptime.png","description":"99.8%"}}]`) {
				t.Errorf("the JSON: %+v", payload)
			}
			if diff := cmp.Diff(part{`form-data; name="files[0]"; filename="uptime.png"`, "image/png", "PNG"}, <-got); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesOfAChannel(t *testing.T) {
	client, requests := serve(t, answer(200, `{"id":"55","embeds":[]}`))
	id, err := client.CreateMessage(t.Context(), "33", "once", interaction.Message{Content: "Restart"})
	if err != nil || id != "55" {
		t.Errorf("CreateMessage() = %q, %v", id, err)
	}
	want := sent{"POST", "/api/v10/channels/33/messages", "Bot " + botToken,
		`{"content":"Restart","embeds":[],"components":[],"attachments":[],"allowed_mentions":{"parse":[]},"nonce":"once","enforce_nonce":true}`}
	if diff := cmp.Diff(want, <-requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}

	for m, allowed := range map[*interaction.Message]string{
		{Content: "<@&7>", Pings: "<@&7>"}:                       `{"parse":[],"roles":["7"]}`,
		{Content: "@everyone", Pings: "@everyone"}:               `{"parse":["everyone"]}`,
		{Content: "<@&7> is back", Pings: "<@&7>", Silent: true}: `{"parse":[]}`,
		{Content: "<@&7> @everyone <@42>", Pings: ""}:            `{"parse":[]}`,
	} {
		client, requests := serve(t, answer(200, `{"id":"55","embeds":[]}`))
		if _, err := client.CreateMessage(t.Context(), "33", "once", *m); err != nil {
			t.Error(err)
		}
		if request := <-requests; !strings.Contains(fmt.Sprint(request), `"allowed_mentions":`+allowed+`,`) {
			t.Errorf("%q is sent as %v", m.Content, request)
		}
	}

	// Messages of others may hold what the library does not know.
	client, requests = serve(t, answer(200, `[{"id":"56","components":[{"type":99}],"embeds":[{"title":"Stop"}]},{"id":"55","content":"Start"}]`))
	latest, err := client.LatestMessages(t.Context(), "33", 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]rest.Posted{{ID: "56", Embeds: []*discordgo.MessageEmbed{{Title: "Stop"}}, Rows: []rest.PostedRow{{}}}, {ID: "55", Content: "Start"}}, latest); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sent{"GET", "/api/v10/channels/33/messages?limit=100", "Bot " + botToken, ""}, <-requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// What comes from Discord or in its place is told in its own words, and tells no
// secret that they repeat.
func TestErrorsTellDiscordsWordsWithoutSecrets(t *testing.T) {
	const address = "/interactions/11/" + interactionToken + "/callback"
	const notJSON = " (not in JSON: Cloudflare or a proxy answered)"
	tests := map[string]struct {
		answer http.HandlerFunc
		want   rest.Error // a Message that is empty may be any
	}{
		"refused with a code": {
			answer(404, `{"message": "Unknown interaction", "code": 10062}`),
			rest.Error{Status: 404, Code: 10062, Message: "Unknown interaction"},
		},
		"unauthorized": {
			answer(401, `{"message": "401: Unauthorized", "code": 0}`), rest.Error{Status: 401, Message: "401: Unauthorized"},
		},
		"invalid form": {
			answer(400, `{"message": "Invalid Form Body", "code": 50035, "errors": {"embeds": {}}}`),
			rest.Error{Status: 400, Code: 50035, Message: `Invalid Form Body {"embeds": {}}`},
		},
		"invalid form of a list": { // discord-api-docs#7712
			answer(400, `{"code": 50035, "errors": {"0": {"options": {"1": {"name": {"_errors": []}}}, "name_localizations": {"_errors": [], "`+botToken+`": {"_errors": []}}}}}`),
			rest.Error{Status: 400, Code: 50035, Form: []string{"0.name_localizations", "0.name_localizations.<secret>", "0.options.1.name"}},
		},
		"invalid form without end": {
			answer(400, `{"code": 50035, "errors": {"`+strings.Repeat("x", 300)+`": {"_errors": []}}}`), rest.Error{Status: 400, Code: 50035, Form: []string{""}},
		},
		"rate limited": {
			limited("1", `{"message": "You are being rate limited.", "retry_after": 0.3, "global": false}`),
			rest.Error{Status: 429, Message: "You are being rate limited.", RetryAfter: time.Second},
		},
		"all requests rate limited": {
			limited("1", `{"message": "x", "retry_after": 1, "global": true}`), rest.Error{Status: 429, Message: "x", RetryAfter: time.Second, Global: true},
		},
		"all requests rate limited, in the header": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-RateLimit-Scope", "global")
			limited("1", `{"retry_after": 1}`)(w, r)
		}, rest.Error{Status: 429, RetryAfter: time.Second, Global: true}},
		"rate limited for longer than the header says": { // discord-api-docs#6109
			limited("1", `{"code": 20028, "retry_after": 1163.5}`), rest.Error{Status: 429, Code: 20028, Message: "it asks to wait for 19m24s: Too Many Requests", RetryAfter: 5 * time.Minute},
		},
		// Javacord#704, DiscordSRV#1767, discord-api-docs#5385 and 5810
		"rate limited by a page":                {limited("90", `<html>`), rest.Error{Status: 429, RetryAfter: 90 * time.Second, Global: true}},
		"rate limited by a page without a wait": {limited("0", `<html>`), rest.Error{Status: 429, RetryAfter: time.Minute, Global: true}},
		"rate limited in a line":                {limited("", `error code: 1015`), rest.Error{Status: 429, Message: "Too Many Requests" + notJSON, RetryAfter: time.Minute, Global: true}},
		"address banned": {
			limited("", `{"message": "You are being blocked from accessing our API", "code": 0}`), rest.Error{Status: 429, RetryAfter: time.Minute, Global: true},
		},
		"rate limited to no sense":   {limited("NaN", `{"retry_after": -5}`), rest.Error{Status: 429, RetryAfter: time.Minute, Global: true}},
		"rate limited beyond belief": {limited("9999999999999999999", `<html>`), rest.Error{Status: 429, RetryAfter: 5 * time.Minute, Global: true}},
		"rate limited for hours": { // discord-api-docs#8570
			limited("46263", `{"message": "You are being rate limited.", "retry_after": 46263.4, "global": false}`),
			rest.Error{Status: 429, Message: "it asks to wait for 12h51m3s: You are being rate limited.", RetryAfter: 5 * time.Minute},
		},
		"overload": {
			answer(503, "upstream connect error or disconnect/reset before headers. reset reason: overflow"),
			rest.Error{Status: 503, Message: "Service Unavailable" + notJSON, Uncertain: true},
		},
		"JSON without words":    {answer(400, "{}"), rest.Error{Status: 400, Message: "Bad Request"}},
		"redirect is no way":    {answer(302, ""), rest.Error{Status: 302, Message: "Found" + notJSON}},
		"line with the address": {answer(404, "Cannot POST "+url.QueryEscape(address)), rest.Error{Status: 404, Message: "Not Found" + notJSON}},
		"JSON with the address": {
			answer(404, `{"message": "Cannot POST `+address+`"}`),
			rest.Error{Status: 404, Message: "Cannot POST /interactions/11/<secret>/callback"},
		},
		"token where the words are cut off": {
			answer(403, `{"message": "`+strings.Repeat("x", 490)+botToken+`."}`),
			rest.Error{Status: 403, Message: strings.Repeat("x", 490) + "<secret>."},
		},
		"page in Discord's place": {answer(200, `<html>`), rest.Error{Uncertain: true}},
		"connection lost":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, rest.Error{Uncertain: true}},
		"no HTTP, with the token": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, interactionToken+" "+botToken+"\r\n\r\n")
			_ = conn.Close()
		}, rest.Error{Uncertain: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			err := client.Respond(t.Context(), to, interaction.Reply(interaction.Message{Content: "x"}))
			got, ok := errors.AsType[*rest.Error](err)
			if !ok {
				t.Fatalf("error %v, want an *Error", err)
			}
			for _, form := range []string{"%v", "%+v", "%#v"} {
				if text := fmt.Sprintf(form, err); strings.Contains(text, interactionToken) || strings.Contains(text, botToken) {
					t.Errorf("%s prints a secret: %s", form, text)
				}
			}
			if test.want.Message == "" {
				got.Message = ""
			}
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(rest.Error{})); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			<-requests
			if len(requests) != 0 {
				t.Error("the request was sent again")
			}
		})
	}
}

func TestContextEndsARequest(t *testing.T) {
	for name, send := range map[string]func(context.Context, *rest.Client) error{
		"client": func(ctx context.Context, c *rest.Client) error { return c.EditOriginal(ctx, to, interaction.Message{}) },
		"session": func(ctx context.Context, c *rest.Client) error {
			_, err := c.Session().ApplicationCommands("22", "", discordgo.WithContext(ctx))
			return rest.SessionError(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			client, requests := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
			defer close(release)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-requests
				cancel()
			}()
			if err := send(ctx, client); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
		})
	}
}

func TestVersionIsThatOfTheAddress(t *testing.T) {
	for base, want := range map[string]int{"https://discord.com/api/v9": 9, "https://discord.com/api/v10/": 10, "https://discord.com/api": 10} {
		if got := rest.New(botToken, base).Version(); got != want {
			t.Errorf("%s: version %d", base, got)
		}
	}
}
