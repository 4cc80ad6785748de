package responder_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

// sentBefore gives an event the ID of one that Discord sent so long ago.
func sentBefore(age time.Duration, e *interaction.Event) *interaction.Event {
	return sentAsOne(0, age, e)
}

// sentAsOne is sentBefore for one of up to 4096 events that Discord sent at the same time.
func sentAsOne(n int64, age time.Duration, e *interaction.Event) *interaction.Event {
	inMessage := e.InMessage()
	e.ID = strconv.FormatInt((time.Now().Add(-age).UnixMilli()-1420070400000)<<22+n, 10)
	if !inMessage {
		e.Message = e.ID
	}
	return e
}

// TestWhoComesTooLateIsWithoutAnAnswer has Discord not know interactions any more: those
// that it replays, one that waited while the process was stopped, and one that is new.
func TestWhoComesTooLateIsWithoutAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		replayed bool
		age      time.Duration
		original error // Discord's answer to who looks for the first response
		outcome  string
		late     bool // by the bot's fault
	}{
		"replayed":                        {replayed: true, original: unknown, outcome: "unanswered", late: true},
		"replayed, and answered before":   {replayed: true, outcome: "elsewhere"},
		"old":                             {age: 4 * time.Second, original: unknown, outcome: "unanswered", late: true},
		"old, and answered by another":    {age: 4 * time.Second, outcome: "elsewhere"},
		"old, and Discord cannot be seen": {age: 4 * time.Second, original: unavailable, outcome: "unanswered", late: true},
		"new":                             {age: 100 * ms, original: unknown, outcome: "unanswered"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(16 * 365 * 24 * time.Hour) // Discord's IDs begin with 2015
				d := &discord{errs: map[string][]error{"update": {tooLate}}, original: test.original}
				s := newResponder(then("running", acted("done")), d)
				e := sentBefore(test.age, press())
				e.Replayed = test.replayed
				s.Serve(e)
				seen := s.observed[0]
				if seen.Outcome != test.outcome {
					t.Errorf("the outcome is %s, want %s", seen.Outcome, test.outcome)
				}
				if (len(s.staff.failures) == 1) != (test.outcome == "unanswered") {
					t.Fatalf("staff read %q", s.staff.entries)
				}
				if test.outcome == "unanswered" && errors.Is(s.staff.failures[0], interaction.ErrTooLate) != test.late {
					t.Errorf("staff read %q", s.staff.entries)
				}
				if test.late && seen.First < 2900*ms {
					t.Errorf("a first response that came too late counts as one after %v", seen.First)
				}
				if slices.ContainsFunc(s.staff.entries, func(e string) bool { return strings.HasPrefix(e, "action") }) {
					t.Error("it was acted upon")
				}
				if test.late && d.count("edit perhaps")+d.count("edit sorry") > 0 {
					t.Errorf("what others may have answered is changed: %v", d.sent())
				}
			})
		})
	}
}

// TestARequestThatArrivesLateIsAnsweredByACall: Discord has hung up by then, which an
// answer would not learn.
func TestARequestThatArrivesLateIsAnsweredByACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(16 * 365 * 24 * time.Hour)
		d := &discord{errs: map[string][]error{"reply": {tooLate}}, original: unknown}
		s := newResponder(reply("hello"), d)
		event := sentBefore(4*time.Second, command())
		event.Inline = &request{discord: d}
		s.Serve(event)
		if d.count("answer hello") > 0 || s.observed[0].Outcome != "unanswered" || len(s.staff.failures) != 1 {
			t.Errorf("said %v, the outcome is %s, and staff read %q", d.sent(), s.observed[0].Outcome, s.staff.entries)
		}
	})
}
