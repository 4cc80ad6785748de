package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// TestFailedAndSlowRequestsAreLinesOfDebug: each says what was asked for and how long it took,
// and neither a token nor an ID.
func TestFailedAndSlowRequestsAreLinesOfDebug(t *testing.T) {
	to := rest.Callback{InteractionID: "1111", ApplicationID: "2222", Token: "token-of-it"}
	slowly := func(w http.ResponseWriter, r *http.Request) {
		<-time.After(1100 * time.Millisecond) // of a bubble's time
		answer(http.StatusNoContent, "")(w, r)
	}
	ofInteraction := func(ctx context.Context, c *rest.Client) { _ = c.Defer(ctx, to, interaction.FormReply) }
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		level  zerolog.Level
		ask    func(context.Context, *rest.Client)
		want   string // the route; empty if there is no line
		says   string
	}{
		"refused": {
			answer(404, `{"code":10062,"message":"Unknown interaction token-of-it"}`), zerolog.DebugLevel, ofInteraction,
			"interactions/:id/:token/callback", "code 10062",
		},
		"refused to edit": {
			answer(404, `{"code":10015,"message":"Unknown Webhook"}`), zerolog.DebugLevel,
			func(ctx context.Context, c *rest.Client) { _ = c.EditOriginal(ctx, to, interaction.Message{}) },
			"webhooks/:id/:token/messages/@original", "code 10015",
		},
		"refused in a channel": {
			answer(403, `{"code":50001,"message":"Missing Access"}`), zerolog.DebugLevel,
			func(ctx context.Context, c *rest.Client) {
				_, _ = c.CreateMessage(ctx, "3333", "n", interaction.Message{})
			},
			"channels/:id/messages", "code 50001",
		},
		"slow":                      {slowly, zerolog.DebugLevel, ofInteraction, "interactions/:id/:token/callback", ""},
		"as it should be":           {answer(204, ""), zerolog.DebugLevel, ofInteraction, "", ""},
		"refused, and nobody looks": {answer(404, `{"code":10062}`), zerolog.InfoLevel, ofInteraction, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
					<-time.After(time.Millisecond)
					test.answer(w, r)
				})
				var out bytes.Buffer
				client.Log = zerolog.New(&out).Level(test.level)
				test.ask(t.Context(), client)
				if test.want == "" {
					if out.Len() > 0 {
						t.Errorf("the log says %s", &out)
					}
					return
				}
				var line struct {
					Level, Error, Route, Method string
					TookMS                      float64 `json:"took_ms"`
				}
				if err := json.Unmarshal(out.Bytes(), &line); err != nil {
					t.Fatalf("%v: %s", err, &out)
				}
				if line.Level != "debug" || line.Route != test.want || line.Method == "" || line.TookMS <= 0 || !strings.Contains(line.Error, test.says) || (line.Error == "") != (test.says == "") {
					t.Errorf("the line is %s", &out)
				}
				for _, secret := range []string{"token-of-it", "1111", "2222", "3333"} {
					if strings.Contains(out.String(), secret) {
						t.Errorf("it tells %q: %s", secret, &out)
					}
				}
			})
		})
	}
}
