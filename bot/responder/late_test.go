package responder_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhatComesTooLateIsNoFailure has Discord not know interactions any more: one that
// it replays, one that waited while the process was stopped, and one that is new.
func TestWhatComesTooLateIsNoFailure(t *testing.T) {
	for name, test := range map[string]struct {
		replayed bool
		age      time.Duration
		late     bool
	}{
		"replayed": {replayed: true, late: true},
		"old":      {age: 4 * time.Second, late: true},
		"new":      {age: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(16 * 365 * 24 * time.Hour) // Discord's IDs begin with 2015
				d := &discord{errs: map[string][]error{"update": {tooLate}}}
				s := newResponder(then("running", acted("done")), d)
				e := press()
				e.ID = strconv.FormatInt((time.Now().Add(-test.age).UnixMilli()-1420070400000)<<22, 10)
				e.Replayed = test.replayed
				s.Serve(e)
				outcome := s.observed[0].Outcome
				if (outcome == "late") != test.late || (len(s.staff.entries) == 0) != test.late {
					t.Errorf("the outcome is %s; staff read %q", outcome, s.staff.entries)
				}
				if slices.ContainsFunc(s.staff.entries, func(e string) bool { return strings.HasPrefix(e, "action") }) {
					t.Error("it was acted upon")
				}
			})
		})
	}
}
