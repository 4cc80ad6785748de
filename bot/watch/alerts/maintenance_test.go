package alerts_test

import (
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// maintenance holds the alerts of the bot "shop" while it lasts.
type maintenance struct{ atomic.Bool }

func (m *maintenance) held(serverID, _ string) time.Duration {
	if serverID == "shop" && m.Load() {
		return 20 * time.Millisecond // after which it is asked again
	}
	return 0
}

// TestFallDuringMaintenanceNotifiesNobody if the bot is back before it is over. Otherwise another leader, as the first was
// killed, notifies the customer after it: once.
func TestFallDuringMaintenanceNotifiesNobody(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, w, lasts := discordtest.RunT(t), &watched{}, &maintenance{}
		a, kill := start(t, discord, url, w, func(s *setup) { s.Held = lasts.held })
		anna, ben := discord.User("anna"), discord.User("ben")
		turnOn(t, a, anna)
		turnOn(t, a, ben)
		waiting := func(n int) {
			t.Helper()
			eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == n })
		}
		now := time.Now().Truncate(time.Second)
		lasts.Store(true)
		tell(t, a, fell(anna, "shop", now))
		tell(t, a, fell(ben, "radio", now)) // which is no part of it
		ben.InDM().Sees(t, "radio c fell 1 times")
		waiting(1)
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		waiting(0)
		tell(t, a, fell(anna, "shop", now.Add(2*time.Minute)))
		waiting(1)
		wantAlerts(t, anna)
		kill()
		endLease(t, url)
		a, _ = start(t, discord, url, w, func(s *setup) { s.Held = lasts.held })
		waiting(1)
		lasts.Store(false)
		anna.InDM().Sees(t, "shop c fell 1 times")
		waiting(0)
		wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s")
	})
}

// TestMaintenanceKeepsWhatWasToldTrue: the message of a fall before it says that the bot is back, and one of several bots
// of which some are under maintenance is sent.
func TestMaintenanceKeepsWhatWasToldTrue(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, lasts := discordtest.RunT(t), &maintenance{}
		a, _ := start(t, discord, url, &watched{}, func(s *setup) { s.Held, s.Notify = lasts.held, time.Millisecond })
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now))
		anna.InDM().Sees(t, "shop c fell 1 times")
		settled(t, a)
		lasts.Store(true)
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		anna.InDM().Sees(t, "shop c fell 1 times, back after 1m0s")
		settled(t, a)
		tell(t, a, fell(anna, "shop", now.Add(2*time.Hour)), fell(anna, "radio", now.Add(2*time.Hour)))
		anna.InDM().Sees(t, "radio c fell 1 times")
	})
}
