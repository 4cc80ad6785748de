package interaction

import "errors"

// Errors that callers and handlers of this package share; they are told to the
// caller like any other.
var (
	// ErrIncomplete is an event of which an essential part is missing.
	ErrIncomplete = errors.New("interaction: event is incomplete")
	// ErrUnsupported is an event of a kind that is not served.
	ErrUnsupported = errors.New("interaction: kind is not supported")
	// ErrNoRoute is an interaction that nothing serves, such as a button of a
	// message from an earlier version.
	ErrNoRoute = errors.New("interaction: no route")
	// ErrClosed refuses everybody at a route of which nothing says who may use it.
	ErrClosed = errors.New("interaction: nothing says who may use the route")
	// ErrStopping refuses an interaction that arrives while the program stops.
	ErrStopping = errors.New("interaction: the program is stopping")
	// ErrBusy refuses an interaction while too many are being served.
	ErrBusy = errors.New("interaction: too many at once")
	// ErrHandledElsewhere is an interaction that another process answers. The caller is
	// told of it only where Discord has taken this one's deferral before: then the
	// other one may not answer any more, and does nothing.
	ErrHandledElsewhere = errors.New("interaction: another process answers it")
	// ErrUserBusy refuses an interaction of a user of whom too many wait for
	// their answer.
	ErrUserBusy = errors.New("interaction: too many of one user at once")
	// ErrTooSlow stands for a modal that could not be opened any more.
	ErrTooSlow = errors.New("interaction: too slow to open a modal")
	// ErrTooLate is an interaction whose first response was too late because the program
	// was: it was cut off, or stood still.
	ErrTooLate = errors.New("interaction: it came too late to be answered")
	// ErrUnacknowledged says that it is not known whether Discord took the
	// first response, and that nothing was done for that reason.
	ErrUnacknowledged = errors.New("interaction: discord did not acknowledge the response")
	// ErrBlocked says that Discord does not take a response for what it says.
	ErrBlocked = errors.New("interaction: discord does not take the response")
	// ErrNotBegun is ErrBlocked where the response promised work, which was not begun
	// for that reason.
	ErrNotBegun = errors.New("interaction: discord does not take that something begins")
	// ErrOutcomeUnknown says that work which a response had promised broke off, and that
	// it is not known how far it came.
	ErrOutcomeUnknown = errors.New("interaction: broke off midway")
	// ErrInterrupted says that the process has died which ran an action.
	ErrInterrupted = errors.New("interaction: the process that ran the action has died")
	// ErrUnsent says that the process that was to send an action to the hosting service has died, or was
	// taken for dead, before it did. Nothing was done.
	ErrUnsent = errors.New("interaction: the process was interrupted before it sent the action")
	// ErrUnsettled says that a bot is on its way to another status, or that the service
	// does not tell of it, for longer than is waited for.
	ErrUnsettled = errors.New("the bot has not come to rest")
	// ErrNoResponse stands for the response of a handler that made none: Discord takes no
	// empty message.
	ErrNoResponse = errors.New("interaction: the handler made no response")
	// ErrPanic wraps what a handler panicked with.
	ErrPanic = errors.New("interaction: handler panicked")
)

// UnshownError says that an action was carried out, whichever way it ended, and
// that Discord does not take the message that tells of it; or, if that is not confirmed,
// that another process may carry it out.
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
	// Fault says that something is wrong that staff should know of; otherwise
	// the caller asked for what cannot be.
	Fault bool
}
