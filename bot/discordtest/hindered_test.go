package discordtest_test

import (
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// A first response that a fault or the gateway kept from coming is told apart from
// one that the bot did not send.
func TestHinderedResponses(t *testing.T) {
	for name, tc := range map[string]struct {
		hinder   func(*discordtest.Server) (undo func())
		answers  bool
		hindered bool
	}{
		"the bot says nothing": {nil, false, false},
		"a fault": {func(d *discordtest.Server) func() {
			return d.Inject(discordtest.Fault{Route: discordtest.RouteCallback, Status: 502})
		}, true, true},
		"the gateway is silent": {func(d *discordtest.Server) func() {
			d.Silence(true)
			return func() { d.Silence(false) }
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := still()
			s := newStage(t, discordtest.Config{Clock: clock})
			s.discord.ExpectFailures()
			undo := func() {}
			if tc.hinder != nil {
				undo = tc.hinder(s.discord)
			}
			reply, err := s.anna.Start("/bot", discordtest.Options{"bot": "1"})
			if err != nil {
				t.Fatal(err)
			}
			if tc.answers {
				s.do("POST", s.wire.interaction().path(), `{"type":5}`).want(t, 502, 0)
			}
			clock.Advance(3 * time.Second)
			reply.WaitUntil(t, func(v discordtest.View) bool { return v.State == discordtest.Failed })
			undo()
			f := s.discord.Failures()
			if len(f) != 1 || f[0].Hindered != tc.hindered {
				t.Errorf("the broken rules are %+v", f)
			}
		})
	}
}
