package watcher_test

import (
	"bytes"
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
)

func TestStanding(t *testing.T) {
	began := time.Unix(1_700_000_000, 0)
	for name, test := range map[string]struct {
		log     string // a state each minute, and a space where the state stays
		state   hostapi.State
		since   int // minutes
		atLeast bool
	}{
		"watched since then":               {"-r", hostapi.StateRunning, 1, true},
		"a change":                         {"-rc", hostapi.StateCrashed, 2, false},
		"an outage with a gap":             {"-rc-c", hostapi.StateCrashed, 2, false},
		"an outage with two gaps":          {"-rc-c--c", hostapi.StateCrashed, 2, false},
		"an outage with a long gap":        {"-rc-" + minutes(600) + "c", hostapi.StateCrashed, 2, false},
		"down since before a gap":          {"-s-s", hostapi.StateStopped, 1, true},
		"running, with a gap":              {"-r-r", hostapi.StateRunning, 3, true},
		"two outages":                      {"-rcrc", hostapi.StateCrashed, 4, false},
		"another state after a gap":        {"-rs-c", hostapi.StateCrashed, 4, true},
		"no state for a moment":            {"-rc?", hostapi.StateCrashed, 2, false},
		"no state in the middle":           {"-rc?c", hostapi.StateCrashed, 2, false},
		"running, no state for a moment":   {"-r?r", hostapi.StateRunning, 1, true},
		"not listed for a moment":          {"-rcg", hostapi.StateCrashed, 2, false},
		"not listed in the middle":         {"-rcg?c", hostapi.StateCrashed, 2, false},
		"not listed for long":              {"-rcg" + minutes(10), history.Gone, 3, false},
		"no state for long":                {"-rc?" + minutes(10), hostapi.StateUnknown, 3, false},
		"no state after a gap in outage":   {"-rc-?", hostapi.StateCrashed, 2, false},
		"no state after a gap, running":    {"-r-?", hostapi.StateRunning, 1, true},
		"the same for long":                {"-r-" + minutes(9) + "?", hostapi.StateUnknown, 12, true},
		"never a state":                    {"-?", hostapi.StateUnknown, 1, true},
		"an attempt to start is no outage": {"-rcac", hostapi.StateCrashed, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			var entries []history.Entry
			for i, state := range []byte(test.log) {
				if state != ' ' {
					entries = append(entries, history.Entry{At: began.Add(time.Duration(i) * time.Minute), State: hostapi.State(state)})
				}
			}
			looked := began.Add(time.Duration(len(test.log)-1) * time.Minute)
			got := history.StandingOf(entries, looked)
			since := int(got.Since.Sub(began).Minutes())
			if got.State != test.state || since != test.since || got.AtLeast != test.atLeast || got.Logged != entries[len(entries)-1].State {
				t.Errorf("the state of %q is %c since minute %d (at least: %v), logged is %c", test.log, got.State, since, got.AtLeast, got.Logged)
			}
		})
	}
}

func minutes(n int) string { return string(bytes.Repeat([]byte(" "), n)) }
