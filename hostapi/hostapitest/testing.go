package hostapitest

import (
	"testing"
	"time"

	"hostbot/hostapi/testclock"
)

// ManualClock is a clock that only tests move.
type ManualClock = testclock.Manual

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock { return testclock.NewManual(now) }

// RunT runs a service for a test, with the real clock, and closes it with the
// test. A request that breaks the document fails the test.
func RunT(tb testing.TB) *Service {
	tb.Helper()
	return RunWith(tb, Options{})
}

// RunWith is [RunT] with options.
func RunWith(tb testing.TB, o Options) *Service {
	tb.Helper()
	s, err := Start(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Close()
		if o.AllowViolations {
			return
		}
		for _, v := range s.recorder.violations() {
			tb.Errorf("a request broke the hosting service's document: %s", v)
		}
	})
	return s
}
