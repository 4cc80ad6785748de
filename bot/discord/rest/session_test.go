package rest_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/discord/rest"
)

// TestSessionErrors has the answers with which discordgo has a way of its own.
func TestSessionErrors(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"refused":                   {answer(403, `{"message": "no `+botToken+`", "code": 50001}`), "discord: status 403, code 50001: no <secret>"},
		"rate limited":              {answer(429, `{"message": "slow down", "retry_after": 90.0}`), "discord: status 429: slow down"},
		"rate limited without JSON": {answer(429, `error code: 1015`), "discord: status 429: Too Many Requests (not in JSON: Cloudflare or a proxy answered)"},
		"bad gateway":               {answer(502, `<html>`), "discord: status 502: Bad Gateway (not in JSON: Cloudflare or a proxy answered)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			_, err := client.Session().ApplicationCommands("22", "")
			<-requests
			if len(requests) != 0 {
				t.Error("the request was sent again")
			}
			got, ok := errors.AsType[*rest.Error](rest.SessionError(err))
			if !ok || got.Error() != test.want || (got.RetryAfter > 0) != (got.Status == http.StatusTooManyRequests) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			for _, form := range []string{"%v", "%+v", "%#v"} {
				if text := fmt.Sprintf(form, err); strings.Contains(text, botToken) {
					t.Errorf("%s prints the token: %s", form, text)
				}
			}
		})
	}
}

// TestSessionDoesNotSleep: discordgo would wait an hour before the second request.
func TestSessionDoesNotSleep(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", "3600")
		answer(200, `[]`)(w, r)
	})
	session := client.Session()
	for range 2 {
		if _, err := session.ApplicationCommands("22", ""); err != nil {
			t.Error(err)
		}
	}
}
