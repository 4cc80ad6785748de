package alerts_test

import (
	"fmt"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/watcher"
)

// TestBotsThatFallWithinAPollAreOneMessage has three bots of a customer fall, come back, and one of
// them fall again, soon and late.
func TestBotsThatFallWithinAPollAreOneMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		fallen := []watcher.Change{fell(anna, "shop", now), fell(anna, "radio", now), fell(anna, "quiz", now)}
		tell(t, a, fallen...)
		anna.InDM().Sees(t, "shop c fell 1 times, ran 1h0m0s; radio c fell 1 times, ran 1h0m0s; quiz c fell 1 times")
		tell(t, a, fallen[1], back(anna, "shop", now.Add(time.Minute))) // one is told of again, by another poll
		anna.InDM().Sees(t, "shop c fell 1 times, back after 1m0s, ran 1h0m0s; radio c fell 1 times, ran")
		tell(t, a, fell(anna, "shop", now.Add(5*time.Minute)))
		anna.InDM().Sees(t, "shop c fell 2 times")
		tell(t, a, back(anna, "shop", now.Add(6*time.Minute)), back(anna, "quiz", now.Add(6*time.Minute)))
		anna.InDM().Sees(t, "quiz c fell 1 times, back after 6m0s")

		late := now.Add(2 * time.Hour) // a message is too old to be edited then, and radio is still down
		again := fell(anna, "radio", late)
		tell(t, a, again, fell(anna, "shop", late))
		anna.InDM().Sees(t, "radio c fell 1 times, ran 1h0m0s; shop c fell 1 times")
		tell(t, a, back(anna, "radio", late.Add(time.Minute)))
		anna.InDM().Sees(t, "radio c fell 1 times, back after 1m0s")
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
		wantAlerts(t, anna,
			"shop c fell 2 times, back after 1m0s, ran 1h0m0s; radio c fell 1 times, ran 1h0m0s; quiz c fell 1 times, back after 6m0s, ran 1h0m0s",
			"radio c fell 1 times, back after 1m0s, ran 1h0m0s; shop c fell 1 times, ran 1h0m0s")
	})
}

// TestStormOfOneCustomerIsOneMessage has 300 bots of a customer fall at once, as those of another do
// one by one.
func TestStormOfOneCustomerIsOneMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		var fallen, returned []watcher.Change
		for i := range 300 {
			fallen = append(fallen, fell(anna, fmt.Sprint("bot", i), now))
			returned = append(returned, back(anna, fmt.Sprint("bot", i), now.Add(time.Minute)))
		}
		tell(t, a, fallen...)
		anna.InDM().Sees(t, "bot0 c fell 1 times")
		tell(t, a, returned...)
		anna.InDM().Sees(t, "bot0 c fell 1 times, back after 1m0s")
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 && s.Sent == 1 })
	})
}
