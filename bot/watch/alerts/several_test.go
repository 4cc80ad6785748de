package alerts_test

import (
	"fmt"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// TestBotsThatFallTogetherAreOneMessage has two bots of a customer fall, a third one by the next poll,
// all come back, and two of them fall again.
func TestBotsThatFallTogetherAreOneMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		fallen := []watcher.Change{fell(anna, "shop", now), fell(anna, "radio", now)}
		tell(t, a, fallen...)
		anna.InDM().Sees(t, "shop c fell 1 times, ran 1h0m0s; radio c fell 1 times, ran 1h0m0s")
		tell(t, a, back(anna, "shop", now.Add(time.Minute)), fell(anna, "quiz", now.Add(time.Minute)))
		anna.InDM().Sees(t, "shop c fell 1 times, back after 1m0s, ran 1h0m0s; radio c fell 1 times, ran 1h0m0s; quiz c fell 1 times")
		tell(t, a, fallen[1], fell(anna, "quiz", now.Add(time.Minute))) // they are told of again, by another poll
		tell(t, a, fell(anna, "shop", now.Add(2*time.Minute)))          // it was back
		anna.InDM().Sees(t, "shop c fell 2 times")
		settled(t, a)
		tell(t, a, back(anna, "radio", now.Add(5*time.Minute)), back(anna, "quiz", now.Add(5*time.Minute)))
		settled(t, a)                                                                                        // by a message of its own
		tell(t, a, fell(anna, "radio", now.Add(6*time.Minute)), fell(anna, "chess", now.Add(6*time.Minute))) // one of them for the first time
		anna.InDM().Sees(t, "radio c fell 2 times, ran 1h0m0s; chess c fell 1 times")
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
		wantAlerts(t, anna,
			"shop c fell 2 times, ran 1h0m0s",
			"shop c fell 1 times, back after 1m0s, ran 1h0m0s; radio c fell 1 times, back after 5m0s, ran 1h0m0s; quiz c fell 1 times, back after 4m0s, ran 1h0m0s",
			"radio c fell 2 times, ran 1h0m0s; chess c fell 1 times, ran 1h0m0s")
	})
}

// TestBotThatIsGoneIsNotWaitedFor has one of three bots be deleted while they are down.
func TestBotThatIsGoneIsNotWaitedFor(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now), fell(anna, "radio", now), fell(anna, "quiz", now))
		anna.InDM().Sees(t, "quiz c fell 1 times")
		settled(t, a)
		gone := watcher.Change{CustomerID: anna.ID, ServerID: "radio", From: hostapi.StateCrashed, To: history.Gone, At: now.Add(time.Minute)}
		tell(t, a, gone, back(anna, "shop", now.Add(time.Minute)))
		tell(t, a, gone, back(anna, "quiz", now.Add(time.Minute)))
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, back after 1m0s, ran 1h0m0s; quiz c fell 1 times, back after 1m0s, ran 1h0m0s")
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
