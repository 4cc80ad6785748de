package actions

import (
	"strconv"
	"time"
)

// Key returns the key of the hash in which Redis keeps a customer's actions. Whoever shows a bot
// reads it along with what else is asked of Redis, and passes its fields to InFlight.
func Key(customerID string) string { return "hostbot:actions:{" + customerID + "}" }

// InFlight returns the action that is running on a bot, or nil: one of this process, or one that
// the fields of the hash at Key tell of. It is for what is shown. Whether an action may begin
// only Acquire knows.
func (a *Actions) InFlight(customerID, serverID string, fields map[string]string) *Running {
	if own := a.Running(customerID, serverID); own != nil || len(fields) == 0 {
		return own
	}
	found, ok := runningIn(fields, botField(serverID)+":", time.Now())
	if !ok {
		return nil
	}
	return &found
}

// runningIn reads the fields of a bot. An action that nobody has renewed for the life of a lock
// is not running: its process is dead. The clocks of Redis and of this machine are taken for
// equal, as that decides only what is shown.
func runningIn(fields map[string]string, bot string, now time.Time) (found Running, ok bool) {
	if s := state(fields[bot+"state"]); s != locked && s != sent {
		return Running{}, false
	}
	renewed, err := strconv.ParseInt(fields[bot+"renewed"], 10, 64)
	if err != nil || now.Sub(time.UnixMilli(renewed)) > lockLife {
		return Running{}, false
	}
	since, err := strconv.ParseInt(fields[bot+"since"], 10, 64)
	return Running{Action: fields[bot+"action"], Since: time.UnixMilli(since)}, err == nil
}
