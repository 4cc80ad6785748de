package rest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retries says how a request is repeated.
type Retries struct {
	// First is the pause before the second attempt; 0 for half a second. Each pause is about twice the one
	// before it, up to Longest; 0 for a minute. If Discord asks for a longer pause (RetryAfter,
	// backoff.RetryAfterError), it is that long.
	First, Longest time.Duration
	// Exact doubles the pauses without jitter.
	Exact bool
	// Limit is how long after the first attempt others may begin; 0 for no limit.
	Limit time.Duration
	// Again reports whether an error is worth another attempt; nil for IsTemporary.
	Again func(error) bool
	// OnRetry is called before each pause; it may be nil.
	OnRetry func(failure error)
	// OnBack is Client.OnBack: it ends a pause that Discord did not ask for, and the pauses start from First
	// again. If it is nil, nothing ends a pause early.
	OnBack func(func()) (stop func())
}

// Retry calls send until it succeeds, and otherwise returns its last error. It begins no pause that would end
// after the limit or ctx's deadline, and ends a pause when ctx is done.
func Retry(ctx context.Context, r Retries, send func(context.Context) error) error {
	pauses := &backoff.ExponentialBackOff{
		InitialInterval: cmp.Or(r.First, 500*time.Millisecond), MaxInterval: cmp.Or(r.Longest, time.Minute), Multiplier: 2, RandomizationFactor: 0.5,
	}
	if r.Exact {
		pauses.RandomizationFactor = 0
	}
	began, limit := time.Now(), cmp.Or(r.Limit, math.MaxInt64)
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-1)
	}
	back := make(chan struct{}, 1) // also keeps an answer that came during the attempt
	if r.OnBack != nil {
		defer r.OnBack(func() {
			select {
			case back <- struct{}{}:
			default:
			}
		})()
	}
	again := r.Again
	if again == nil {
		again = IsTemporary
	}
	for {
		err := send(ctx)
		if err == nil || !again(err) {
			return err
		}
		asked := RetryAfter(err)
		if other, ok := errors.AsType[*backoff.RetryAfterError](err); ok { // another service asks, or ours
			asked = other.Duration
		}
		pause := max(pauses.NextBackOff(), asked)
		if ctx.Err() != nil || pause > limit-time.Since(began) {
			return err
		}
		if r.OnRetry != nil {
			r.OnRetry(err)
		}
		wake := back
		if asked > 0 {
			wake = nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		case <-wake:
			pauses.Reset()
		}
	}
}
