package alerts_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
)

// onlyBen has Discord take messages to ben alone, for good, as the bot is quarantined after it
// wrote to him and before it wrote to anna.
func onlyBen(t *testing.T, url string, tune func(*alerts.Timing)) (discord *discordtest.Server, a *alerts.Alerts, anna, ben *discordtest.User) {
	t.Helper()
	discord = discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	a, _ = start(t, discord, url, &watched{}, tune)
	anna, ben = discord.User("anna"), discord.User("ben")
	turnOn(t, a, ben)
	asked := as(anna)
	asked.DM = anna.InDM().ChannelID()
	if _, _, err := a.TurnOn(t.Context(), asked, func(s *alerts.Settings) { s.SetAll(true) }); err != nil {
		t.Fatal(err)
	}
	discord.Quarantine(true)
	discord.ForgetCalls()
	return discord, a, anna, ben
}

// refusals counts the messages that Discord refused.
func refusals(discord *discordtest.Server) (n int) {
	for _, c := range discord.Calls() {
		if c.Method == http.MethodPost && c.Status == http.StatusForbidden {
			n++
		}
	}
	return n
}

// TestAlertThatAloneIsRefusedIsGivenUp has Discord take others again and again meanwhile.
func TestAlertThatAloneIsRefusedIsGivenUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, a, anna, ben := onlyBen(t, url, func(timing *alerts.Timing) {
			timing.Hold, timing.LongestHold, timing.Retry = 10*time.Millisecond, 20*time.Millisecond, 10*time.Millisecond
		})
		tell(t, a, fell(anna, "shop", time.Now()))
		falls := 0
		eventually(t, func() bool {
			name := fmt.Sprint("bot", falls)
			falls++
			tell(t, a, fell(ben, name, time.Now().Add(time.Duration(falls)*time.Hour))) // not together
			ben.InDM().Sees(t, name+" c fell")
			s, err := a.Status(t.Context())
			return err == nil && s.Waiting == 0 && refusals(discord) > 0
		})
		if n := refusals(discord); n < 11 {
			t.Errorf("it was tried %d times", n)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || !s.All {
			t.Errorf("settings: %+v (%v)", s, err)
		}
	})
}

// TestAlertIsKeptWhileDiscordTakesNone has no other alert tell whether it takes any.
func TestAlertIsKeptWhileDiscordTakesNone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, a, anna, _ := onlyBen(t, url, func(timing *alerts.Timing) {
			timing.Hold, timing.LongestHold, timing.Retry = 10*time.Millisecond, 20*time.Millisecond, 10*time.Millisecond
		})
		tell(t, a, fell(anna, "shop", time.Now()))
		eventually(t, func() bool { return refusals(discord) > 15 })
		discord.Quarantine(false)
		anna.InDM().Sees(t, "shop c fell")
	})
}

// TestHoldIsToldOfUntilATrySucceeds has nothing be tried once the pause is over.
func TestHoldIsToldOfUntilATrySucceeds(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) {
			timing.Hold, timing.LongestHold, timing.Retry = 10*time.Millisecond, 10*time.Millisecond, time.Hour
		})
		anna, ben := discord.User("anna"), discord.User("ben")
		turnOn(t, a, anna)
		turnOn(t, a, ben)
		refused := refusing(403, rest.CodeDMsTooFast)
		refused.Times = 1
		discord.Inject(refused)
		tell(t, a, fell(anna, "shop", time.Now()))
		eventually(t, func() bool {
			s, err := a.Status(t.Context())
			return err == nil && s.Held.Is() && s.Held.Until.Before(time.Now())
		})
		tell(t, a, fell(ben, "shop", time.Now()))
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && !s.Held.Is() })
	})
}
