package shards

import (
	"context"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/gateway"
)

// usedUp is a Discord whose sessions others begin: 100 between two questions.
type usedUp struct{ left int }

func (u *usedUp) GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error) {
	u.left -= 100
	return &discordgo.GatewayBotResponse{Shards: 1, SessionStartLimit: discordgo.SessionInformation{Total: 1000, Remaining: u.left}}, nil
}

// TestSessionsThatAreLeftAreAskedForInTime has somebody else use them up within two hours: those who
// look at the figure learn of it before there are none.
func TestSessionsThatAreLeftAreAskedForInTime(t *testing.T) {
	s := New(Config{Discovery: &gateway.Discovery{REST: &usedUp{left: 1000}}})
	s.count = 1
	var known []int
	for _, passed := range []time.Duration{2 * time.Hour, 4 * time.Minute, 6 * time.Minute} {
		s.asked = time.Now().Add(-passed)
		s.cfg.Discovery.Forget()
		s.compare(t.Context())
		s.sessions.Wait()
		known = append(known, s.cfg.Discovery.Last().SessionStartLimit.Remaining)
	}
	if diff := cmp.Diff([]int{900, 900, 800}, known); diff != "" {
		t.Errorf("-want +left as is known:\n%s", diff)
	}
}
