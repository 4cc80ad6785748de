package hostapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// openAfter is how many accounts must begin to fail, with no success between,
	// for the circuit breaker to open.
	openAfter = 5
	// pause is between two calls for failing accounts while the breaker is open.
	pause = time.Second
	// probeWait is how long a call waits for another one's probe.
	probeWait = time.Second
	// maxFailing bounds the memory for failing accounts, at some 100 bytes each.
	maxFailing = 10_000
)

// breaker is a circuit breaker. It keeps calls from a service that is away.
//
// The service may fail for some accounts alone. An account whose last call
// failed is therefore remembered as failing until a call for it succeeds, and its
// further failures do not count. While the breaker is open, one call a second is let
// through for failing accounts. The first call for any other account is let through at
// once, as it reports whether the service works, and calls that come meanwhile wait for it.
//
// A 429 tells the breaker nothing: what limits requests often stands before the service, and
// answers whether that works or not.
type breaker struct {
	onDown func(reason error)
	onUp   func(after time.Duration)

	mu        sync.Mutex
	failing   map[string]bool // by user ID
	count     int             // of accounts that began to fail since a call succeeded
	openSince time.Time       // zero: the breaker is closed
	retryAt   time.Time       // no call for a failing account is let through before
	repeatAt  time.Time       // when the latest call that failed is made again
	probe     *probe          // under way; nil: none
}

// probe is a call that decides whether the breaker closes.
type probe struct {
	failing bool          // its account's calls fail, so that its failure tells nothing
	ended   chan struct{} // closed then
}

func (b *breaker) downSince() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.openSince
}

// repeats takes note of when a call that failed is made again.
func (b *breaker) repeats(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repeatAt = at
}

func (b *breaker) waitsUntil() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return later(b.repeatAt, b.retryAt)
}

// allow reports whether a call may be made, and returns its error if not. A call that
// is allowed must be passed to record when it has ended, with its probe.
func (b *breaker) allow(ctx context.Context, call call) (*probe, *Error) {
	limit := time.After(probeWait)
	for {
		own, other, refusal := b.try(call, time.Now())
		if other == nil {
			return own, refusal
		}
		select {
		case <-other.ended:
			if !other.failing && !b.downSince().IsZero() {
				return nil, refusal
			}
		case <-limit:
			return nil, refusal
		case <-ctx.Done():
			return nil, refusal
		}
	}
}

// try allows or refuses a call now. Where another call's probe is under way it
// returns that, with what to say if the probe fails.
func (b *breaker) try(call call, now time.Time) (own, other *probe, refusal *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.openSince.IsZero() {
		return nil, nil, nil
	}
	wait, failing := b.retryAt.Sub(now), b.failing[call.userID]
	refusal = &Error{Code: CodeUnavailable, Op: call.op, RetryAfter: max(wait, 0),
		Detail: "not sent: the service has been away since " + b.openSince.UTC().Format(time.TimeOnly) + " UTC"}
	switch {
	case failing && wait > 0:
		return nil, nil, refusal
	case b.probe != nil:
		return nil, b.probe, refusal
	default:
		b.probe = &probe{failing: failing, ended: make(chan struct{})}
		return b.probe, nil, nil
	}
}

// giveBack ends a probe before its call has ended. The next call may be one then.
func (b *breaker) giveBack(p *probe) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(p)
}

// end ends a probe, if it has not ended. The caller holds the mutex.
func (b *breaker) end(p *probe) {
	if p != nil && b.probe == p {
		b.probe = nil
		close(p.ended)
	}
}

// record takes the outcome of a call that was allowed; failure is nil for a
// success.
func (b *breaker) record(userID string, p *probe, failure *Error, now time.Time) {
	b.mu.Lock()
	before := b.openSince
	b.end(p)
	switch {
	case answered(failure):
		delete(b.failing, userID)
		b.count = 0
		if !before.IsZero() {
			b.openSince, b.retryAt = time.Time{}, time.Time{}
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
		if p != nil || b.openSince != before {
			b.retryAt = now.Add(pause)
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

// answered reports whether the outcome of a call is one that only a service that
// works gives: a success, or the refusal of what it was asked. A gateway may say
// that something is not found.
func answered(failure *Error) bool {
	return failure == nil || failure.Status != 0 && (failure.Code != CodeNotFound || failure.OwnWord) &&
		!slices.Contains([]Code{CodeUnavailable, CodeMalformed, CodeCanceled, CodeRateLimited}, failure.Code)
}

// meansAway reports whether a failure shows that the service is away or broken.
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
