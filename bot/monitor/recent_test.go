package monitor

import (
	"testing"
	"time"
)

func TestRecentForgetsWhatIsOlderThanTheWindow(t *testing.T) {
	var r recent
	began := time.Unix(1_700_000_100, 0)
	r.add(call{began, true})
	r.add(call{began.Add(time.Minute), false})
	r.add(call{began.Add(Window - time.Second), false})
	for _, step := range []struct {
		after         time.Duration
		calls, failed int
	}{{Window - time.Second, 3, 1}, {Window, 2, 0}, {Window + time.Minute, 1, 0}, {3 * Window, 0, 0}} {
		if c, f := r.count(began.Add(step.after)); c != step.calls || f != step.failed {
			t.Errorf("after %v: %d calls, %d failed, want %d and %d", step.after, c, f, step.calls, step.failed)
		}
	}
}
