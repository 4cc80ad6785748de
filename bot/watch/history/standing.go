package history

import (
	"time"

	"hostbot/hostapi"
)

// Standing is the state in which a bot was last, as far as its log says.
type Standing struct {
	State hostapi.State
	Since time.Time
	// AtLeast says that nobody looked before Since: the bot may have had the state for longer.
	AtLeast bool
	// Logged is the last state of the log, which may be one that says nothing.
	Logged hostapi.State
}

// StandingOf returns what the entries of a log say, of which there is at least one, when the bot
// was looked at last.
//
// For hostapi.Blip the service may name no state of a bot, or not list it: the bot counts as what it
// was before. If a bot was down before and after a time in which nobody looked, it counts as down
// throughout: it is one outage. One that ran may have been down meanwhile.
func StandingOf(entries []Entry, looked time.Time) Standing {
	last := len(entries) - 1
	isBlip := func(i int) bool {
		until := looked
		if i < last {
			until = entries[i+1].At
		}
		return (entries[i].State == hostapi.StateUnknown || entries[i].State == Gone) && until.Sub(entries[i].At) < hostapi.Blip
	}
	at := last
	for at > 0 && (isBlip(at) || entries[at].State == Unwatched) {
		at--
	}
	silent := at < last && looked.Sub(entries[at+1].At) >= hostapi.Blip
	if isBlip(at) || entries[at].State == Unwatched || silent && !entries[at].State.Down() { // nothing is known from before
		at = last
	}
	state := entries[at].State
	for i := at - 1; i >= 0; i-- {
		switch {
		case entries[i].State == state:
			at = i
			continue
		case isBlip(i), entries[i].State == Unwatched && state.Down():
			continue
		}
		break
	}
	return Standing{
		State: state, Since: entries[at].At, AtLeast: at > 0 && entries[at-1].State == Unwatched, Logged: entries[last].State,
	}
}
