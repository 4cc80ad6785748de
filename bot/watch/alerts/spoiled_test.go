package alerts_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi/redistest"
)

// TestWhatMakesNoSenseKeepsNobodyElseBack has Redis hold something of another type in the place of
// a customer's settings, or of what is known of a message. The next customer is told all the same.
func TestWhatMakesNoSenseKeepsNobodyElseBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		now := time.Now().Truncate(time.Second)
		for name, spoil := range map[string]func(u *discordtest.User) string{
			"settings": func(u *discordtest.User) string { return "hostbot:{alerts}:customer:" + u.ID },
			"message":  func(u *discordtest.User) string { return recordKey(t, client, u) },
			"messages": func(u *discordtest.User) string { return "hostbot:{alerts}:of:" + u.ID },
		} {
			anna, ben := discord.User("anna "+name), discord.User("ben "+name)
			turnOn(t, a, anna)
			turnOn(t, a, ben)
			tell(t, a, fell(anna, "shop", now))
			eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 && s.Sent > 0 })
			key := spoil(anna)
			if err := errors.Join(client.Del(t.Context(), key).Err(), client.RPush(t.Context(), key, "x").Err()); err != nil {
				t.Fatal(err)
			}
			tell(t, a, fell(anna, "radio", now), fell(ben, "shop", now))
			ben.InDM().Sees(t, "shop c fell")
			if name != "settings" { // without them no alerts are on
				anna.InDM().Sees(t, "radio c fell")
			}
		}
	})
}

// TestUnreadableSettingsAreSetAside has Redis hold what is no customer. Staff are told once, and the
// customer can turn alerts on again.
func TestUnreadableSettingsAreSetAside(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		var told atomic.Int32
		a, _ := startWith(t, discord, url, &watched{}, func(c *alerts.Config) {
			c.Aside = func(string, error) { told.Add(1) }
		})
		for i, spoil := range []func(key string) error{
			func(key string) error { return client.Set(t.Context(), key, "no JSON", 0).Err() },
			func(key string) error {
				return errors.Join(client.Del(t.Context(), key).Err(), client.RPush(t.Context(), key, "x").Err())
			},
		} {
			anna := discord.User(fmt.Sprint("anna", i))
			turnOn(t, a, anna)
			key := "hostbot:{alerts}:customer:" + anna.ID
			before := told.Load()
			if err := spoil(key); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				tell(t, a, fell(anna, "shop", time.Now()))
			}
			if n := told.Load() - before; n != 1 {
				t.Errorf("staff were told %d times", n)
			}
			if kept, err := client.TTL(t.Context(), "hostbot:{alerts}:aside:customer:"+anna.ID).Result(); err != nil || kept <= 0 {
				t.Errorf("what was set aside is kept for %v (%v)", kept, err)
			}
			if err := spoil(key); err != nil {
				t.Fatal(err)
			}
			turnOn(t, a, anna)
			tell(t, a, fell(anna, "shop", time.Now()))
			anna.InDM().Sees(t, "shop c fell")
		}
	})
}

// TestSettingsOfALaterVersionAreLeftAlone has a later version of the program have written a
// customer's settings, which this one cannot read.
func TestSettingsOfALaterVersionAreLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		const later = `{"version":9,"all":"some"}`
		key := "hostbot:{alerts}:customer:" + anna.ID
		if err := client.Set(t.Context(), key, later, 0).Err(); err != nil {
			t.Fatal(err)
		}
		tell(t, a, fell(anna, "shop", time.Now()))
		if _, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) }); err == nil {
			t.Error("the settings were changed")
		}
		if kept := client.Get(t.Context(), key).Val(); kept != later {
			t.Errorf("the settings are %s", kept)
		}
	})
}
