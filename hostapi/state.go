package hostapi

import "strings"

// State is what a server's status means.
type State byte

// The states. Their values are kept in Redis for months: none may change its meaning.
const (
	StateUnknown    State = '?' // the service names none, or one that nobody knows
	StateRunning    State = 'r'
	StateStopped    State = 's'
	StateStarting   State = 'a'
	StateStopping   State = 'p'
	StateRestarting State = 'e'
	StateInstalling State = 'i'
	StateCrashed    State = 'c'
	StateError      State = 'x'
	StateSuspended  State = 'u' // by the host, who alone can change it
)

// StateOf understands the documented status RUNNING and what others are commonly
// called, without regard to case.
func StateOf(status string) State {
	switch strings.ToUpper(strings.TrimSpace(status)) {
	case "RUNNING", "ONLINE", "UP", "ACTIVE", "STARTED":
		return StateRunning
	case "STOPPED", "OFFLINE", "DOWN", "EXITED", "INACTIVE":
		return StateStopped
	case "STARTING", "BOOTING":
		return StateStarting
	case "STOPPING":
		return StateStopping
	case "RESTARTING", "REBOOTING":
		return StateRestarting
	case "INSTALLING", "REINSTALLING", "BUILDING", "DEPLOYING":
		return StateInstalling
	case "CRASHED":
		return StateCrashed
	case "ERROR", "ERRORED", "FAILED":
		return StateError
	case "SUSPENDED":
		return StateSuspended
	default:
		return StateUnknown
	}
}

// Broken reports whether a server with the state is down although nobody wanted it.
func (s State) Broken() bool { return s == StateCrashed || s == StateError }

// Moving reports whether a server with the state is on the way to another one.
func (s State) Moving() bool {
	return s == StateStarting || s == StateStopping || s == StateRestarting || s == StateInstalling
}

// Down reports whether a server with the state does not run, and is not about to.
func (s State) Down() bool { return s == StateStopped || s.Broken() }
