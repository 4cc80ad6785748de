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

// wantChannelAlone fails where more is kept of a user than the DM channel, or that for longer than
// 30 days.
func wantChannelAlone(t *testing.T, url string, u *discordtest.User) {
	t.Helper()
	client := redistest.Connect(t, url)
	keys, err := redistest.Keys(t.Context(), client, "*"+u.ID+"*")
	if err != nil || len(keys) != 1 {
		t.Fatalf("left are %q (%v)", keys, err)
	}
	want := fmt.Sprintf(`{"version":1,"channel":%q}`, u.InDM().ChannelID())
	const most = 30 * 24 * time.Hour
	if got, left := client.Get(t.Context(), keys[0]).Val(), client.PTTL(t.Context(), keys[0]).Val(); got != want || left <= most-time.Hour || left > most {
		t.Errorf("%s holds %s for %v, want %s", keys[0], got, left, want)
	}
}

// TestFirstMessageIsSentOnce has a customer turn all alerts off, and on again: by themselves,
// and after staff had all forgotten.
func TestFirstMessageIsSentOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		on := func(nonce string, want bool) {
			t.Helper()
			now, sent, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.Set("shop", true) })
			if err != nil || sent != want || !now.For("shop") {
				t.Errorf("a first message was sent: %v, want %v; settings: %+v (%v)", sent, want, now, err)
			}
		}
		off := func() {
			t.Helper()
			if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
				t.Fatal(err)
			}
			if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
				t.Errorf("settings: %+v (%v)", s, err)
			}
			if _, dm, err := a.Kept(t.Context(), anna.ID); err != nil || dm.Channel == "" {
				t.Errorf("staff do not see that the channel is kept (%v)", err)
			}
		}
		on("1", true)
		off()
		off() // once more
		on("2", false)
		tell(t, a, fell(anna, "shop", time.Now()))
		anna.InDM().Sees(t, "shop c fell")
		off()
		if _, err := a.Forget(t.Context(), anna.ID); err != nil {
			t.Fatal(err)
		}
		if keys, err := redistest.Keys(t.Context(), redistest.Connect(t, url), "*"+anna.ID+"*"); err != nil || len(keys) > 0 {
			t.Errorf("left are %q (%v)", keys, err)
		}
		on("3", true)
	})
}

// TestQuarantineHoldsWhoAsksInTheirDMsAsWell has anna ask in her DM with the bot, to which the
// bot has sent nothing of its own, and ben there as well, to whom it has.
func TestQuarantineHoldsWhoAsksInTheirDMsAsWell(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Hold, timing.LongestHold = time.Hour, time.Hour })
		anna, ben, cem := discord.User("anna"), discord.User("ben"), discord.User("cem")
		turnOn(t, a, ben)
		discord.Quarantine(true)
		on := func(u *discordtest.User, nonce string, inDM bool) (sent bool, err error) {
			to := as(u)
			if inDM {
				to.DM = u.InDM().ChannelID()
			}
			_, sent, err = a.TurnOn(t.Context(), to, func(s *alerts.Settings) { s.SetAll(true) })
			return sent, err
		}
		if _, err := on(cem, "1", false); rest.CodeOf(err) != rest.CodeQuarantined {
			t.Fatalf("cem's alerts end with %v", err)
		}
		if _, err := on(anna, "2", true); !errors.Is(err, alerts.ErrLater) {
			t.Errorf("anna's alerts end with %v", err)
		}
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
			t.Errorf("anna's settings: %+v (%v)", s, err)
		}
		if sent, err := on(ben, "3", true); err != nil || sent {
			t.Errorf("ben's alerts: a first message was sent: %v (%v)", sent, err)
		}
		discord.Quarantine(false)
		endPause(t, url)
		eventually(t, func() bool { sent, err := on(anna, "4", true); return err == nil && sent }) // which shows that it is over
		if sent, err := on(discord.User("dan"), "5", true); err != nil || sent {
			t.Errorf("dan's alerts: a first message was sent: %v (%v)", sent, err)
		}
		if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 3 {
			t.Errorf("%d DMs were opened", n)
		}
	})
}

// TestAlertsAreOffWhileDiscordFails has Discord fail while the DM is opened, or the first message
// is sent there: that is no failure of ours, and all goes well afterwards.
func TestAlertsAreOffWhileDiscordFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"opening, 503":        discordtest.Overloaded(http.MethodPost, discordtest.RouteDMs),
		"opening, reset":      {Method: http.MethodPost, Route: discordtest.RouteDMs, Reset: true},
		"first message, 503":  discordtest.Overloaded(http.MethodPost, discordtest.RouteMessages),
		"first message, lost": {Method: http.MethodPost, Route: discordtest.RouteMessages, Reset: true, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := discordtest.NewManualClock(time.Now())
			discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
			a, _ := start(t, discord, redistest.StartMiniredis(t).URL(), &watched{}, nil)
			anna, mend := discord.User("anna"), discord.Inject(fault)
			on := func() (alerts.Settings, error) {
				now, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) })
				return now, err
			}
			if now, err := on(); !errors.Is(err, alerts.ErrLater) || now.Any() {
				t.Errorf("alerts end with %+v, %v", now, err)
			}
			mend()
			clock.Advance(time.Hour) // Discord knows no nonce of then
			if now, err := on(); err != nil || !now.All {
				t.Errorf("afterwards they end with %+v, %v", now, err)
			}
			if n := len(anna.InDM().Messages()); n != 1 {
				t.Errorf("%d first messages are in the DM", n)
			}
		})
	}
}
