package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/e2e/world"
)

// TestNothingIsLeftOfWhoWasWatched turns alerts off and removes a panel, which takes with
// it what was kept for them: the states of bots, alerts, and when the next look is due.
func TestNothingIsLeftOfWhoWasWatched(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, _, _ := paneled(t, world.Options{Redis: "redis://" + redis.Addr()})
	dm := anna.InDM()
	alerts := anna.Types(t, "/alerts").Press(t, "On for all")
	alerts.WaitFor(t, "Alerts are on")
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	dm.Sees(t, "Shop has crashed")
	// left returns the keys of what watches, alerts and shows panels that name her. Which
	// bots fell is counted for 50 minutes.
	left := func() (keys []string) {
		for _, entry := range strings.Split("\n"+redis.Dump(), "\n- ") {
			key, _, _ := strings.Cut(entry, "\n")
			for _, part := range []string{"hostbot:{watch}", "hostbot:{alerts}", "hostbot:{panels}"} {
				if strings.HasPrefix(key, part) && !strings.Contains(key, ":falls:") && strings.Contains(entry, anna.ID) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	}
	if n := len(left()); n < 5 {
		t.Errorf("only %d keys name her: %q", n, left())
	}
	alerts.Press(t, "Off for all").WaitFor(t, "Alerts are off")
	anna.Types(t, "/panel").Choose(t, "Remove a panel", "Panel 1").WaitFor(t, "The panel was removed")
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if !world.Eventually(limit, func() bool { return len(left()) == 0 }) { // a look may be under way
		t.Errorf("%q name her still", left())
	}
}
