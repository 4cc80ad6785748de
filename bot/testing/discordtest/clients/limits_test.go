//go:build integration

package clients

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// waitsFor returns a step in which a message meets a rate limit once.
func waitsFor(global bool) func(*testing.T, *scene) {
	return func(t *testing.T, s *scene) {
		limited := discordtest.RateLimited("POST", discordtest.RouteMessages, 300*time.Millisecond, global)
		limited.Times = 1
		s.discord.Inject(limited)
		s.discord.ForgetCalls()
		text := fmt.Sprint("A sale; global: ", global)
		s.anna.Types(t, "/announce", discordtest.Options{"text": text}).WaitFor(t, "Sent with nonce")
		sentAfterLimit(t, s, text)
	}
}

// sentAfterLimit checks that a message was refused once, and sent once then.
func sentAfterLimit(t *testing.T, s *scene, text string) {
	t.Helper()
	statuses := []int{}
	for _, call := range s.discord.Calls() {
		if call.Method == http.MethodPost && call.Route == discordtest.RouteMessages {
			statuses = append(statuses, call.Status)
		}
	}
	if !slices.Equal(statuses, []int{http.StatusTooManyRequests, http.StatusOK}) {
		t.Errorf("the calls were answered with %v", statuses)
	}
	sent := 0
	for _, v := range s.discord.Channels()[0].Messages() {
		if v.Content == text {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("the message is there %d times", sent)
	}
}

// A client that sends seven follow-ups at once exceeds the limit of 5 in 2 s,
// unless it heeds the headers. Either way each of them arrives, in order.
func keepsRateLimit(t *testing.T, s *scene) {
	const last = 7
	reply := s.anna.Types(t, "/count", discordtest.Options{"to": last})
	reply.WaitForFollowUp(t, strconv.Itoa(last))
	for i, v := range reply.FollowUps() {
		if want := strconv.Itoa(i + 1); v.Content != want {
			t.Errorf("follow-up %q, want %q", v.Content, want)
		}
	}
}
