package commands

import (
	"cmp"
	"slices"
	"strings"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// condition is what a status means to a person.
type condition struct {
	key   string // of its text; "" for a status that is shown as it came
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
	starting     // on the way to run; it may hang there
	transitional // on the way to another state
	locked       // for the host alone to change
)

// states is a set of states, a bit for each.
type states uint8

func setOf(list ...state) (set states) {
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

func (set states) has(s state) bool { return set&(1<<s) != 0 }

// listed is a bot of a list, with what its status means: a list asks for that many times.
type listed struct {
	*hostapi.Server // shared, and not to be changed
	condition
}

func listOf(servers []hostapi.Server) []listed {
	list := make([]listed, len(servers))
	for i := range servers {
		list[i] = listed{&servers[i], conditionOf(servers[i])}
	}
	return list
}

// serversOf is listOf turned back.
func serversOf(list []listed) []hostapi.Server {
	servers := make([]hostapi.Server, len(list))
	for i, b := range list {
		servers[i] = *b.Server
	}
	return servers
}

// byUrgency orders bots by their conditions: those with a problem come first.
func byUrgency(one, other condition) int { return cmp.Compare(one.urgency(), other.urgency()) }

// moving reports whether a bot is on the way to another state.
func (s state) moving() bool { return s == starting || s == transitional }

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

// atThisMoment returns the action that is running on a bot of a customer, if any, and the bot
// with the status that this gives it: that is newer than what the service said last. known is
// the account in which the bot was found.
func (c *Commands) atThisMoment(customerID string, s hostapi.Server, known accounts.Snapshot) (hostapi.Server, *actions.Running) {
	running := c.actions.InFlight(customerID, s.ID, known.Beside)
	if running == nil || !isAction(running.Action) { // another version of the program may have others
		return s, nil
	}
	if a, ok := actionNamed(running.Action); ok {
		s.Status = a.transitional
	}
	return s, running
}

// isAction reports whether there are texts for an action on a bot.
func isAction(name string) bool {
	_, listed := actionNamed(name)
	others := []string{creation(hostapi.NewServer{}).name, startup(hostapi.Startup{}).name, deletion().name}
	return listed || slices.Contains(others, name)
}

// nowOf returns an account's bots as atThisMoment has each. They are shared where nothing is
// different, and not to be changed.
func (c *Commands) nowOf(r *interaction.Request, known accounts.Snapshot) []hostapi.Server {
	servers, own := known.List.Servers, false
	for i := range servers {
		if c.actions.InFlight(r.CustomerID, servers[i].ID, known.Beside) == nil { // as most are
			continue
		}
		now, _ := c.atThisMoment(r.CustomerID, servers[i], known)
		if now.Status == servers[i].Status {
			continue
		}
		if !own {
			servers, own = slices.Clone(servers), true
		}
		servers[i] = now
	}
	return servers
}

// conditionOf says what a bot's status means to a person. A status that is not known is shown as it
// came and never taken for stopped; a number says nothing to people. One that says more than its
// state is shown as it came, too.
func conditionOf(s hostapi.Server) condition {
	state, plain := s.Meaning()
	is := conditionIn(state)
	if !plain && strings.Trim(strings.TrimSpace(s.Status), "-.0123456789") != "" {
		is.key = ""
	}
	return is
}

// signs are the emoji of all conditions. Discord and phones may put variation behind one.
const (
	signs     = "🟢⚫🟡🔴⛔⚪"
	variation = "\ufe0f" // U+FE0F: shown as an emoji
)

// conditionIn says what a state means to a person.
func conditionIn(s hostapi.State) condition {
	switch s {
	case hostapi.StateRunning:
		return condition{"status.running", "🟢", green, up}
	case hostapi.StateStopped:
		return condition{"status.stopped", "⚫", grey, down}
	case hostapi.StateStarting:
		return condition{"status.starting", "🟡", yellow, starting}
	case hostapi.StateStopping:
		return condition{"status.stopping", "🟡", yellow, transitional}
	case hostapi.StateRestarting:
		return condition{"status.restarting", "🟡", yellow, transitional}
	case hostapi.StateInstalling:
		return condition{"status.installing", "🟡", yellow, transitional}
	case hostapi.StateCrashed:
		return condition{"status.crashed", "🔴", red, broken}
	case hostapi.StateError:
		return condition{"status.error", "🔴", red, broken}
	case hostapi.StateSuspended:
		return condition{"status.suspended", "⛔", red, locked}
	}
	return condition{unknownKey, "⚪", grey, unknown}
}

// unknownKey is the key of a status that says nothing.
const unknownKey = "status.unknown"

// status says a bot's status with its emoji.
func (v view) status(s hostapi.Server) string {
	return conditionOf(s).emoji + " " + v.statusWord(s, sanitize.Markdown)
}

// statusWord says a bot's status; one that has no text as it came, made fit to be shown.
func (v view) statusWord(s hostapi.Server, clean func(text string, limit int) string) string {
	return v.wordOf(listed{&s, conditionOf(s)}, clean)
}

// wordOf is statusWord of a bot of a list.
func (v view) wordOf(b listed, clean func(text string, limit int) string) string {
	if b.key != "" {
		return v.t.Text(b.key)
	}
	return orDash(clean(b.Status, wordLimit))
}
