//go:build integration

package alerts_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
)

// TestPauseGrows looks at when the next try is to be, of one customer's alert and of several'.
func TestPauseGrows(t *testing.T) {
	for name, customers := range map[string]int{"one": 1, "several": 4} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Hold, timing.LongestHold = 500*time.Millisecond, time.Hour })
				var people []*discordtest.User
				for i := range customers {
					people = append(people, discord.User(fmt.Sprint("c", i)))
					turnOn(t, a, people[i])
				}
				discord.ForgetCalls()
				discord.Inject(refusing(403, rest.CodeQuarantined))
				for i, u := range people {
					tell(t, a, fell(u, "shop", time.Now()))
					if i == 0 {
						eventually(t, func() bool {
							status, err := a.Status(t.Context())
							return err == nil && status.Held.Is()
						})
					}
				}
				eventually(t, func() bool { return calls(discord, http.MethodPost, discordtest.RouteMessages) == 4 })
				var at []time.Time
				for _, c := range discord.Calls() {
					if c.Method == http.MethodPost {
						at = append(at, c.Started)
					}
				}
				for i, least := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
					if waited := at[i+1].Sub(at[i]); waited < least-50*time.Millisecond {
						t.Errorf("pause %d lasted %v, want %v or more", i, waited, least)
					}
				}
			})
		})
	}
}

// TestOpeningHasABrake has more people turn alerts on at once, by two processes, than Discord
// lets a bot open DMs.
func TestOpeningHasABrake(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t, discordtest.Config{DMsAtOnce: 16}) // five, and ten who wait
		braked := func(timing *alerts.Timing) { timing.Opening = time.Second }
		first, _ := start(t, discord, url, &watched{}, braked)
		second, _ := start(t, discord, url, &watched{}, braked)
		const people = 40
		ends := make(chan error, people)
		for i := range people {
			a := []*alerts.Alerts{first, second}[i%2]
			u := discord.User(fmt.Sprint("c", i))
			go func() {
				_, _, err := a.TurnOn(t.Context(), as(u), func(s *alerts.Settings) { s.SetAll(true) })
				ends <- err
			}()
		}
		later := 0
		for range people {
			err := <-ends
			if errors.Is(err, alerts.ErrLater) {
				later++
			} else if err != nil {
				t.Error(err)
			}
		}
		if n := calls(discord, http.MethodPost, discordtest.RouteDMs); later == 0 || n+later != people || n < 5 {
			t.Errorf("%d DMs were opened, %d people are asked to come later", n, later)
		}
	})
}

// TestOneCustomersRefusalsDoNotHoldOthersForLong has the pause not grow, however often anna's
// alert is refused, and ben's arrive each time.
func TestOneCustomersRefusalsDoNotHoldOthersForLong(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		const hold = 500 * time.Millisecond
		discord, a, anna, ben := onlyBen(t, url, func(timing *alerts.Timing) { timing.Hold, timing.LongestHold = hold, time.Hour })
		tell(t, a, fell(anna, "shop", time.Now()))
		for i := range 4 {
			eventually(t, func() bool { return refusals(discord) > i })
			if s, err := a.Status(t.Context()); err != nil || time.Until(s.Held.Until) > hold {
				t.Errorf("after refusal %d alerts are held for %v (%v)", i+1, time.Until(s.Held.Until), err)
			}
			if i > 0 { // for the first time anna's is the only one
				name := fmt.Sprint("bot", i)
				tell(t, a, fell(ben, name, time.Now().Add(time.Duration(i)*time.Hour))) // not together
				ben.InDM().Sees(t, name+" c fell")
			}
		}
	})
}

// TestWhoWaitsForAHoldTakesNoPlace has a DM be opened anew while nobody new may be written to.
// The places in the line are few here.
func TestWhoWaitsForAHoldTakesNoPlace(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Hold, timing.Opening = time.Second, time.Hour })
		anna, ben := discord.User("anna"), discord.User("ben")
		turnOn(t, a, anna) // the first of five places
		opening := refusing(403, rest.CodeQuarantined)
		opening.Route, opening.Times = discordtest.RouteDMs, 1
		discord.Inject(opening)
		if _, _, err := a.TurnOn(t.Context(), as(ben), func(s *alerts.Settings) { s.SetAll(true) }); !errors.Is(err, alerts.ErrLater) {
			t.Fatalf("ben's alerts end with %v", err)
		}
		refused := refusing(403, rest.CodeMissingAccess)
		refused.Times = 2 // before the hold ends, and after it
		discord.Inject(refused)
		tell(t, a, fell(anna, "shop", time.Now()))
		anna.InDM().Sees(t, "shop c fell") // after the hold, with the third
		for _, name := range []string{"cem", "dan"} {
			turnOn(t, a, discord.User(name))
		}
	})
}
