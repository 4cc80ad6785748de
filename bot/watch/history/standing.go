package history

import (
	"time"

	"hostbot/hostapi"
)

// Standing is the last known state of a bot.
type Standing struct {
	State hostapi.State
	Since time.Time
	// AtLeast says that nobody polled before Since: the state may have begun earlier.
	AtLeast bool
	// Logged is the last state in the log. It may be Unwatched, Gone or unknown.
	Logged hostapi.State
}

// StandingOf returns the standing of a bot from the entries of its log, at least one, and the time of the last poll.
//
// If the service names no state of a bot, or does not list it, for less than hostapi.Blip, the state before counts. A
// bot that was down before and after a gap counts as down throughout. One that was running before and after may have
// been down meanwhile.
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
