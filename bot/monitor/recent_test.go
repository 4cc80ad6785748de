package monitor

import (
	"testing"
	"time"
)

func TestRecentForgetsWhatIsOlderThanTheWindow(t *testing.T) {
	var r recent
	began := time.Unix(1_700_000_100, 0)
	r.count(began, true)
	r.count(began.Add(time.Minute), false)
	r.count(began.Add(Window-time.Second), false)
	check := func(at time.Duration, calls, failed int) {
		t.Helper()
		if c, f := r.sum(began.Add(at)); c != calls || f != failed {
			t.Errorf("after %v: %d calls, %d failed, want %d and %d", at, c, f, calls, failed)
		}
	}
	check(Window-time.Second, 3, 1)
	check(Window, 2, 0)
	check(Window+time.Minute, 1, 0)
	check(3*Window, 0, 0)
	r.count(began.Add(3*Window), true) // in a slot that was used before
	check(3*Window, 1, 1)
}
