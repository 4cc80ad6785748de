//go:build integration

package processes_test

import (
	"testing"
	"time"
)

// figure is a count that an attack measures, in two bounds.
type figure struct {
	most int // what holds today: an attack that measures more fails
	goal int // what is wanted; where it is less than most, it is yet to be reached
}

// figures returns the bounds of all attacks; what is not here must be 0. Who brings a figure
// nearer to its goal lowers its bound, and changes the table in bot/FAILURES.md. Times have no
// bounds, as a slow machine would miss them: an attack logs them.
func figures() map[string]figure {
	return map[string]figure{
		// Commands that Redis processes in 30 s while nobody does anything, what scripts call
		// included, beside those of polls: for a replica that leads, and for another beside it.
		"idle over HTTP, one replica":                     {130, 130},
		"idle over HTTP, two replicas":                    {190, 190},
		"idle over the gateway, one replica":              {280, 280},
		"idle over the gateway, two replicas":             {490, 490},
		"idle over the gateway, one replica, for shards":  {85, 150},
		"idle over the gateway, two replicas, for shards": {170, 300},

		// The same for four replicas that divide 16 shards.
		"16 shards at rest, 4 replicas":                {620, 620},
		"16 shards at rest, 4 replicas, beside a load": {620, 620},

		"commands of a poll of one account": {10, 10},

		"MB of a replica that looks at very many accounts": {60, 60},

		"MB of a replica to which 11,000 connections are opened": {100, 100},

		// A look that is under way asks once more for an account that was forgotten meanwhile, and
		// what it is told is cached.
		"forgotten during a look: accounts that are cached again": {3, 0},

		// A leader that is cut off resigns after 5 s.
		"cut off from Discord, after 40 s: missing": {0, 0},
	}
}

// within logs what an attack has measured beside what is wanted, and fails where it is more than
// today's bound.
func within(t *testing.T, what string, measured int) {
	t.Helper()
	f := figures()[what]
	t.Logf("%s: %d (today at most %d, wanted %d)", what, measured, f.most, f.goal)
	if measured > f.most {
		t.Errorf("%s: %d, more than %d", what, measured, f.most)
	}
}

// took logs how long something took beside how long it is wanted to take.
func took(t *testing.T, what string, since time.Time, goal time.Duration) {
	t.Helper()
	t.Logf("%s: after %.1f s (wanted: %v)", what, time.Since(since).Seconds(), goal)
}
