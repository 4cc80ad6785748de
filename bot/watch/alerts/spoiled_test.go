package alerts_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi/redistest"
)

// TestWhatCannotBeReadKeepsNobodyElseBack has Redis hold no JSON in the place of a customer's settings,
// of how the customer is reached, or of what is known of a message. The next customer is told all the same, and this one can turn
// alerts on again.
func TestWhatCannotBeReadKeepsNobodyElseBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		now := time.Now().Truncate(time.Second)
		for name, spoil := range map[string]func(u *discordtest.User) error{
			"settings": func(u *discordtest.User) error {
				return client.HSet(t.Context(), "hostbot:{settings}:record:"+u.ID, "r", "{").Err()
			},
			"contact": func(u *discordtest.User) error {
				return client.HSet(t.Context(), "hostbot:{contacts}:record:"+u.ID, "r", "{").Err()
			},
			"message": func(u *discordtest.User) error {
				return client.HSet(t.Context(), recordKey(t, client, u), "r", "{").Err()
			},
		} {
			anna, ben := discord.User("anna "+name), discord.User("ben "+name)
			turnOn(t, a, anna)
			turnOn(t, a, ben)
			tell(t, a, fell(anna, "shop", now))
			eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 && s.Sent > 0 })
			if err := spoil(anna); err != nil {
				t.Fatal(err)
			}
			tell(t, a, fell(anna, "radio", now), fell(ben, "shop", now))
			ben.InDM().Sees(t, "shop c fell")
			if name == "settings" { // without them no alerts are on
				turnOn(t, a, anna)
				tell(t, a, fell(anna, "radio", now))
			}
			anna.InDM().Sees(t, "radio c fell")
			_, err := a.Forget(t.Context(), anna.ID)
			_, failed := a.DMs().Forget(t.Context(), anna.ID)
			if err = errors.Join(err, failed); err != nil {
				t.Error(err)
			}
			wantNothingKept(t, url, anna)
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
		const later = `{"all":"some"}`
		key := "hostbot:{settings}:record:" + anna.ID
		if err := client.HSet(t.Context(), key, "v", 1, "f", 9, "r", later).Err(); err != nil {
			t.Fatal(err)
		}
		tell(t, a, fell(anna, "shop", time.Now()))
		if _, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) }); err == nil {
			t.Error("the settings were changed")
		}
		if kept := client.HGet(t.Context(), key, "r").Val(); kept != later {
			t.Errorf("the settings are %s", kept)
		}
	})
}

// TestTurningOffAndOnAtOnceLeavesAlertsWatched has somebody turn alerts on while another process,
// which has just turned them off, has yet to say that the account need not be watched.
func TestTurningOffAndOnAtOnceLeavesAlertsWatched(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, w := discordtest.RunT(t), &watched{}
		a, _ := start(t, discord, url, w, nil)
		anna := discord.User("anna")
		turnOn(t, a, anna)
		w.unwatching = func(context.Context) { turnOn(t, a, anna) }
		if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
			t.Fatal(err)
		}
		if _, watching := w.Load(anna.ID); !watching {
			t.Error("alerts are on, and the account is not watched")
		}
		w.unwatching = nil
		w.watching = func(ctx context.Context) { // off at the moment in which they are turned on
			w.watching = nil
			if _, err := a.TurnOff(ctx, anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
				t.Error(err)
			}
		}
		turnOn(t, a, anna)
		if _, watching := w.Load(anna.ID); !watching {
			t.Error("alerts are on, and the account is not watched")
		}
	})
}
