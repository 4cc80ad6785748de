package responder_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/discord/rest"
)

const ms = time.Millisecond

// TestAcknowledge runs on a clock of its own: times are exact and take no time.
// The action is done only where Discord has taken the first response.
func TestAcknowledge(t *testing.T) {
	lost := &rest.Error{Message: "connection reset", Uncertain: true}
	never := time.Hour
	tests := map[string]struct {
		waits  []time.Duration // for Discord's answers, in the order of what is sent
		errs   []error         // in the order of the answers
		update []time.Duration // when the first response was answered, each time
		sent   string          // each time "p" over a connection of the pool, or "n" over a new one
		done   bool
	}{
		"at once": {update: []time.Duration{0}, sent: "p", done: true},
		"Discord is broken for the whole time": {
			errs:   []error{unavailable, unavailable, unavailable, unavailable, unavailable, unavailable},
			update: []time.Duration{0, 170 * ms, 510 * ms, 1190 * ms, 2550 * ms}, sent: "ppppp",
		},
		"Discord is well again within the three seconds": {
			errs:   []error{unavailable, unavailable, unavailable, unavailable},
			update: []time.Duration{0, 170 * ms, 510 * ms, 1190 * ms, 2550 * ms}, sent: "ppppp", done: true,
		},
		"a limit that passes": {
			errs:   []error{&rest.Error{Status: 429, RetryAfter: 700 * ms}},
			update: []time.Duration{0, 700 * ms}, sent: "pp", done: true,
		},
		"a limit that does not": {
			errs:   []error{&rest.Error{Status: 429, RetryAfter: 3 * time.Second}},
			update: []time.Duration{0}, sent: "p",
		},
		"what is not allowed is not repeated": {
			errs:   []error{&rest.Error{Status: 403, Code: 40333}},
			update: []time.Duration{0}, sent: "p",
		},
		"a bit slow":   {waits: []time.Duration{600 * ms}, update: []time.Duration{600 * ms}, sent: "p", done: true},
		"slow":         {waits: []time.Duration{1500 * ms, never}, update: []time.Duration{1500 * ms}, sent: "pn", done: true},
		"very slow":    {waits: []time.Duration{2800 * ms, never}, update: []time.Duration{2800 * ms}, sent: "pn", done: true},
		"too slow":     {waits: []time.Duration{never, never}, sent: "pn"},
		"slow for one": {waits: []time.Duration{never}, update: []time.Duration{700 * ms}, sent: "pn", done: true},
		"slow for one, and what is sent beside it is refused": {
			waits: []time.Duration{1500 * ms}, errs: []error{answered},
			update: []time.Duration{700 * ms, 1500 * ms}, sent: "pn", done: true,
		},
		"silent for one, and what is sent beside it is refused": {
			waits: []time.Duration{never}, errs: []error{answered},
			update: []time.Duration{700 * ms}, sent: "pn", done: true,
		},
		"slow for one, and what is sent beside it fails": {
			waits: []time.Duration{1500 * ms}, errs: []error{unavailable},
			update: []time.Duration{700 * ms, 1500 * ms}, sent: "pn", done: true,
		},
		"slow to say no": {
			waits: []time.Duration{800 * ms, 200 * ms}, errs: []error{unavailable, unavailable},
			update: []time.Duration{800 * ms, 900 * ms, 1070 * ms}, sent: "pnp", done: true,
		},
		"the connection breaks": {errs: []error{lost}, update: []time.Duration{0, 170 * ms}, sent: "pn", done: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{waits: test.waits, errs: map[string][]error{"update": test.errs}}
				s := newResponder(then("running", acted("done")), d)
				s.Serve(press())
				synctest.Wait()
				var update []time.Duration
				done := false
				for _, c := range d.sent() {
					if c.what == "update running" {
						update = append(update, c.at)
					}
					done = done || c.what == "edit done"
				}
				if !slices.Equal(update, test.update) || d.first != test.sent {
					t.Errorf("the first response was sent over %q and answered at %v, want %q and %v", d.first, update, test.sent, test.update)
				}
				if first := s.observed[0].First; first > 3*time.Second {
					t.Errorf("it tried for %v, which is past Discord's limit", first)
				}
				if acted := slices.Contains(s.staff.entries, "action restart"); done != test.done || acted != test.done {
					t.Errorf("it was done: %t, and told: %t, want %t", acted, done, test.done)
				}
			})
		})
	}
}
