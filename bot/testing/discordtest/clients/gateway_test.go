//go:build integration

package clients

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// resumes returns a step that interrupts the connection and checks that the client
// resumes its session, is sent what a user did meanwhile, and goes on.
func resumes(interrupt func(*discordtest.Server)) func(*testing.T, *scene) {
	return func(t *testing.T, s *scene) {
		before := s.discord.Gateway()
		interrupt(s.discord)
		reply, err := s.anna.Start("/order status", discordtest.Options{"number": 7})
		if err != nil {
			t.Fatal(err)
		}
		awaitGateway(t, s, func(g discordtest.GatewayStats) bool { return g.Resumes > before.Resumes })
		showsStatus(t, reply)
		status(t, s.anna) // what comes after the replay
		if after := s.discord.Gateway(); after.Identifies != before.Identifies {
			t.Errorf("the client started %d new sessions", after.Identifies-before.Identifies)
		}
	}
}

// startsAnew ends the session, so that the client has to start another.
func startsAnew(t *testing.T, s *scene) {
	before := s.discord.Gateway()
	s.discord.InvalidateSession(false)
	awaitGateway(t, s, func(g discordtest.GatewayStats) bool { return g.Identifies > before.Identifies })
	status(t, s.anna)
}

func awaitGateway(t *testing.T, s *scene, wanted func(discordtest.GatewayStats) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.discord.WaitGateway(ctx, wanted); err != nil {
		t.Fatalf("%v; the gateway saw %+v", err, s.discord.Gateway())
	}
}
