package hostapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// openAfter is how many accounts must begin to fail, with no success in between, before the circuit breaker opens.
	openAfter = 5
	// pause is between two calls for failing accounts while the breaker is open.
	pause = time.Second
	// probeWait is how long a call waits for another one's probe.
	probeWait = time.Second
	// maxFailing bounds the memory for failing accounts, at some 100 bytes each.
	maxFailing = 10_000
)

// breaker is a circuit breaker. While the service is away, it lets few calls through to it.
//
// The service may fail for some accounts only. So an account whose last call failed is remembered as failing, and its
// further failures do not count until a call for it has succeeded. While the breaker is open, one call a second is let
// through for all failing accounts together. The first call for any other account is let through at once, since it shows
// whether the service works. Calls that come meanwhile wait for its end.
//
// A 429 tells the breaker nothing: it often comes from a gateway, and that answers whether the service behind it works
// or not.
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

// repeats notes when a call that failed is made again.
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

// allow waits until a call may be made, or returns why it may not. When a call that is allowed has ended, the caller must
// pass its outcome and its probe to record.
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

// try allows or refuses a call now. If another call's probe is under way, it returns that probe, and the refusal in case
// the probe fails.
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

// giveBack ends a probe before its call has ended, so that the next call may be the probe.
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

// record notes the outcome of a call that was allowed. failure is nil if it succeeded.
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

// answered reports whether only a working service can have given this outcome: a success, or a refusal. A 404 may be a
// gateway's, so it counts only in the service's own words.
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
