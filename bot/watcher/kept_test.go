package watcher_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/history"
	"hostbot/bot/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

func TestNothingIsLeftOfAnAccountThatIsNotWatched(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		w, _ := start(t, url, s, o, nil)
		client := redistest.Connect(t, url)
		kept := func() bool {
			keys, err := client.Keys(t.Context(), "*4242*").Result()
			if err != nil {
				t.Fatal(err)
			}
			return len(keys) > 0 || client.ZScore(t.Context(), "hostbot:{watch}:due", "4242").Err() == nil
		}
		w.Expect(t.Context(), "4242", "bot", "stop") // of which nothing is kept
		if kept() {
			t.Error("something is kept of an account that is not watched")
		}
		watch(t, w, "4242")
		if err := w.Watch(t.Context(), "4242", watcher.Panel); err != nil {
			t.Fatal(err)
		}
		o.wait(t, 1)
		if err := w.Unwatch(t.Context(), "4242", watcher.Alerts); err != nil || !kept() {
			t.Fatalf("the account is not watched any more, or: %v", err)
		}
		if err := w.Unwatch(t.Context(), "4242", watcher.Panel); err != nil || kept() {
			t.Errorf("something is left, or: %v", err)
		}
	})
}

// TestOldEntriesAreDropped has a bot change whose log is long and old.
func TestOldEntriesAreDropped(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		client := redistest.Connect(t, url)
		now := time.Now()
		old := history.Encode(
			history.Entry{At: now.Add(-100 * 24 * time.Hour), State: hostapi.StateCrashed},
			history.Entry{At: now.Add(-95 * 24 * time.Hour), State: hostapi.StateStopped},
			history.Entry{At: now.Add(-time.Hour), State: hostapi.StateRunning},
		)
		many := strings.Repeat(history.Encode(history.Entry{At: now.Add(-time.Hour), State: hostapi.StateCrashed}), history.MaxEntries)
		s.status = "CRASHED"
		for userID, log := range map[string]string{"1": old, "2": many + history.Encode(history.Entry{At: now, State: hostapi.StateRunning})} {
			if err := client.HSet(t.Context(), history.AccountKey(userID), history.FieldAt, now.Unix(), history.Field("bot"), log).Err(); err != nil {
				t.Fatal(err)
			}
		}
		w, _ := start(t, url, s, o, nil)
		watch(t, w, "1")
		watch(t, w, "2")
		o.wait(t, 2)
		for userID, want := range map[string]int{"1": 3, "2": history.MaxEntries} {
			log, err := client.HGet(t.Context(), history.AccountKey(userID), history.Field("bot")).Result()
			if n := len(history.Decode(log)); err != nil || n != want {
				t.Errorf("%d entries are left of account %s, want %d (%v)", n, userID, want, err)
			}
		}
	})
}
