package hostapi

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// openAfter is how many accounts must begin to fail, with no success between,
	// for the circuit breaker to open.
	openAfter = 5
	// The pauses before the service is tried again double from firstPause to
	// lastPause.
	firstPause = time.Second
	lastPause  = 15 * time.Second
	// maxHold bounds for how long no request is made because the service said so.
	maxHold = 30 * time.Second
	// maxFailing bounds the memory for failing accounts, at some 100 bytes each.
	maxFailing = 10_000
)

// breaker is a circuit breaker. It keeps calls from a service that is away or
// wants to be left alone.
//
// The service may fail for some accounts alone. An account whose last call
// failed is therefore remembered as failing until a call for it succeeds. Its
// further failures do not count, and while the breaker is open, it waits twice as
// long as other accounts, whose calls tell more.
type breaker struct {
	onDown func(reason error)
	onUp   func(after time.Duration)

	mu        sync.Mutex
	failing   map[string]bool // by user ID
	count     int             // of accounts that began to fail since a call succeeded
	openSince time.Time       // zero: the breaker is closed
	retryAt   time.Time       // no call is let through before
	pause     time.Duration   // the last one, while the breaker is open
	probing   bool            // a probe is under way
}

func (b *breaker) downSince() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.openSince
}

// allow tells whether a call may be made now, and returns its error if not. A
// call that is allowed must be passed to record when it has ended. A probe is a
// call that decides whether the breaker closes.
func (b *breaker) allow(call call, now time.Time) (probe bool, refusal *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.retryAt.Sub(now)
	if b.openSince.IsZero() {
		if wait > 0 {
			return false, &Error{Code: CodeRateLimited, Op: call.op, RetryAfter: wait,
				Detail: "not sent: the service has had too many requests"}
		}
		return false, nil
	}
	if b.failing[call.userID] {
		wait += b.pause
	}
	if b.probing || wait > 0 {
		return false, &Error{Code: CodeUnavailable, Op: call.op, RetryAfter: max(wait, 0),
			Detail: "not sent: the service has been away since " + b.openSince.UTC().Format(time.TimeOnly) + " UTC"}
	}
	b.probing = true
	return true, nil
}

// record takes the outcome of a call that was allowed; failure is nil for a
// success.
func (b *breaker) record(userID string, probe bool, failure *Error, now time.Time) {
	b.mu.Lock()
	before := b.openSince
	if probe {
		b.probing = false
	}
	switch {
	case answered(failure):
		delete(b.failing, userID)
		b.count = 0
		if probe {
			b.openSince, b.pause = time.Time{}, 0
		}
		if failure != nil && failure.Code == CodeRateLimited && b.openSince.IsZero() {
			b.retryAt = now.Add(min(failure.RetryAfter, maxHold))
		}
	case meansAway(failure):
		if !b.failing[userID] {
			if len(b.failing) >= maxFailing {
				clear(b.failing)
			}
			b.failing[userID] = true
			b.count++
		}
		if before.IsZero() && b.count >= openAfter {
			b.openSince = now
		}
		if probe || b.openSince != before {
			b.pause = min(max(2*b.pause, firstPause), lastPause)
			b.retryAt = now.Add(b.pause)
		}
	}
	after := b.openSince
	b.mu.Unlock()
	switch {
	case before.IsZero() && !after.IsZero():
		b.onDown(failure)
	case after.IsZero() && !before.IsZero():
		b.onUp(now.Sub(before))
	}
}

// answered tells whether the outcome of a call is one that only a service that
// works gives: a success, or the refusal of what it was asked.
func answered(failure *Error) bool {
	return failure == nil || failure.Status != 0 && !slices.Contains([]Code{CodeUnavailable, CodeMalformed, CodeCanceled}, failure.Code)
}

// meansAway tells whether a failure shows that the service is away or broken.
func meansAway(failure *Error) bool {
	switch {
	case failure.Attempts == 0:
		return false
	case failure.Status == http.StatusNotFound && failure.Op != OpList:
		return false // a gateway may lack the path of one operation
	default:
		return failure.Code == CodeUnavailable || failure.Code == CodeMalformed
	}
}
