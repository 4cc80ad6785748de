package alerts_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/redistest"
)

// endPauses lets the pauses be over for which messages wait.
func endPauses(t *testing.T, url string) {
	t.Helper()
	const script = `
local r = redis.call('HGET', KEYS[1], 'r')
if r then redis.call('HSET', KEYS[1], 'r', (string.gsub(r, '"until":"[^"]*"', '"until":"2020-01-01T00:00:00Z"'))) end
return 1`
	if err := redistest.Connect(t, url).Eval(t.Context(), script, []string{"hostbot:{dms}:record:pause"}).Err(); err != nil {
		t.Fatal(err)
	}
}

// longPauses has messages wait until a test ends the pauses. told are those of which staff are notified.
func longPauses(told chan notify.Pause) func(*setup) {
	return func(c *setup) {
		c.Timing.Pause, c.Timing.LongPause = time.Hour, 2*time.Hour
		c.OnPause = func(p notify.Pause, _ error) { told <- p }
	}
}

// TestWhatDiscordForbidsForAllIsTriedByWhoComesFirst has Discord take no message of many customers, for
// each of its reasons, and then take them again.
func TestWhatDiscordForbidsForAllIsTriedByWhoComesFirst(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string][2]int{
		"quarantined": {403, rest.CodeQuarantined}, "suspicion of abuse": {403, rest.CodeUnknownMessage}, "401": {401, 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, told := discordtest.RunT(t), make(chan notify.Pause, 100)
				a, _ := start(t, discord, url, &watched{}, longPauses(told))
				client := redistest.Connect(t, url)
				var people []*discordtest.User
				for i := range 3 {
					people = append(people, discord.User(fmt.Sprint("c", i)))
					turnOn(t, a, people[i])
				}
				remove := discord.Inject(refusing(refusal[0], refusal[1]))
				discord.ForgetCalls()
				// A message that was at it while the pause ended is noted as due after the former pause.
				hastened := func(yes func() bool) {
					t.Helper()
					eventually(t, func() bool { hasten(t, client, a); return yes() })
				}
				waits := func(lasts time.Duration) {
					t.Helper()
					hastened(func() bool {
						s, err := a.Status(t.Context())
						return err == nil && !s.Pause.New && s.Pause.Code == refusal[1] && time.Until(s.Pause.Until) > lasts-time.Minute
					})
				}
				tell(t, a, fell(people[0], "shop", time.Now()))
				waits(time.Hour)
				for _, u := range people[1:] {
					tell(t, a, fell(u, "shop", time.Now()))
				}
				if p := <-told; p.New || p.Code != refusal[1] {
					t.Errorf("staff are notified of %+v", p)
				}
				endPauses(t, url)
				waits(2 * time.Hour)
				if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n > 1+len(people) {
					t.Errorf("Discord was asked %d times", n)
				}
				remove()
				hastened(func() bool {
					endPauses(t, url) // again where one was refused before and says so now
					s, err := a.Status(t.Context())
					return err == nil && s.Sent == int64(len(people))
				})
				for _, u := range people {
					u.InDM().Sees(t, "shop c fell")
				}
				eventually(t, func() bool {
					s, err := a.Status(t.Context())
					return err == nil && !s.Pause.Is() && s.Waiting == 0 && s.Refused == 0
				})
				if len(told) > 0 {
					t.Errorf("staff are notified %d times more", len(told))
				}
			})
		})
	}
}

// TestNewPeopleWaitWhileDiscordRefusesThem has Discord let the bot write to nobody new, for
// each of its reasons, while alerts to others go on.
func TestNewPeopleWaitWhileDiscordRefusesThem(t *testing.T) {
	t.Parallel()
	tooFast := refusing(403, rest.CodeDMsTooFast)
	tooFast.Route = discordtest.RouteDMs
	for name, strike := range map[string]func(*discordtest.Server) (mend func()){
		"too fast":    func(d *discordtest.Server) func() { return d.Inject(tooFast) },
		"quarantined": func(d *discordtest.Server) func() { d.Quarantine(true); return func() { d.Quarantine(false) } },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, told := discordtest.RunT(t), make(chan notify.Pause, 100)
				a, _ := start(t, discord, url, &watched{}, longPauses(told))
				anna, ben := discord.User("anna"), discord.User("ben")
				turnOn(t, a, anna)
				discord.ForgetCalls()
				mend := strike(discord)
				on := func(u *discordtest.User) error {
					_, _, err := a.TurnOn(t.Context(), as(u), func(s *alerts.Settings) { s.SetAll(true) })
					return err
				}
				for range 3 {
					if err := on(ben); !errors.Is(err, notify.ErrLater) {
						t.Errorf("ben's alerts end with %v", err)
					}
				}
				if s, err := a.Settings(t.Context(), ben.ID); err != nil || s.Any() {
					t.Errorf("ben's settings: %+v (%v)", s, err)
				}
				if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 {
					t.Errorf("Discord was asked %d times", n)
				}
				if p := <-told; !p.New || len(told) > 0 {
					t.Errorf("staff are notified of %+v, and %d times more", p, len(told))
				}
				tell(t, a, fell(anna, "shop", time.Now()))
				anna.InDM().Sees(t, "shop c fell")
				mend()
				endPauses(t, url)
				if err := on(ben); err != nil {
					t.Errorf("afterwards ben's alerts end with %v", err)
				}
				if s, err := a.Status(t.Context()); err != nil || s.Pause.Is() {
					t.Errorf("status: %+v (%v)", s, err)
				}
				strike(discord) // again, as Discord may take one to somebody who was written to before
				if err := on(discord.User("cem")); !errors.Is(err, notify.ErrLater) || len(told) > 0 {
					t.Errorf("cem's alerts end with %v, staff are notified again: %d times", err, len(told))
				}
			})
		})
	}
}

