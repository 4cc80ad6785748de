package alerts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi"
)

// TestDelay has one bot be down for longer than the customer's delay, one be back before that, and one be stopped.
func TestDelay(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		setTiming(t, a, anna, time.Hour, alerts.QuietHours{})
		stopped := fell(anna, "radio", now)
		stopped.Unexpected, stopped.To = false, hostapi.StateStopped
		tell(t, a, fell(anna, "shop", now), fell(anna, "radio", now), fell(anna, "chess", now))
		tell(t, a, back(anna, "shop", now.Add(time.Minute)), stopped)
		tell(t, a, fell(anna, "quiz", now.Add(-2*time.Hour))) // that it fell is seen late
		anna.InDM().Sees(t, "quiz c fell")
		settled(t, a)
		setTiming(t, a, anna, 0, alerts.QuietHours{}) // what waits does not wait any more
		anna.InDM().Sees(t, "chess c fell")
		wantAlerts(t, anna, "quiz c fell 1 times, ran 1h0m0s", "chess c fell 1 times, ran 1h0m0s")
	})
}

// TestLoopOutlastsDelay has a bot fall again and again, never seen to run between: it has been down for all that time.
func TestLoopOutlastsDelay(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		setTiming(t, a, anna, 5*time.Minute, alerts.QuietHours{})
		first := now.Add(-4 * time.Minute)
		tell(t, a, fell(anna, "shop", first))
		for _, at := range []time.Time{first.Add(time.Minute), first.Add(2 * time.Minute)} {
			again := fell(anna, "shop", at)
			again.From = hostapi.StateStarting
			tell(t, a, again)
		}
		again := fell(anna, "shop", now.Add(2*time.Minute)) // 6 minutes after the first
		again.From = hostapi.StateStarting
		tell(t, a, again)
		setTiming(t, a, anna, 3*time.Minute, alerts.QuietHours{}) // as if two minutes had passed
		anna.InDM().Sees(t, "shop c fell 4 times")
		wantAlerts(t, anna, "shop c fell 4 times, keeps falling")
	})
}

// quietNow returns quiet hours that began before, and end after the test.
func quietNow() alerts.QuietHours {
	const day = 24 * 60
	now := time.Now().UTC()
	minute := now.Hour()*60 + now.Minute()
	return alerts.QuietHours{From: (minute - 180 + day) % day, To: (minute + 180) % day, Zone: "UTC"}
}

// TestQuietHours has bots fall in the quiet hours, one be back in them, and one fall twice. The leader is killed in them, and
// the next one as it sends what was held.
func TestQuietHours(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, kill := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		setTiming(t, a, anna, 0, quietNow())
		tell(t, a, fell(anna, "shop", now.Add(-2*time.Hour)))
		tell(t, a, fell(anna, "chess", now.Add(-100*time.Minute)))
		tell(t, a, back(anna, "chess", now.Add(-99*time.Minute)))
		tell(t, a, fell(anna, "chess", now.Add(-98*time.Minute)), fell(anna, "radio", now.Add(-98*time.Minute)))
		tell(t, a, back(anna, "radio", now.Add(-97*time.Minute)))
		tell(t, a, back(anna, "radio", now.Add(-97*time.Minute))) // a poll may be shown twice
		if settings, err := a.Settings(t.Context(), anna.ID); err != nil || settings.Quiet.Zone != "UTC" {
			t.Fatalf("%+v %v", settings, err)
		}
		wantAlerts(t, anna)
		kill()
		endLease(t, url)
		lost := discord.Inject(discordtest.Fault{Method: "POST", Route: discordtest.RouteMessages, Reset: true, After: true})
		a, kill = start(t, discord, url, &watched{}, nil)
		setTiming(t, a, anna, 0, alerts.QuietHours{}) // they end
		anna.InDM().Sees(t, "shop c fell 1 times")
		kill()
		lost()
		endLease(t, url)
		a, _ = start(t, discord, url, &watched{}, nil)
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s; chess c fell 2 times, ran 1h0m0s; radio c fell 1 times, back after 1m0s, ran 1h0m0s")
	})
}

