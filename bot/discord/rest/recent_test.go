package rest_test

import (
	"testing"
	"time"

	"hostbot/bot/discord/recent"
)

func TestOlderCallsAreForgotten(t *testing.T) {
	for _, window := range []time.Duration{5 * time.Minute, 10 * time.Minute} {
		c := recent.Counter{Window: window}
		began := time.Unix(1_700_000_400, 0)
		c.Add(began, true)
		c.Add(began.Add(window/5), false)
		c.Add(began.Add(window-time.Second), false)
		check := func(at time.Duration, calls, failed int) {
			t.Helper()
			if got, bad := c.Sum(began.Add(at)); got != calls || bad != failed {
				t.Errorf("window %v, after %v: %d calls, %d failed, want %d and %d", window, at, got, bad, calls, failed)
			}
		}
		check(window-time.Second, 3, 1)
		check(window, 2, 0)
		check(window+window/5, 1, 0)
		check(3*window, 0, 0)
		c.Add(began.Add(3*window), true) // in a slot that was used before
		check(3*window, 1, 1)
	}
}
