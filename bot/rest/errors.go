package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Error codes of Discord that callers act upon.
const (
	CodeUnknownMessage      = 10008
	CodeUnknownInteraction  = 10062 // too late, or never was
	CodeAlreadyAcknowledged = 40060
	CodeInvalidForm         = 50035
)

// maxMessage bounds what is kept of Discord's words, in bytes.
const maxMessage = 500

// Error is a request that did not succeed. It holds neither the request nor
// its address: the one carries the bot's token, the other an interaction's.
type Error struct {
	Status  int    // HTTP status; 0 where no answer came
	Code    int    // Discord's error code; 0 where none was given
	Message string // Discord's words or the transport's, bounded
	// RetryAfter is how long Discord asks to wait (status 429).
	RetryAfter time.Duration
	// Uncertain says that Discord may have carried the request out.
	Uncertain bool

	cause error
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return "discord: " + e.Message
	case e.Code == 0:
		return fmt.Sprintf("discord: status %d: %s", e.Status, e.Message)
	default:
		return fmt.Sprintf("discord: status %d, code %d: %s", e.Status, e.Code, e.Message)
	}
}

// Unwrap returns the context's error where the context ended the request.
func (e *Error) Unwrap() error { return e.cause }

// Temporary tells whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return e.Status == 0 || e.Status == http.StatusTooManyRequests || e.Status >= 500
}

// CodeOf returns Discord's error code in err, or 0.
func CodeOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// newError translates what discordgo returned.
func newError(err error) *Error {
	var limited *discordgo.RateLimitError
	if errors.As(err, &limited) {
		return &Error{Status: http.StatusTooManyRequests, Message: "rate limited", RetryAfter: limited.RetryAfter}
	}
	var answered *discordgo.RESTError
	if errors.As(err, &answered) {
		e := &Error{Status: answered.Response.StatusCode, Message: clip(string(answered.ResponseBody))}
		if answered.Message != nil {
			e.Code = answered.Message.Code
		}
		e.Uncertain = e.Status >= 500
		return e
	}
	var transport *url.Error
	if errors.As(err, &transport) {
		// url.Error prints the whole address; what it wraps does not.
		e := &Error{Message: clip(transport.Err.Error()), Uncertain: true}
		if transport.Timeout() {
			e.cause = context.DeadlineExceeded
		} else if errors.Is(err, context.Canceled) {
			e.cause = context.Canceled
		}
		return e
	}
	// A 502, or a 429 whose body is not Discord's: discordgo keeps no status.
	return &Error{Message: clip(err.Error()), Uncertain: true}
}

func clip(text string) string {
	if len(text) > maxMessage {
		return text[:maxMessage] + "…"
	}
	return text
}
