package commands

import (
	"strings"

	"hostbot/bot/actionlock"
	"hostbot/hostapi"
)

// condition is what a status means to a person.
type condition struct {
	key   string // of its text; "" for a status that is not known
	emoji string
	color int
	state state
}

// state is what a condition allows.
type state int

const (
	unknown state = iota // anything may be right
	up
	down
	broken       // down, and nobody wanted it
	transitional // on the way to another state
	locked       // for the host alone to change
)

// urgency orders bots: those with a problem come first.
func (c condition) urgency() int {
	switch c.state {
	case broken:
		return 0
	case locked:
		return 1
	default:
		return 2
	}
}

// atThisMoment returns the action that is running on a bot, if any, and the bot with
// the status that this gives it: that is newer than what the service said last.
func (c *Commands) atThisMoment(customerID string, s hostapi.Server) (hostapi.Server, *actionlock.Running) {
	running := c.locks.Running(customerID, s.ID)
	if running != nil {
		if a, ok := actionNamed(running.Action); ok {
			s.Status = a.transitional
		}
	}
	return s, running
}

// conditionOf understands the documented status RUNNING and what others are
// commonly called. A status that is not known is shown as it came and never
// taken for stopped.
func conditionOf(status string) condition {
	switch strings.ToUpper(strings.TrimSpace(status)) {
	case "RUNNING", "ONLINE", "UP", "ACTIVE", "STARTED":
		return condition{"status.running", "🟢", green, up}
	case "STOPPED", "OFFLINE", "DOWN", "EXITED", "INACTIVE":
		return condition{"status.stopped", "⚫", grey, down}
	case "STARTING", "BOOTING":
		return condition{"status.starting", "🟡", yellow, transitional}
	case "STOPPING":
		return condition{"status.stopping", "🟡", yellow, transitional}
	case "RESTARTING", "REBOOTING":
		return condition{"status.restarting", "🟡", yellow, transitional}
	case "INSTALLING", "REINSTALLING", "BUILDING", "DEPLOYING":
		return condition{"status.installing", "🟡", yellow, transitional}
	case "CRASHED":
		return condition{"status.crashed", "🔴", red, broken}
	case "ERROR", "ERRORED", "FAILED":
		return condition{"status.error", "🔴", red, broken}
	case "SUSPENDED":
		return condition{"status.suspended", "⛔", red, locked}
	case "":
		return condition{"status.unknown", "⚪", grey, unknown}
	default:
		return condition{"", "⚪", grey, unknown}
	}
}

// statusWord says a bot's status; one that is not known as it came, made fit to be
// shown by clean: sanitize.Markdown or sanitize.Plain.
func (v view) statusWord(s hostapi.Server, clean func(text string, limit int) string) string {
	if key := conditionOf(s.Status).key; key != "" {
		return v.t.Text(key)
	}
	return orDash(clean(s.Status, wordLimit))
}
