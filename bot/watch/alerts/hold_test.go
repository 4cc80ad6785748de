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
	"hostbot/hostapi/redistest"
)

// calls counts calls by method and route.
func calls(discord *discordtest.Server, method, route string) (n int) {
	for _, c := range discord.Calls() {
		if c.Method == method && c.Route == route {
			n++
		}
	}
	return n
}

// refusing is a fault that refuses each message with a status and a code.
func refusing(status, code int) discordtest.Fault {
	return discordtest.Fault{
		Method: http.MethodPost, Route: discordtest.RouteMessages, Status: status,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: fmt.Sprintf(`{"code": %d, "message": "no"}`, code),
	}
}

// TestWhatDiscordForbidsForAllIsTriedForOne has alerts of many customers wait while Discord
// takes none, whatever its reason.
func TestWhatDiscordForbidsForAllIsTriedForOne(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string][2]int{
		"quarantined": {403, rest.CodeQuarantined}, "opening too fast": {403, rest.CodeDMsTooFast}, "suspicion of abuse": {403, rest.CodeUnknownMessage}, "401": {401, 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				told := make(chan alerts.Held, 100)
				a, _ := startWith(t, discord, url, &watched{}, func(c *alerts.Config) {
					c.Timing.Hold, c.Timing.LongestHold = 100*time.Millisecond, time.Hour
					c.OnHeld = func(h alerts.Held, _ error) { told <- h }
				})
				const customers = 6
				var people []*discordtest.User
				for i := range customers {
					people = append(people, discord.User(fmt.Sprint("c", i)))
					turnOn(t, a, people[i])
				}
				remove := discord.Inject(refusing(refusal[0], refusal[1]))
				discord.ForgetCalls()
				for _, u := range people {
					tell(t, a, fell(u, "shop", time.Now()))
				}
				awaitCall(t, discord, http.MethodPost, refusal[0])
				eventually(t, func() bool {
					s, err := a.Status(t.Context())
					return err == nil && s.Held.Is() && !s.Held.New && s.Held.Code == refusal[1]
				})
				began := calls(discord, http.MethodPost, discordtest.RouteMessages) // those of the turn in which it began
				eventually(t, func() bool { return calls(discord, http.MethodPost, discordtest.RouteMessages) >= began+2 })
				if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n > 2*customers {
					t.Errorf("Discord was asked %d times", n)
				}
				remove()
				for _, u := range people {
					u.InDM().Sees(t, "shop c fell")
				}
				eventually(t, func() bool {
					s, err := a.Status(t.Context())
					return err == nil && !s.Held.Is() && s.Waiting == 0 && s.Refused == 0
				})
				if n := len(told); n != 1 {
					t.Errorf("staff are told %d times", n)
				}
			})
		})
	}
}

// TestChannelThatIsRefusedIsOpenedAnewOnce has Discord refuse a DM's channel, at first and for
// good.
func TestChannelThatIsRefusedIsOpenedAnewOnce(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"once": 1, "for good": 0} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Hold = time.Millisecond })
				anna := discord.User("anna")
				turnOn(t, a, anna)
				discord.ForgetCalls()
				fault := refusing(403, rest.CodeMissingAccess)
				fault.Times = times
				discord.Inject(fault)
				tell(t, a, fell(anna, "shop", time.Now()))
				eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
				if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 {
					t.Errorf("the DM was opened %d times", n)
				}
				if times == 1 {
					wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s")
					return
				}
				wantAlerts(t, anna)
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
				if s, err := a.Status(t.Context()); err != nil || s.Waiting != 0 || s.Held.Is() {
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
		if _, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) }); !errors.Is(err, alerts.ErrClosed) {
			t.Errorf("error %v", err)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
			t.Errorf("settings: %+v (%v)", s, err)
		}
		anna.CloseDMs(false)
		turnOn(t, a, anna)
	})
}

func TestNothingIsOfferedWhereNothingIsWatched(t *testing.T) {
	for _, off := range []bool{false, true} {
		if a := alerts.New(alerts.Config{Watching: &watched{off: off}}); a.Offered() == off {
			t.Errorf("watching is off: %t; alerts are offered: %t", off, a.Offered())
		}
	}
}

