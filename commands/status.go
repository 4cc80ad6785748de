package commands

import (
	"strings"

	"hostbot/bot/safetext"
	"hostbot/locale"
)

// condition is what a status means to a person.
type condition struct {
	key   string // of its text; "" for a status that is not known
	emoji string
	color int
	// settled is false while the bot is on its way to another condition, and
	// where nobody but the host can change it: no action is offered then.
	settled bool
}

// conditionOf understands the documented status RUNNING and what others are
// commonly called. A status that is not known is shown as it came and never
// taken for stopped.
func conditionOf(status string) condition {
	switch strings.ToUpper(strings.TrimSpace(status)) {
	case "RUNNING", "ONLINE", "UP", "ACTIVE", "STARTED":
		return condition{"status.running", "🟢", green, true}
	case "STOPPED", "OFFLINE", "DOWN", "EXITED", "INACTIVE":
		return condition{"status.stopped", "⚫", grey, true}
	case "STARTING", "BOOTING":
		return condition{"status.starting", "🟡", yellow, false}
	case "STOPPING":
		return condition{"status.stopping", "🟡", yellow, false}
	case "RESTARTING", "REBOOTING":
		return condition{"status.restarting", "🟡", yellow, false}
	case "INSTALLING", "REINSTALLING", "BUILDING", "DEPLOYING":
		return condition{"status.installing", "🟡", yellow, false}
	case "CRASHED":
		return condition{"status.crashed", "🔴", red, true}
	case "ERROR", "ERRORED", "FAILED":
		return condition{"status.error", "🔴", red, true}
	case "SUSPENDED":
		return condition{"status.suspended", "⛔", red, false}
	case "":
		return condition{"status.unknown", "⚪", grey, true}
	default:
		return condition{"", "⚪", grey, true}
	}
}

// word returns the status as a word, to be put into markdown.
func (c condition) word(t *locale.Texts, status string) string {
	if c.key == "" {
		return orDash(safetext.Markdown(status, wordLimit))
	}
	return t.Text(c.key)
}

// plainWord returns the status as a word for where markdown does not count.
func (c condition) plainWord(t *locale.Texts, status string) string {
	if c.key == "" {
		return orDash(safetext.Plain(status, wordLimit))
	}
	return t.Text(c.key)
}
