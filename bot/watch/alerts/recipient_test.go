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
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/redistest"

	"github.com/redis/go-redis/v9"
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

// TestUnreachableRecipientIsGivenUp has a customer's account at Discord be deleted.
func TestUnreachableRecipientIsGivenUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		turnOn(t, a, anna)
		discord.Inject(refusing(404, rest.CodeUnknownUser))
		tell(t, a, fell(anna, "shop", time.Now()))
		eventually(t, func() bool { s, err := a.Settings(t.Context(), anna.ID); return err == nil && !s.Closed.IsZero() })
		settled(t, a)
		if s, err := a.Status(t.Context()); err != nil || s.Waiting != 0 || s.Pause.Is() || s.Refused != 1 {
			t.Errorf("status: %+v (%v)", s, err)
		}
		wantAlerts(t, anna)
	})
}

// passNext lets the time pass for which nothing is sent to somebody who takes no messages.
func passNext(t *testing.T, client redis.UniversalClient, userID string) {
	t.Helper()
	const script = `
local past = string.gsub(redis.call('HGET', KEYS[1], 'r'), '"next":"[^"]*"', '"next":"2020-01-01T00:00:00Z"')
return redis.call('HSET', KEYS[1], 'r', past)`
	if err := client.Eval(t.Context(), script, []string{"hostbot:{contacts}:record:" + userID}).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestRefusedRecipientKeepsTheSettings has a customer take no messages for a while, or for good. One is
// tried with each outage, after pauses of an hour to a week.
func TestRefusedRecipientKeepsTheSettings(t *testing.T) {
	t.Parallel()
	for name, refusals := range map[string]int{"for a while": 3, "for good": 6} {
		refuse := (*discordtest.User).Block
		if name == "for a while" { // as where the bot is kicked and invited again
			refuse = (*discordtest.User).CloseDMs
		}
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, client := discordtest.RunT(t, discordtest.Config{NoRateLimits: true}), redistest.Connect(t, url)
				discord.ExpectFailures()
				a, _ := start(t, discord, url, &watched{}, nil)
				anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
				turnOn(t, a, anna)
				discord.ForgetCalls()
				falls := 0
				fallsOnce := func() {
					falls++
					tell(t, a, fell(anna, fmt.Sprint("bot", falls), now.Add(time.Duration(falls)*time.Hour))) // not together
					settled(t, a)
				}
				refuse(anna, true)
				for i := range refusals {
					fallsOnce()
					fallsOnce() // which is not tried
					if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n != i+1 {
						t.Fatalf("Discord was asked %d times after refusal %d", n, i+1)
					}
					over := i == 5
					if over { // which is noted last
						eventually(t, func() bool {
							since, err := a.DMs().Refused(t.Context(), anna.ID)
							return err == nil && since.IsZero()
						})
					}
					s, err := a.Settings(t.Context(), anna.ID)
					since, failed := a.DMs().Refused(t.Context(), anna.ID)
					if err != nil || failed != nil || s.All == over || s.Closed.IsZero() == over || since.IsZero() != over {
						t.Errorf("after refusal %d alerts are %+v, refused since %v (%v, %v)", i+1, s, since, err, failed)
					}
					if !over {
						passNext(t, client, anna.ID)
					}
				}
				refuse(anna, false)
				fallsOnce()
				if s, err := a.Status(t.Context()); err != nil || s.Refused != 1 {
					t.Errorf("status: %+v (%v)", s, err)
				}
				if name == "for good" {
					wantAlerts(t, anna)
					return
				}
				wantAlerts(t, anna, fmt.Sprintf("bot%d c fell 1 times, ran 1h0m0s", falls))
				if since, err := a.DMs().Refused(t.Context(), anna.ID); err != nil || !since.IsZero() {
					t.Errorf("anna is refused since %v (%v)", since, err)
				}
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
		_, _, refused := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) })
		if !errors.Is(refused, notify.ErrClosed) {
			t.Errorf("error %v", refused)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
			t.Errorf("settings: %+v (%v)", s, err)
		}
		wantNothingKept(t, url, anna)
		if t.Failed() {
			t.Logf("refused: %v", refused)
		}
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
