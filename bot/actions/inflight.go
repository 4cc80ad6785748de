package actions

import (
	"strconv"
	"time"
)

// Key returns the key of the hash with a customer's actions. To show a bot, its fields are read with the cached
// account, in one round trip, and passed to InFlight.
func Key(customerID string) string { return "hostbot:actions:{" + customerID + "}" }

// InFlight returns the action that is running on a bot, in this process or according to the fields of the hash
// at Key; nil if there is none. It is for display: only Acquire decides whether an action may begin.
func (a *Actions) InFlight(customerID, serverID string, fields map[string]string) *Running {
	if own := a.Running(customerID, serverID); own != nil || len(fields) == 0 {
		return own
	}
	return runningIn(fields, botField(serverID)+":", time.Now())
}

// runningIn reads the fields of a bot. An action that was not renewed for lockLife is not running: its process
// is dead. The clocks of Redis and of this machine are taken to be equal, which is good enough for display.
func runningIn(fields map[string]string, bot string, now time.Time) *Running {
	is := state(fields[bot+"state"])
	renewed, notRenewed := strconv.ParseInt(fields[bot+"renewed"], 10, 64)
	since, notBegun := strconv.ParseInt(fields[bot+"since"], 10, 64)
	if is != locked && is != sent || notRenewed != nil || notBegun != nil || now.Sub(time.UnixMilli(renewed)) > lockLife {
		return nil
	}
	return &Running{Action: fields[bot+"action"], Since: time.UnixMilli(since)}
}