// TestQuietHoursHoldWhatAnEditSaid has a bot be back in the quiet hours of whose fall a message has told: the message shows
// it, and nothing notifies before they end.
func TestQuietHoursHoldWhatAnEditSaid(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now.Add(-time.Hour)))
		told := anna.InDM().Sees(t, "shop c fell")
		setTiming(t, a, anna, 0, quietNow())
		tell(t, a, back(anna, "shop", now))
		eventually(t, func() bool {
			v := anna.InDM().Sees(t, "shop c fell")
			return v.ID == told.ID && v.Contains("back after 1h")
		})
		setTiming(t, a, anna, 0, alerts.QuietHours{})
		if n, err := a.Timed(t.Context()); n != 0 || err != nil {
			t.Errorf("%d customers have quiet hours, %v", n, err)
		}
		eventually(t, func() bool { return anna.InDM().Sees(t, "back after 1h").ID != told.ID })
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, back after 1h0m0s, ran 1h0m0s")
	})
}

// TestTimingIsForgotten with the alerts, but for the zone.
func TestTimingIsForgotten(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, w := discordtest.RunT(t), &watched{}
		a, _ := start(t, discord, url, w, nil)
		anna := discord.User("anna")
		setTiming(t, a, anna, time.Minute, quietNow()) // while alerts are off
		if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Quiet.On() {
			t.Errorf("%+v %v", s, err)
		}
		for _, end := range []func() error{
			func() error {
				_, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) })
				return err
			},
			func() error { _, err := a.Forget(t.Context(), anna.ID); return err },
		} {
			turnOn(t, a, anna)
			setTiming(t, a, anna, time.Minute, quietNow())
			turnOn(t, a, anna) // once more: they stay
			if n, err := a.Timed(t.Context()); n != 1 || err != nil {
				t.Errorf("%d customers have a delay, %v", n, err)
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			s, err := a.Settings(t.Context(), anna.ID)
			n, failure := a.Timed(t.Context())
			if zone, _ := a.DMs().Zone(t.Context(), anna.ID); s.Delay != 0 || n != 0 || zone != "UTC" || errors.Join(err, failure) != nil {
				t.Errorf("after alerts were turned off: %+v, %d customers, zone %q, %v", s, n, zone, errors.Join(err, failure))
			}
		}
	})
}

func setTiming(t *testing.T, a *alerts.Alerts, u *discordtest.User, delay time.Duration, quiet alerts.QuietHours) {
	t.Helper()
	if _, err := a.SetTiming(t.Context(), u.ID, delay, quiet); err != nil {
		t.Fatal(err)
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+2": "UTC+02:00", "UTC+5:45": "UTC+05:45", "gmt -0330": "UTC-03:30", "−3": "UTC-03:00", "UTC+02:00": "UTC+02:00", "utc": "UTC", " berlin ": "Europe/Berlin",
		"New York": "America/New_York", "america/sao_paulo": "America/Sao_Paulo", "Port of Spain": "America/Port_of_Spain", "america/port-au-prince": "America/Port-au-Prince",
		"japan": "Japan", "est": "EST", "São Paulo": "America/Sao_Paulo", "bogotá": "America/Bogota",
		"": "", "local": "", "Local": "", "localtime": "", "../etc/passwd": "", "/etc/localtime": "", "+15": "", "Nowhere": "", strings.Repeat("x", 4000): "",
	} {
		got, err := notify.ParseZone(text)
		if got != want || (want == "") != errors.Is(err, notify.ErrZone) {
			t.Errorf("%q is %q, %v", text, got, err)
		}
		if again, err := notify.ParseZone(got); want != "" && (again != got || err != nil) {
			t.Errorf("%q is kept as %q, and read as %q, %v", text, got, again, err)
		}
	}
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"UTC-03:30": "08:30", "UTC+05:45": "17:45", "Europe/Berlin": "14:00", "UTC": "12:00", "": "12:00"} {
		if got := at.In(notify.Location(zone)).Format("15:04"); got != want {
			t.Errorf("at noon it is %s in %q, want %s", got, zone, want)
		}
	}
}
