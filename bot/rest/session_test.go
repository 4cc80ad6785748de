package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/rest"
)

func TestSessionSends(t *testing.T) {
	agents := make(chan string, 1)
	client, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agents <- r.Header.Get("User-Agent")
		answer(200, `[{"id":"1","name":"bot"}]`)(w, r)
	})
	commands, err := client.Session().ApplicationCommandBulkOverwrite("22", "44", []*discordgo.ApplicationCommand{{Name: "bot"}})
	if err != nil || len(commands) != 1 || commands[0].ID != "1" {
		t.Fatalf("answer %v, %v", commands, err)
	}
	want := sent{"PUT", "/api/v10/applications/22/guilds/44/commands", "Bot " + botToken, `[{"name":"bot","options":null}]`}
	if got := <-requests; got != want {
		t.Errorf("sent %v, want %v", got, want)
	}
	if agent := <-agents; !strings.HasPrefix(agent, "DiscordBot (") {
		t.Errorf("User-Agent %q", agent)
	}
}

func TestSessionErrors(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		want   rest.Error
	}{
		"refused": {answer(403, `{"message": "Missing Access", "code": 50001}`), rest.Error{Status: 403, Code: 50001, Message: "Missing Access"}},
		"its words tell the token": {
			answer(400, `{"message": "no `+botToken+`", "code": 1}`), rest.Error{Status: 400, Code: 1, Message: "no <secret>"},
		},
		"rate limited":              {limited(`{"message": "slow down", "retry_after": 90.0, "global": false}`), rest.Error{Status: 429, RetryAfter: 90 * time.Second}},
		"rate limited without JSON": {limited(`error code: 1015`), rest.Error{Status: 429, RetryAfter: 90 * time.Second}},
		"bad gateway":               {answer(502, `<html>`), rest.Error{Status: 502}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			_, err := client.Session().ApplicationCommands("22", "")
			<-requests
			if len(requests) != 0 {
				t.Error("the request was sent again")
			}
			var got *rest.Error
			if !errors.As(rest.SessionError(err), &got) {
				t.Fatalf("error %v", err)
			}
			if got.Status != test.want.Status || got.Code != test.want.Code || got.RetryAfter != test.want.RetryAfter ||
				test.want.Message != "" && got.Message != test.want.Message {
				t.Errorf("error %#v, want %#v", got, test.want)
			}
			for _, e := range []error{err, rest.SessionError(err)} {
				for _, form := range []string{"%v", "%+v", "%#v"} {
					if text := fmt.Sprintf(form, e); strings.Contains(text, botToken) {
						t.Errorf("%s prints the token: %s", form, text)
					}
				}
			}
		})
	}
}

// A session waits for no rate limit: the next request is sent within its context.
func TestSessionDoesNotSleep(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", "3600")
		_, _ = w.Write([]byte(`[]`))
	})
	session := client.Session()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		for range 2 {
			if _, err := session.ApplicationCommands("22", "", discordgo.WithContext(ctx)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Error("the second request was not sent")
	}
}

func TestContextEndsASessionsRequest(t *testing.T) {
	release := make(chan struct{})
	client, requests := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-requests
		cancel()
	}()
	_, err := client.Session().ApplicationCommands("22", "", discordgo.WithContext(ctx))
	if err = rest.SessionError(err); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