// TestQuarantineHoldsWhoAsksInTheirDMsAsWell has anna ask in her DM with the bot, to which the
// bot has sent nothing of its own, and ben there as well, to whom it has.
func TestQuarantineHoldsWhoAsksInTheirDMsAsWell(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, longPauses(make(chan notify.Pause, 100)))
		anna, ben, cem := discord.User("anna"), discord.User("ben"), discord.User("cem")
		turnOn(t, a, ben)
		discord.Quarantine(true)
		on := func(u *discordtest.User, inDM bool) (notify.Reached, error) {
			to := as(u)
			if inDM {
				to.DM = u.InDM().ChannelID()
			}
			_, reached, err := a.TurnOn(t.Context(), to, func(s *alerts.Settings) { s.SetAll(true) })
			return reached, err
		}
		if _, err := on(cem, false); rest.CodeOf(err) != rest.CodeQuarantined {
			t.Fatalf("cem's alerts end with %v", err)
		}
		if _, err := on(anna, true); !errors.Is(err, notify.ErrLater) {
			t.Errorf("anna's alerts end with %v", err)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
			t.Errorf("anna's settings: %+v (%v)", s, err)
		}
		if reached, err := on(ben, true); err != nil || reached != notify.Known {
			t.Errorf("ben was reached: %v (%v)", reached, err)
		}
		discord.Quarantine(false)
		endPauses(t, url)
		if reached, err := on(anna, true); err != nil || reached != notify.Greeted { // and that shows that it is over
			t.Errorf("anna was reached: %v (%v)", reached, err)
		}
		if reached, err := on(discord.User("dan"), true); err != nil || reached != notify.Known {
			t.Errorf("dan was reached: %v (%v)", reached, err)
		}
	})
}

// refuser is a Discord that refuses messages in one channel.
type refuser struct {
	notify.Discord
	channel  atomic.Value // string
	refusals atomic.Int32
}

func (r *refuser) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	if channelID == r.channel.Load() {
		r.refusals.Add(1)
		return "", &rest.Error{Status: http.StatusForbidden, Code: rest.CodeUnknownMessage, Message: "no"}
	}
	return r.Discord.CreateMessage(ctx, channelID, nonce, m)
}

// TestAlertThatAloneIsRefusedIsGivenUp has Discord take others again and again meanwhile, whose alerts
// arrive. Nobody loses an alert while Discord takes none.
func TestAlertThatAloneIsRefusedIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		t.Run(fmt.Sprint(alone), func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, r := discordtest.RunT(t, discordtest.Config{NoRateLimits: true}), &refuser{}
				a, _ := start(t, discord, url, &watched{}, func(c *setup) {
					r.Discord, c.Discord = c.Discord, r
					c.Timing.Pause, c.Timing.LongPause = time.Millisecond, time.Millisecond
				})
				anna, ben := discord.User("anna"), discord.User("ben")
				turnOn(t, a, anna)
				turnOn(t, a, ben)
				r.channel.Store(anna.InDM().ChannelID())
				tell(t, a, fell(anna, "shop", time.Now()))
				if !alone {
					eventually(t, func() bool { return r.refusals.Load() > 15 })
					r.channel.Store("")
					anna.InDM().Sees(t, "shop c fell")
					return
				}
				for falls := 0; ; falls++ {
					name := fmt.Sprint("bot", falls)
					tell(t, a, fell(ben, name, time.Now().Add(time.Duration(falls)*time.Hour))) // not together
					ben.InDM().Sees(t, name+" c fell")
					if s, err := a.Status(t.Context()); err == nil && s.Waiting == 0 {
						break
					}
				}
				if n := r.refusals.Load(); n < 10 {
					t.Errorf("it was tried %d times", n)
				}
				if s, err := a.Settings(t.Context(), anna.ID); err != nil || !s.All {
					t.Errorf("settings: %+v (%v)", s, err)
				}
			})
		})
	}
}
