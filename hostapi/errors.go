package hostapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the kind of a failure.
type Code string

// The kinds of failure.
const (
	CodeUnauthorized Code = "unauthorized"  // the service does not accept the shared secret
	CodeForbidden    Code = "forbidden"     // the user may not do this
	CodeNotFound     Code = "not_found"     // the user has no account, or no such server
	CodeConflict     Code = "conflict"      // the state of the server does not allow it now
	CodeLimitReached Code = "limit_reached" // the plan allows no more
	CodeInvalid      Code = "invalid"       // what was entered is not accepted: for the user to mend
	CodeRateLimited  Code = "rate_limited"  // too many requests; Error.RetryAfter says when to try again
	CodeUnavailable  Code = "unavailable"   // the service is away, broken or too slow
	CodeMalformed    Code = "malformed"     // the answer is not what the service's document says
	CodeCanceled     Code = "canceled"      // the caller's context was canceled
	CodeNotOffered   Code = "not_offered"   // the operation is turned off
	CodeInternal     Code = "internal"      // everything else
)

// Codes lists the kinds of failure.
func Codes() []Code {
	return []Code{
		CodeUnauthorized, CodeForbidden, CodeNotFound, CodeConflict, CodeLimitReached, CodeInvalid,
		CodeRateLimited, CodeUnavailable, CodeMalformed, CodeCanceled, CodeNotOffered, CodeInternal,
	}
}

// Error is a call that failed. No part of it holds the shared secret, even
// where the service sends it back.
type Error struct {
	Code Code
	Op   Operation
	// Status is the HTTP status of the answer; 0 where there was none. It may
	// be 2xx: the service can refuse in the body, or answer with nonsense.
	Status int
	// Detail is for staff: what went wrong in the service's or the network's
	// words, in one printable line of at most 200 characters.
	Detail string
	// Words are for the user: why the service refused, in its own words and its own language, in one printable line of
	// at most 300 characters; "" if there are none. They are never JSON, nor from a page.
	Words string
	// RetryAfter is how long the service asks to wait; 0 where it did not say.
	RetryAfter time.Duration
	// Uncertain says that an action may have been carried out: it may have reached the service, and no definite answer
	// came back. A status of 5xx is not definite, since the service or a gateway may have failed half way.
	Uncertain bool
	// TimedOut says that the answer did not come in time.
	TimedOut bool
	// OwnWord is set with CodeNotFound if the service itself says so, in words about an account or a server. Otherwise
	// the answer may be that of a gateway that does not find the service.
	OwnWord bool
	// Doubted is set with CodeUnavailable if the answer is not believed: the service does not find the account, or lists
	// no servers of it, although it did before (AsListed).
	Doubted bool
	// Attempts is how many requests were made. It is 0 if none was: the circuit breaker was open, the service's limits
	// were used up, or the context had ended. Took is how long the call lasted with all of them.
	Attempts int
	Took     time.Duration
}

func (e *Error) Error() string {
	text := fmt.Sprintf("hosting service: %s: %s", e.Op, e.Code)
	if e.Status != 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Reason says in a few words why the call failed, for staff: "unavailable (503)", "no answer in
// time" or "connection reset by peer".
func (e *Error) Reason() string {
	switch {
	case e.Status != 0:
		return fmt.Sprintf("%s (%d)", e.Code, e.Status)
	case e.TimedOut:
		return "no answer in time"
	case e.Detail == "":
		return string(e.Code)
	default: // the network's errors say last what happened
		return e.Detail[strings.LastIndex(": "+e.Detail, ": "):]
	}
}

// CodeOf returns the code of err: "" for nil, that of the *Error in its chain,
// and otherwise what is known from the context package's errors.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return CodeUnavailable
	default:
		return CodeInternal
	}
}

// IsUncertain reports whether err is that of an action which may have been
// carried out all the same.
func IsUncertain(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Uncertain
}

// Interrupted returns the error of a call that ended because ctx did.
func Interrupted(ctx context.Context, op Operation) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Code: CodeCanceled, Op: op, Detail: "canceled"}
	}
	return &Error{Code: CodeUnavailable, Op: op, Detail: "no answer in time", TimedOut: true}
}
