package alerts_test

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi/redistest"
)

// TestTimesThatLieAheadHoldNothingBack has Redis hold times that a wrong clock has written: of a
// fall, of a bot that is muted, of a hold, and of the line of those to whom a DM is opened.
func TestTimesThatLieAheadHoldNothingBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		ahead := now.Add(time.Hour)
		first := fell(anna, "shop", ahead)
		tell(t, a, first)
		anna.InDM().Sees(t, "shop c fell 1 times")
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		anna.InDM().Sees(t, "back after 0s") // and not after less than nothing
		tell(t, a, fell(anna, "shop", now.Add(2*time.Minute)))
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 && s.Sent == 2 })

		if err := a.Mute(t.Context(), anna.ID, "radio", now.Add(48*time.Hour)); err != nil {
			t.Fatal(err)
		}
		for _, record := range []struct{ key, value string }{
			{"hostbot:{holds}:record:all", `{"until":99999999999999,"pause":1000,"code":20026}`},
			{"hostbot:{opening}:record:line", `{"next":99999999999999}`},
		} {
			fields := []any{"v", "1", "f", "1", "r", record.value, "o", ""}
			if err := client.HSet(t.Context(), record.key, fields...).Err(); err != nil {
				t.Fatal(err)
			}
		}
		tell(t, a, fell(anna, "radio", now))
		anna.InDM().Sees(t, "radio c fell 1 times")
		ben := discord.User("ben")
		eventually(t, func() bool { // once the try of the hold is over
			_, _, err := a.TurnOn(t.Context(), as(ben), func(s *alerts.Settings) { s.SetAll(true) })
			return err == nil
		})
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
