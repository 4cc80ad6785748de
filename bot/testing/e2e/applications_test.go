package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

// TestTwoApplicationsOnOneRedis has a bot that is developed and one that customers use:
// each serves all of its own, and keeps what it knows under its application's ID.
func TestTwoApplicationsOnOneRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t).URL()
	var own []string
	for range 2 {
		w, anna, _ := paneled(t, world.Options{Redis: redis, Staff: true})
		space := "hostbot:" + w.Discord.ApplicationID() + ":"
		if slices.Contains(own, space) {
			t.Fatal("the two applications have one ID")
		}
		own = append(own, space)
		anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
		awaitLooks(t, w, 2)
		crash(t, w, anna.ID, "id-shop")
		anna.InDM().Sees(t, "Shop has crashed")
		reply := anna.Types(t, "/bot restart", bot("Radio"))
		w.Finish(t)
		reply.WaitFor(t, "✅ Restarted")
		w.StaffRead(t, "✅ Restart", "id-radio")
	}
	keys, err := redistest.Keys(t.Context(), redistest.Connect(t, redis), "*")
	if err != nil || len(keys) < 10 {
		t.Errorf("only these keys: %q, %v", keys, err)
	}
	for _, key := range keys {
		of := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
		// An action on a bot keeps other actions on it back, whoever begins them.
		shared := of("hostbot:actions:") || of("hostbot:probe") || of("hostbot:commands:")
		if !shared && !slices.ContainsFunc(own, of) {
			t.Errorf("%q names no application", key)
		}
	}
}
