package interaction

import "errors"

// Errors that routers, handlers and the responder share. Each has an explanation for the user.
var (
	// ErrIncomplete means that an essential part of an event is missing.
	ErrIncomplete = errors.New("interaction: event is incomplete")
	// ErrUnsupported means that interactions of this kind are not served.
	ErrUnsupported = errors.New("interaction: kind is not supported")
	// ErrNoRoute means that no handler serves an interaction, such as a button in a message of an earlier
	// version.
	ErrNoRoute = errors.New("interaction: no route")
	// ErrClosed refuses everybody at a route whose group does not say who may use it.
	ErrClosed = errors.New("interaction: nothing says who may use the route")
	// ErrStopping refuses an interaction that arrives while the program stops.
	ErrStopping = errors.New("interaction: the program is stopping")
	// ErrBusy refuses an interaction while too many are being served.
	ErrBusy = errors.New("interaction: too many at once")
	// ErrHandledElsewhere means that another process answers the interaction. The user reads of it only if
	// Discord has taken this process's deferral: then the other process cannot answer, and does nothing.
	ErrHandledElsewhere = errors.New("interaction: another process answers it")
	// ErrUserBusy refuses an interaction while too many of the same user are being served.
	ErrUserBusy = errors.New("interaction: too many of one user at once")
	// ErrTooSlow means that a modal came too late to be opened.
	ErrTooSlow = errors.New("interaction: too slow to open a modal")
	// ErrTooLate means that the first response was too late because the process was cut off or suspended.
	ErrTooLate = errors.New("interaction: it came too late to be answered")
	// ErrUnacknowledged means that nothing was done, as it is not known whether Discord took the first response.
	ErrUnacknowledged = errors.New("interaction: discord did not acknowledge the response")
	// ErrBlocked means that Discord refuses a response for its content.
	ErrBlocked = errors.New("interaction: discord does not take the response")
	// ErrNotBegun means that Discord refuses a response for its content, so that the work it promised was not
	// begun.
	ErrNotBegun = errors.New("interaction: discord does not take that something begins")
	// ErrOutcomeUnknown means that promised work broke off, and it is not known how far it came.
	ErrOutcomeUnknown = errors.New("interaction: broke off midway")
	// ErrInterrupted means that the process that ran an action has died.
	ErrInterrupted = errors.New("interaction: the process that ran the action has died")
	// ErrUnsent means that nothing was done: the process died, or counted as dead, before it sent the action to
	// the hosting service.
	ErrUnsent = errors.New("interaction: the process was interrupted before it sent the action")
	// ErrUnsettled means that a bot did not reach a stable status in time, or that its status is not known.
	ErrUnsettled = errors.New("the bot has not come to rest")
	// ErrNoResponse means that a handler returned no response. Discord takes no empty message (code 50006,
	// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). No source says whether that
	// holds for a first response.
	ErrNoResponse = errors.New("interaction: the handler made no response")
	// ErrPanic wraps what a handler panicked with.
	ErrPanic = errors.New("interaction: handler panicked")
)

// UnshownError means that an action has ended, but Discord does not take the message with its outcome. If the
// outcome is Unconfirmed, another process may be carrying the action out.
type UnshownError struct {
	Action Action
	Cause  error
}

func (e *UnshownError) Error() string {
	return "interaction: how an action ended cannot be shown: " + e.Cause.Error()
}

// Unwrap returns what Discord said.
func (e *UnshownError) Unwrap() error { return e.Cause }

// Explanation is an error in the caller's words.
type Explanation struct {
	Message Message
	// Fault says that staff are to be notified. Otherwise the caller asked for something impossible.
	Fault bool
}
