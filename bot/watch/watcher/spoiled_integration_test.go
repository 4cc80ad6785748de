//go:build integration

package watcher_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"

	"github.com/redis/go-redis/v9"
)

// short is the interval of these tests, in which one passes by itself.
const short = 400 * time.Millisecond

// TestAccountThatMakesNoSenseKeepsNobodyElseBack has Redis hold something of another type in the
// place of what is known of an account, at a rate that lets one account be looked at at a time.
func TestAccountThatMakesNoSenseKeepsNobodyElseBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newService()
		w, _ := start(t, url, s, newTold(), func(c *watcher.Config) { c.Interval, c.Rate = short, 4 })
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

// TestTimesThatLieAheadSilenceNothing has Redis hold times that a wrong clock has written: of an
// action on a bot, and of its next poll.
func TestTimesThatLieAheadSilenceNothing(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o, client := newService(), newTold(), redistest.Connect(t, url)
		w, kill := start(t, url, s, o, func(c *watcher.Config) { c.Interval = short })
		watch(t, w, "1")
		o.wait(t, 1)
		s.wait(t, "1", 2) // until it is written
		kill()
		ahead := time.Now().Add(24 * time.Hour)
		if err := errors.Join(
			client.HSet(t.Context(), history.AccountKey("", "1"), "x:bot", fmt.Sprint("stop ", ahead.Unix())).Err(),
			client.ZAdd(t.Context(), "hostbot:{watch}:due", redis.Z{Score: float64(ahead.UnixMilli()), Member: "1"}).Err(),
		); err != nil {
			t.Fatal(err)
		}
		s.set(func(s *service) { s.status = "STOPPED" })
		start(t, url, s, o, func(c *watcher.Config) { c.Interval = short })
		if c := o.wait(t, 2); !c.Unexpected {
			t.Errorf("an action that is yet to come explains %+v", c)
		}
	})
}
