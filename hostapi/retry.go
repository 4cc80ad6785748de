package hostapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxTries is how often a request is sent at most.
	maxTries = 3
	// firstPause is the pause before the second try, on average; it doubles.
	firstPause = 100 * time.Millisecond
	// maxElapsed bounds all tries of a call whose context has no deadline.
	maxElapsed = 30 * time.Second
)

// send makes a request, and makes it again where that is safe and may help and
// the context's deadline leaves time for it. It returns how often it did.
func (c *Client) send(ctx context.Context, e endpoint, call call) (_ answer, tries int, _ *Error) {
	left := maxElapsed
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline), 1)
	}
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.Multiplier = firstPause, 2

	var last *Error
	got, err := backoff.Retry(ctx, func() (answer, error) {
		if ctx.Err() != nil {
			last = Interrupted(ctx, call.op)
			return answer{}, backoff.Permanent(last)
		}
		if refusal := c.breaker.refusal(call.op, call.userID, time.Now()); refusal != nil {
			if last == nil {
				last = refusal
			}
			return answer{}, backoff.Permanent(last)
		}
		tries++
		var got answer
		if got, last = c.attempt(ctx, e, call); last == nil {
			return got, nil
		}
		c.breaker.note(call.userID, last)
		return got, retryable(e, last)
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(left))
	switch {
	case err == nil:
		return got, tries, nil
	case errors.Is(ctx.Err(), context.Canceled) && last.Code != CodeCanceled:
		return got, tries, Interrupted(ctx, call.op) // between two tries
	default:
		return got, tries, last
	}
}

// retryable returns the error of an attempt in the form that tells the backoff
// package whether and when there is to be another.
func retryable(e endpoint, failure *Error) error {
	temporary := failure.Code == CodeUnavailable || failure.Code == CodeRateLimited
	switch failure.Status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		temporary = false
	}
	neverArrived := failure.Status == 0 && !failure.Uncertain
	if !temporary || (!e.reads && !neverArrived) {
		return backoff.Permanent(failure)
	}
	if failure.RetryAfter > 0 {
		return &backoff.RetryAfterError{Duration: failure.RetryAfter}
	}
	return failure
}
