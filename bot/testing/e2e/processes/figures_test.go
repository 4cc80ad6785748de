//go:build integration

package processes_test

import (
	"testing"
)

// figure is a count that a test measures, in two bounds.
type figure struct {
	most int // what holds today: a test that measures more fails
	goal int // what is wanted; where it is less than most, it is yet to be reached
}

// figures returns the bounds of all counts. Who brings a figure nearer to its goal lowers its bound, and
// the figures that bot/EVIDENCE.md has.
func figures() map[string]figure {
	return map[string]figure{
		// Commands that Redis processes in 30 s while nobody does anything, what scripts call
		// included, beside those of polls: for a replica that leads, and for another beside it.
		"idle over HTTP, one replica":                     {170, 170},
		"idle over HTTP, two replicas":                    {240, 240},
		"idle over the gateway, one replica":              {310, 310},
		"idle over the gateway, two replicas":             {490, 490},
		"idle over the gateway, one replica, for shards":  {150, 150},
		"idle over the gateway, two replicas, for shards": {220, 300},

		"commands of a poll of one account": {10, 10},
	}
}

// within logs what a test has measured beside what is wanted, and fails where it is more than
// today's bound.
func within(t *testing.T, what string, measured int) {
	t.Helper()
	f := figures()[what]
	t.Logf("%s: %d (today at most %d, wanted %d)", what, measured, f.most, f.goal)
	if measured > f.most {
		t.Errorf("%s: %d, more than %d", what, measured, f.most)
	}
}
