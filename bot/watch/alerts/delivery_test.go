package alerts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestWhatDiscordDidNotTakeIsSentOnce has Discord not take a message for now, or not say
// that it has. When it is tried again, Discord knows the nonce no more, and the bot is back.
func TestWhatDiscordDidNotTakeIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"refused for a reason that may pass": {Status: http.StatusForbidden, Body: `{"code": 20026, "message": "quarantined"}`},
		"not answered":                       {Status: http.StatusBadGateway, Body: "{}"},
		"answer lost":                        {Status: http.StatusBadGateway, Body: "{}", After: true},
		"answer lost, times without a zone":  {Status: http.StatusBadGateway, Body: "{}", After: true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				clock := discordtest.NewManualClock(time.Now())
				discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
				discord.ExpectFailures()
				discord.SetZonelessEmbeds(strings.HasSuffix(name, "without a zone"))
				a, _ := start(t, discord, url, &watched{}, func(c *setup) { c.Timing.Retry = time.Hour }) // what changes is due at once
				anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
				turnOn(t, a, anna)
				once := fault
				once.Method, once.Route, once.Times = http.MethodPost, discordtest.RouteMessages, 1
				discord.Inject(once)
				tell(t, a, fell(anna, "shop", now))
				awaitCall(t, discord, http.MethodPost, fault.Status)
				clock.Advance(time.Hour)
				tell(t, a, back(anna, "shop", now.Add(time.Minute)))
				eventually(t, func() bool {
					status, err := a.Status(t.Context())
					return err == nil && status.Waiting == 0
				})
				wantAlerts(t, anna, "shop c fell 1 times, back after 1m0s, ran 1h0m0s")
			})
		})
	}
}

// TestEpisodeIsKeptWhileTheBotIsDown looks at when it expires.
func TestEpisodeIsKeptWhileTheBotIsDown(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		const day = 24 * time.Hour
		check := func(when string, least, most time.Duration) {
			t.Helper()
			keys, err := redistest.Keys(t.Context(), client, "*{alerts}:record:*")
			if err != nil || len(keys) != 1 {
				t.Fatalf("outages: %q (%v)", keys, err)
			}
			if left := client.PTTL(t.Context(), keys[0]).Val(); left <= least || left > most {
				t.Errorf("%s an outage is kept for %v, want %v", when, left, most)
			}
		}
		tell(t, a, fell(anna, "shop", now))
		check("while the bot is down", 89*day, 90*day)
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		check("once the bot is back", 23*time.Hour, day)
	})
}

// TestOneCustomersLimitHoldsNobodyUp has more of anna's bots fall at once than Discord
// takes messages in her channel.
func TestOneCustomersLimitHoldsNobodyUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		clock, client := discordtest.NewManualClock(time.Now()), redistest.Connect(t, url)
		discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
		discord.ExpectFailures()
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, ben, now := discord.User("anna"), discord.User("ben"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		turnOn(t, a, ben)
		const falls = 20
		for i := range falls {
			tell(t, a, fell(anna, fmt.Sprintf("bot%d", i), now.Add(time.Duration(i)*time.Hour))) // not together
		}
		tell(t, a, fell(ben, "shop", now))
		ben.InDM().Sees(t, "shop c fell")
		sent := len(anna.InDM().Messages())
		if sent > falls/2 {
			t.Errorf("ben's message came after %d of anna's", sent)
		}
		clock.Advance(time.Minute)
		eventually(t, func() bool {
			hasten(t, client, a) // as that minute passes
			return len(anna.InDM().Messages()) > sent
		})
	})
}

// TestFallWhileAnotherIsGivenUp has Discord refuse a message after the next has come to
// be in its place.
func TestFallWhileAnotherIsGivenUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		clock := discordtest.NewManualClock(time.Now())
		discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
		discord.ExpectFailures()
		a, _ := start(t, discord, url, &watched{}, func(c *setup) { c.Timing.Work = 40 * time.Second })
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		discord.Inject(discordtest.Fault{
			Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Delay: time.Minute,
			Status: http.StatusBadRequest, Body: `{"code": 200000, "message": "blocked"}`,
		})
		tell(t, a, fell(anna, "shop", now))
		anna.InDM().Sees(t, "shop c fell 1 times")
		next := fell(anna, "shop", now.Add(2*time.Hour))
		next.Since = now.Add(time.Hour + 30*time.Minute)
		tell(t, a, next)
		clock.BlockUntil(t, 1)
		clock.Advance(time.Minute)
		anna.InDM().Sees(t, "ran 30m0s")
	})
}

// TestFallThatNobodySaw has a bot fall while nobody looked.
func TestFallThatNobodySaw(t *testing.T) {
	t.Parallel()
	discord := discordtest.RunT(t)
	a, _ := start(t, discord, redistest.StartMiniredis(t).URL(), &watched{}, nil)
	anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
	turnOn(t, a, anna)
	seen, unseen := fell(anna, "shop", now.Add(-time.Hour)), fell(anna, "radio", now)
	seen.After, unseen.After = now.Add(-70*time.Minute), now.Add(-50*time.Minute)
	tell(t, a, seen)
	anna.InDM().Sees(t, "shop c fell 1 times, ran 1h0m0s")
	tell(t, a, unseen)
	anna.InDM().Sees(t, "radio c fell 1 times, ran 10m0s or longer")
	wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s", "radio c fell 1 times, ran 10m0s or longer")
}

// TestNextFallDoesNotWaitForTheLast has Discord refuse a message alone, which is tried again in an hour. The one
// in its place is another, and waits for nothing.
func TestNextFallDoesNotWaitForTheLast(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, func(s *setup) { s.Timing.Refused = time.Hour })
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		discord.ForgetCalls()
		discord.Inject(discordtest.Fault{ // at once, and after the DM was opened anew
			Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 2, Status: http.StatusForbidden,
			Body: `{"message": "Missing Permissions", "code": 50013}`,
		})
		tell(t, a, fell(anna, "shop", now))
		eventually(t, func() bool {
			refused := 0
			for _, c := range discord.Calls() {
				if c.Status == http.StatusForbidden {
					refused++
				}
			}
			return refused == 2
		})
		tell(t, a, fell(anna, "radio", now.Add(time.Hour)))
		anna.InDM().Sees(t, "radio c fell")
		tell(t, a, back(anna, "shop", now.Add(time.Hour)), fell(anna, "shop", now.Add(2*time.Hour)))
		anna.InDM().Sees(t, "shop c fell")
		wantAlerts(t, anna, "radio c fell 1 times, ran 1h0m0s", "shop c fell 1 times, ran 1h0m0s")
	})
}