// TestNobodyKnownHasADMOpened counts first messages and openings.
func TestNobodyKnownHasADMOpened(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		turn := func(to alerts.Recipient, server string, want bool) {
			t.Helper()
			_, sent, err := a.TurnOn(t.Context(), to, func(s *alerts.Settings) { s.Set(server, true) })
			if err != nil || sent != want {
				t.Errorf("a first message was sent: %v, want %v (%v)", sent, want, err)
			}
		}
		anna, ben := discord.User("anna"), discord.User("ben")
		turn(as(anna), "shop", true)
		turn(as(anna), "radio", false) // one was sent before
		asked := as(ben)
		asked.DM = ben.InDM().ChannelID()
		turn(asked, "shop", false) // who asks there
		if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 || len(anna.InDM().Messages()) != 1 {
			t.Errorf("%d DMs were opened, anna reads %d messages", n, len(anna.InDM().Messages()))
		}
		tell(t, a, fell(ben, "shop", time.Now()))
		ben.InDM().Sees(t, "shop c fell")
	})
}

// endPause lets the pauses be over, if there are any, for which new people are not written to and no DM
// is opened.
func endPause(t *testing.T, url string) {
	t.Helper()
	const script = `
local held = redis.call('HGET', KEYS[1], 'r')
if held then redis.call('HSET', KEYS[1], 'r', (string.gsub(held, '"until":%d+', '"until":1'))) end
return 1`
	client := redistest.Connect(t, url)
	if err := errors.Join(
		client.Eval(t.Context(), script, []string{"hostbot:{holds}:record:new"}).Err(),
		client.Del(t.Context(), "hostbot:{opening}:record:line").Err(),
	); err != nil {
		t.Fatal(err)
	}
}

// TestNewPeopleWaitWhileDiscordRefusesThem has Discord let the bot write to nobody new, for
// each of its reasons, while alerts to others go on.
func TestNewPeopleWaitWhileDiscordRefusesThem(t *testing.T) {
	t.Parallel()
	limited := discordtest.RateLimited(http.MethodPost, discordtest.RouteDMs, time.Hour, false)
	tooFast := refusing(403, rest.CodeDMsTooFast)
	tooFast.Route = discordtest.RouteDMs
	for name, strike := range map[string]func(*discordtest.Server) (mend func()){
		"429":         func(d *discordtest.Server) func() { return d.Inject(limited) },
		"too fast":    func(d *discordtest.Server) func() { return d.Inject(tooFast) },
		"quarantined": func(d *discordtest.Server) func() { d.Quarantine(true); return func() { d.Quarantine(false) } },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				told := make(chan alerts.Held, 100)
				a, _ := startWith(t, discord, url, &watched{}, func(c *alerts.Config) {
					c.Timing.Hold, c.Timing.LongestHold = time.Hour, time.Hour
					c.OnHeld = func(h alerts.Held, _ error) { told <- h }
				})
				anna, ben := discord.User("anna"), discord.User("ben")
				turnOn(t, a, anna)
				discord.ForgetCalls()
				mend := strike(discord)
				on := func() error {
					_, _, err := a.TurnOn(t.Context(), as(ben), func(s *alerts.Settings) { s.SetAll(true) })
					return err
				}
				for range 3 {
					if err := on(); !errors.Is(err, alerts.ErrLater) {
						t.Errorf("ben's alerts end with %v", err)
					}
				}
				if s, err := a.Settings(t.Context(), ben.ID); err != nil || s.Any() {
					t.Errorf("ben's settings: %+v (%v)", s, err)
				}
				if name != "429" {
					if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 {
						t.Errorf("Discord was asked %d times", n)
					}
					if h := <-told; !h.New || len(told) > 0 {
						t.Errorf("staff are told of %+v, and %d times more", h, len(told))
					}
				}
				tell(t, a, fell(anna, "shop", time.Now()))
				anna.InDM().Sees(t, "shop c fell")
				mend()
				endPause(t, url)
				eventually(t, func() bool { return on() == nil })
				if s, err := a.Status(t.Context()); err != nil || s.Held.Is() {
					t.Errorf("status: %+v (%v)", s, err)
				}
				strike(discord) // again, as Discord may take one to somebody who was written to before
				cem := discord.User("cem")
				_, _, err := a.TurnOn(t.Context(), as(cem), func(s *alerts.Settings) { s.SetAll(true) })
				if !errors.Is(err, alerts.ErrLater) || len(told) > 0 {
					t.Errorf("cem's alerts end with %v, staff are told again: %d times", err, len(told))
				}
			})
		})
	}
}
