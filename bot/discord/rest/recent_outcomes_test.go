package rest_test

import (
	"testing"
	"time"

	"hostbot/bot/discord/recent"
)

// TestAnOutageIsOverOnceCallsSucceed follows a dependency through an outage, in which a call
// succeeds once.
func TestAnOutageIsOverOnceCallsSucceed(t *testing.T) {
	o := recent.Outcomes{Counter: recent.Counter{Window: 5 * time.Minute}}
	began := time.Unix(1_700_000_400, 0)
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	check := func(seconds int, failing bool, fails int) recent.Summary {
		t.Helper()
		s := o.Summary(at(seconds))
		if s.Failing(at(seconds)) != failing || s.Fails != fails {
			t.Errorf("after %d s: failing %t, %d of %d calls, want %t and %d", seconds, s.Failing(at(seconds)), s.Fails, s.Calls, failing, fails)
		}
		return s
	}
	check(0, false, 0)
	o.Note(at(0), "")
	check(0, false, 0)
	o.Note(at(10), "503")
	o.Note(at(20), "")
	check(21, true, 1) // others may still fail
	o.Note(at(24), "connection reset")
	check(200, true, 2)
	o.Note(at(210), "")
	s := check(211, false, 2)
	if s.Reason != "connection reset" || !s.FailedSince.Equal(at(10)) || !s.Recovered.Equal(at(210)) || !s.Failed.Equal(at(24)) || !s.Succeeded.Equal(at(210)) {
		t.Errorf("%+v", s)
	}
	check(400, false, 0)
	o.Note(at(400), "404")
	if s := check(401, true, 1); !s.FailedSince.Equal(at(400)) {
		t.Errorf("another outage began at %v", s.FailedSince)
	}
	o.Note(at(410), "")
	check(416, false, 1) // it is over, as staff read
	o.Note(at(430), "404")
	if s := check(431, true, 2); !s.FailedSince.Equal(at(430)) {
		t.Errorf("what begins again after it was over began at %v", s.FailedSince)
	}
}
