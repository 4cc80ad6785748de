package watcher_test

import (
	"errors"
	"testing"

	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
)

// TestAccountThatMakesNoSenseKeepsNobodyElseBack has Redis hold something of another type in the
// place of what is known of an account, at a rate that lets one account be looked at at a time.
func TestAccountThatMakesNoSenseKeepsNobodyElseBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newService()
		w, _ := start(t, url, s, newTold(), func(c *watcher.Config) { c.Rate = 4 })
		watch(t, w, "1")
		watch(t, w, "2")
		s.wait(t, "1", 1)
		client, key := redistest.Connect(t, url), "hostbot:{watch}:record:1"
		if err := errors.Join(client.Del(t.Context(), key).Err(), client.Set(t.Context(), key, "x", 0).Err()); err != nil {
			t.Fatal(err)
		}
		s.wait(t, "1", 2)
		s.wait(t, "2", 3)
		s.wait(t, "1", 1) // which goes on being tried
	})
}
