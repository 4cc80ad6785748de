package alerts_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
)

// TestChannelThatIsRefusedIsOpenedAnewOnce has Discord refuse a DM's channel, at first and for
// good, and that it is opened.
func TestChannelThatIsRefusedIsOpenedAnewOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ times, opening int }{
		"once": {1, 0}, "for good": {0, 0}, "and not opened": {0, rest.CodeMissingAccess}, "and quarantined": {0, rest.CodeQuarantined},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, nil)
				anna := discord.User("anna")
				turnOn(t, a, anna)
				discord.ForgetCalls()
				fault := refusing(403, rest.CodeMissingAccess)
				fault.Times = test.times
				discord.Inject(fault)
				if test.opening != 0 {
					opening := refusing(403, test.opening)
					opening.Route = discordtest.RouteDMs
					discord.Inject(opening)
				}
				tell(t, a, fell(anna, "shop", time.Now()))
				settled(t, a)
				if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 {
					t.Errorf("the DM was opened %d times", n)
				}
				if test.times == 1 {
					wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s")
					return
				}
				wantAlerts(t, anna)
				if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n < 5 || n > 11 {
					t.Errorf("the alert was tried %d times", n)
				}
				if s, err := a.Settings(t.Context(), anna.ID); err != nil || !s.All {
					t.Errorf("settings: %+v (%v)", s, err)
				}
			})
		})
	}
}

// TestUnreachableRecipientIsGivenUp has a customer's account at Discord be deleted, and a customer
// block the bot.
func TestUnreachableRecipientIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(discord *discordtest.Server, anna *discordtest.User){
		"deleted": func(discord *discordtest.Server, _ *discordtest.User) {
			discord.Inject(refusing(404, rest.CodeUnknownUser))
		},
		"blocked": func(discord *discordtest.Server, anna *discordtest.User) {
			discord.ExpectFailures()
			anna.Block(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, nil)
				anna := discord.User("anna")
				turnOn(t, a, anna)
				change(discord, anna)
				tell(t, a, fell(anna, "shop", time.Now()))
				eventually(t, func() bool { s, err := a.Settings(t.Context(), anna.ID); return err == nil && !s.Closed.IsZero() })
				eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Refused == 1 })
				if s, err := a.Status(t.Context()); err != nil || s.Waiting != 0 || s.Pause.Is() {
					t.Errorf("status: %+v (%v)", s, err)
				}
				wantAlerts(t, anna)
			})
		})
	}
}

// TestAlertsNeedOpenDirectMessages has a customer turn alerts on while nobody may write to her.
func TestAlertsNeedOpenDirectMessages(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		discord.ExpectFailures()
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		anna.CloseDMs(true)
		if _, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) }); !errors.Is(err, notify.ErrClosed) {
			t.Errorf("error %v", err)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
			t.Errorf("settings: %+v (%v)", s, err)
		}
		wantNothingKept(t, url, anna)
		anna.CloseDMs(false)
		turnOn(t, a, anna)
	})
}

func TestNothingIsOfferedWhereNothingIsWatched(t *testing.T) {
	for _, off := range []bool{false, true} {
		a := alerts.New(alerts.Config{Watching: &watched{off: off}, DMs: notify.New(notify.Config{})})
		if a.Offered() == off {
			t.Errorf("watching is off: %t; alerts are offered: %t", off, a.Offered())
		}
	}
}

// TestNobodyKnownHasADMOpened counts first messages and openings.
func TestNobodyKnownHasADMOpened(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		turn := func(to notify.Recipient, server string, want notify.Reached) {
			t.Helper()
			_, reached, err := a.TurnOn(t.Context(), to, func(s *alerts.Settings) { s.Set(server, true) })
			if err != nil || reached != want {
				t.Errorf("somebody was reached: %v, want %v (%v)", reached, want, err)
			}
		}
		anna, ben := discord.User("anna"), discord.User("ben")
		turn(as(anna), "shop", notify.Greeted)
		turn(as(anna), "radio", notify.Known) // one was sent before
		asked := as(ben)
		asked.DM = ben.InDM().ChannelID()
		turn(asked, "shop", notify.Known) // who asks there
		if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 || len(anna.InDM().Messages()) != 1 {
			t.Errorf("%d DMs were opened, anna reads %d messages", n, len(anna.InDM().Messages()))
		}
		tell(t, a, fell(ben, "shop", time.Now()))
		ben.InDM().Sees(t, "shop c fell")
	})
}
