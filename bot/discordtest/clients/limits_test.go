package clients

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

func waitsForRoute(t *testing.T, s *scene) {
	s.discord.Inject(once(discordtest.RateLimited("POST", discordtest.RouteMessages, 300*time.Millisecond, false)))
	s.discord.ForgetCalls()
	s.anna.Types(t, "/announce", discordtest.Options{"text": "A sale"}).WaitFor(t, "Sent with nonce")
	sentAfterLimit(t, s, "A sale")
}

func waitsForAll(t *testing.T, s *scene) {
	s.discord.Inject(once(discordtest.RateLimited("POST", discordtest.RouteMessages, 300*time.Millisecond, true)))
	s.discord.ForgetCalls()
	s.anna.Types(t, "/announce", discordtest.Options{"text": "Another sale"}).WaitFor(t, "Sent with nonce")
	sentAfterLimit(t, s, "Another sale")
}

// once lets a fault meet a single call.
func once(f discordtest.Fault) discordtest.Fault {
	f.Times = 1
	return f
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
