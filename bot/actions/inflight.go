package actions

import (
	"strconv"
	"time"
)

// Key returns the key of the hash in which Redis keeps a customer's actions. Whoever shows a bot
// reads it along with what else is asked of Redis, and passes its fields to InFlight.
func Key(customerID string) string { return customerKey(customerID) }

// InFlight returns the action that is running on a bot, or nil: one of this process, or one that
// the fields of the hash at Key tell of. It is for what is shown. Whether an action may begin
// only Acquire knows.
func (a *Actions) InFlight(customerID, serverID string, fields map[string]string) *Running {
	if own := a.Running(customerID, serverID); own != nil || len(fields) == 0 {
		return own
	}
	bot := botField(serverID)
	found, ok := runningIn(fields, bot+":", time.Now())
	if !ok || a.over(entry{customerID, bot, fields[bot+":id"]}) {
		return nil
	}
	return &found
}

// runningIn reads the fields of a bot. An action that nobody has renewed for the life of a lock
// is not running: its process is dead. The clocks of Redis and of this machine are taken for
// equal, as that decides only what is shown.
func runningIn(fields map[string]string, bot string, now time.Time) (found Running, ok bool) {
	if state(fields[bot+"state"]) != running {
		return Running{}, false
	}
	renewed, err := strconv.ParseInt(fields[bot+"renewed"], 10, 64)
	if err != nil || now.Sub(time.UnixMilli(renewed)).Abs() > lockLife {
		return Running{}, false
	}
	since, err := strconv.ParseInt(fields[bot+"since"], 10, 64)
	if err != nil || now.Sub(time.UnixMilli(since)).Abs() > recordLife {
		return Running{}, false
	}
	return Running{Action: fields[bot+"action"], Since: time.UnixMilli(since)}, true
}

// over reports whether an action of this process has ended, also if Redis has yet to be told.
func (a *Actions) over(e entry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, removed := a.removed[e]; removed {
		return true
	}
	for l := range a.own { // one that has not ended is in local
		if l.entry == e {
			return true
		}
	}
	return false
}
