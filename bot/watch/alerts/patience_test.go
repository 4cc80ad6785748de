package alerts_test

import (
	"errors"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// TestPatience has one bot be down for longer than the customer's patience, one be back before that, and one be stopped.
func TestPatience(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		patient(t, a, anna, time.Hour, alerts.QuietHours{})
		stopped := fell(anna, "radio", now)
		stopped.Unexpected, stopped.To = false, hostapi.StateStopped
		tell(t, a, fell(anna, "shop", now), fell(anna, "radio", now), fell(anna, "chess", now))
		tell(t, a, back(anna, "shop", now.Add(time.Minute)), stopped)
		tell(t, a, fell(anna, "quiz", now.Add(-2*time.Hour))) // that it fell is seen late
		anna.InDM().Sees(t, "quiz c fell")
		patient(t, a, anna, 0, alerts.QuietHours{}) // what waits does not wait any more
		anna.InDM().Sees(t, "chess c fell")
		wantAlerts(t, anna, "quiz c fell 1 times, ran 1h0m0s", "chess c fell 1 times, ran 1h0m0s")
	})
}

// TestQuietHours has two bots fall an hour apart in the quiet hours, and one be back in them.
func TestQuietHours(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().UTC().Truncate(time.Second)
		turnOn(t, a, anna)
		const day = 24 * 60
		minute := now.Hour()*60 + now.Minute()
		patient(t, a, anna, 0, alerts.QuietHours{From: (minute - 180 + day) % day, To: (minute + 180) % day, Zone: "UTC"})
		tell(t, a, fell(anna, "shop", now.Add(-2*time.Hour)))
		tell(t, a, fell(anna, "radio", now.Add(-time.Hour)))
		tell(t, a, back(anna, "radio", now.Add(-time.Hour+time.Minute)))
		settings, err := a.Settings(t.Context(), anna.ID)
		if err != nil || settings.Quiet.Zone != "UTC" {
			t.Fatalf("%+v %v", settings, err)
		}
		wantAlerts(t, anna)
		patient(t, a, anna, 0, alerts.QuietHours{}) // they end
		anna.InDM().Sees(t, "shop c fell 1 times")
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s; radio c fell 1 times, back after 1m0s, ran 1h0m0s")
	})
}

func patient(t *testing.T, a *alerts.Alerts, u *discordtest.User, patience time.Duration, quiet alerts.QuietHours) {
	t.Helper()
	if _, err := a.Patient(t.Context(), u.ID, patience, quiet); err != nil {
		t.Fatal(err)
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+2": "+02:00", "UTC+5:45": "+05:45", "gmt -0330": "-03:30", "−3": "-03:00", "utc": "UTC", " berlin ": "Europe/Berlin",
		"New York": "America/New_York", "america/sao_paulo": "America/Sao_Paulo", "Port of Spain": "America/Port_of_Spain",
		"": "", "local": "", "../etc/passwd": "", "+15": "", "Nowhere": "",
	} {
		got, err := alerts.ParseZone(text)
		if got != want || (want == "") != errors.Is(err, alerts.ErrZone) {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}
