package alerts_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"hostbot/bot/alerts"
	"hostbot/bot/discordtest"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// TestSettingsAreChangedAtOnce has changes meet: two wait for Discord to take the first
// message while others are made.
func TestSettingsAreChangedAtOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		clock := discordtest.NewManualClock(time.Now())
		discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		turn := func(server string) error {
			_, err := a.TurnOn(t.Context(), anna.ID, "de", interaction.Message{Content: "hello"}, func(s *alerts.Settings) { s.Set(server, true) })
			return err
		}
		for _, server := range []string{"old", "older"} {
			if err := turn(server); err != nil {
				t.Fatal(err)
			}
		}
		discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 2, After: true, Delay: time.Minute})
		var turning sync.WaitGroup
		for _, server := range []string{"shop", "radio"} {
			turning.Go(func() {
				if err := turn(server); err != nil {
					t.Error(err)
				}
			})
		}
		eventually(t, func() bool { return len(anna.InDM().Messages()) == 4 })
		if err := a.Mute(t.Context(), anna.ID, "old", clock.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
		if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.Set("older", false) }); err != nil {
			t.Error(err)
		}
		clock.Advance(time.Minute)
		turning.Wait()
		s, err := a.Settings(t.Context(), anna.ID)
		if err != nil || !s.For("shop") || !s.For("radio") || s.For("older") || s.Muted["old"].IsZero() {
			t.Errorf("settings: %+v (%v)", s, err)
		}
	})
}
