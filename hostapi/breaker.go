package hostapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// tripAfter is how many requests must fail one after another for the
	// service to be taken to be away.
	tripAfter = 10
	// The pauses before the service is tried again, on average, double from
	// firstProbe to lastProbe.
	firstProbe = time.Second
	lastProbe  = 30 * time.Second
	// maxHold bounds for how long no request is made because the service said so.
	maxHold = 30 * time.Second
)

// Health is what is known of the service as a whole.
type Health struct {
	// DownSince is since when the service is away, and calls are refused; zero:
	// it is not.
	DownSince time.Time
	// Reason is the request that failed last before that, or the last probe.
	Reason error
	// RetryAt is when the service will be tried again, or may be asked again
	// after it complained of too many requests; zero: now.
	RetryAt time.Time
}

// breaker keeps requests from a service that is away or wants to be left alone.
// None of the libraries looked at (sony/gobreaker v2, for one) has pauses that
// grow, heeds a Retry-After, or tells when the next try is.
type breaker struct {
	// try asks the service for a user's account, once.
	try    func(ctx context.Context, userID string) *Error
	onDown func(reason error)
	onUp   func(after time.Duration)

	closing context.Context // of probes
	stop    context.CancelFunc
	probing sync.WaitGroup

	mu     sync.Mutex
	closed bool   // no probing begins any more
	failed int    // requests one after another
	asker  string // the user whose request failed or was refused last
	health Health
}

func newBreaker(try func(context.Context, string) *Error, onDown func(error), onUp func(time.Duration)) *breaker {
	closing, stop := context.WithCancel(context.Background())
	return &breaker{try: try, onDown: onDown, onUp: onUp, closing: closing, stop: stop}
}

// refusal returns the error of a user's call of which no request may be made now,
// or nil.
func (b *breaker) refusal(op Operation, userID string, now time.Time) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := max(0, b.health.RetryAt.Sub(now))
	switch {
	case !b.health.DownSince.IsZero():
		b.asker = userID
		return &Error{Code: CodeUnavailable, Op: op, NotSent: true, RetryAfter: left,
			Detail: "not sent: the service has been away since " + b.health.DownSince.UTC().Format(time.TimeOnly) + " UTC"}
	case left > 0:
		return &Error{Code: CodeRateLimited, Op: op, NotSent: true, RetryAfter: left,
			Detail: "not sent: the service has had too many requests"}
	default:
		return nil
	}
}

// note takes the outcome of a request for a user, which is nil for a success.
// With the one that shows the service to be away it begins to probe.
func (b *breaker) note(userID string, failure *Error) {
	if !b.trips(failure, time.Now()) {
		return
	}
	b.onDown(failure)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asker = userID
	if !b.closed {
		b.probing.Go(b.probe)
	}
}

// trips tells whether a request's outcome is the one with which the service is
// taken to be away.
func (b *breaker) trips(failure *Error, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	down := !b.health.DownSince.IsZero()
	switch {
	case down: // only a probe ends that
	case answered(failure):
		b.failed = 0
		if failure != nil && failure.Code == CodeRateLimited && failure.RetryAfter > 0 {
			b.health.RetryAt = now.Add(min(failure.RetryAfter, maxHold))
		}
	case meansAway(failure):
		b.failed++
		if b.failed >= tripAfter {
			b.health = Health{DownSince: now, Reason: failure}
			return true
		}
	}
	return false
}

// probe tries the service with growing pauses until it answers, with an account
// or a refusal. It asks for the account that was asked for last: a service may
// fail for one account alone.
func (b *breaker) probe() {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.Multiplier, pauses.MaxInterval = firstProbe, 2, lastProbe
	for {
		pause := pauses.NextBackOff()
		b.change(func(h *Health) { h.RetryAt = time.Now().Add(pause) })
		timer := time.NewTimer(pause)
		select {
		case <-b.closing.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		failure := b.try(b.closing, b.lastAsker())
		switch {
		case b.closing.Err() != nil:
			return
		case failure == nil || !meansAway(failure):
			b.onUp(b.recover(time.Now()))
			return
		}
		b.change(func(h *Health) { h.Reason = failure })
	}
}

func (b *breaker) lastAsker() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asker
}

func (b *breaker) change(edit func(*Health)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit(&b.health)
}

// recover lets requests through again and returns for how long it did not.
func (b *breaker) recover(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	after := now.Sub(b.health.DownSince)
	b.failed, b.health = 0, Health{}
	return after
}

// close ends the probing.
func (b *breaker) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.stop()
	b.probing.Wait()
}

// state returns what is known.
func (b *breaker) state(now time.Time) Health {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health
	if !h.RetryAt.After(now) {
		h.RetryAt = time.Time{}
	}
	return h
}

// answered tells whether a request's outcome, nil for a success, is one that only
// a service that works gives.
func answered(failure *Error) bool {
	if failure == nil {
		return true
	}
	switch failure.Code {
	case CodeUnavailable, CodeMalformed, CodeCanceled:
		return false
	default:
		return failure.Status != 0
	}
}

// meansAway tells whether a failure says that the service is away or broken,
// and not that it answers as it should to what it was asked.
func meansAway(failure *Error) bool {
	switch failure.Code {
	case CodeMalformed:
		return true
	case CodeUnavailable:
		switch failure.Status {
		case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
			return false
		case http.StatusNotFound: // or it only lacks the path of one operation
			return failure.Op == OpList
		default:
			return true
		}
	default:
		return false
	}
}
