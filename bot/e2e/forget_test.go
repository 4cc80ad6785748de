package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
)

// TestNothingIsLeftOfWhoWasWatched turns alerts off and removes a panel, or has staff do
// that, which takes with it what was kept for them: the states of bots, alerts, and when
// the next look is due.
func TestNothingIsLeftOfWhoWasWatched(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w *world.World, anna *discordtest.User){
		"by the customer": func(t *testing.T, _ *world.World, anna *discordtest.User) {
			anna.Types(t, "/alerts").Press(t, "Off for all").WaitFor(t, "Alerts are off")
			anna.Types(t, "/panel").Choose(t, "Remove a panel", "Panel 1").WaitFor(t, "The panel was removed")
		},
		"by staff": func(t *testing.T, w *world.World, anna *discordtest.User) { flush(t, w.AddStaff("sam"), anna) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := miniredis.RunT(t)
			redis.ClockTTL(true)
			w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true})
			anna.Types(t, "/alerts").Press(t, "On for all").WaitFor(t, "Alerts are on")
			awaitLooks(t, w, 2)
			crash(t, w, anna.ID, "id-shop")
			anna.InDM().Sees(t, "Shop has crashed")
			if kept := keptOf(redis, anna.ID); len(kept) < 5 {
				t.Errorf("only these keys name her: %q", kept)
			}
			end(t, w, anna)
			limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if !world.Eventually(limit, func() bool { return len(keptOf(redis, anna.ID)) == 0 }) { // a look may be under way
				t.Errorf("%q name her still", keptOf(redis, anna.ID))
			}
			if n := len(general.Messages()); n != 0 {
				t.Errorf("%d messages are in the channel", n)
			}
		})
	}
}

// keptOf returns the keys of what watches, alerts and shows panels that name a user. Which
// bots fell is counted for 50 minutes.
func keptOf(redis *miniredis.Miniredis, userID string) (keys []string) {
	for _, entry := range strings.Split("\n"+redis.Dump(), "\n- ") {
		key, _, _ := strings.Cut(entry, "\n")
		for _, part := range []string{"hostbot:{watch}", "hostbot:{alerts}", "hostbot:{panels}"} {
			if strings.HasPrefix(key, part) && !strings.Contains(key, ":falls:") && strings.Contains(entry, userID) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
