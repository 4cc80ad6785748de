package rest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retries says how a request is repeated.
type Retries struct {
	// First is the pause before the second attempt, half a second if it is 0. Each pause is
	// about twice as long as the one before it, up to Longest, a minute if that is 0. If
	// Discord asks for a pause (Error.RetryAfter, backoff.RetryAfterError), it is that long.
	First, Longest time.Duration
	// Limit is for how long attempts begin; 0 if there is no limit.
	Limit time.Duration
	// Again reports whether an error is worth another attempt. If it is nil,
	// IsTemporary does.
	Again func(error) bool
	// OnRetry is called before each pause; it may be nil.
	OnRetry func(failure error)
	// OnBack is Client.OnBack; nil if nothing ends a pause early. A pause that Discord did not
	// ask for is over within wakeSpread of Discord answering again, and the pauses grow anew then.
	OnBack func(func()) (stop func())
}

// wakeSpread is over which time those are spread whom one answer of Discord's wakes.
const wakeSpread = time.Second

// Retry sends until that succeeds, and returns the last error otherwise. It begins no pause
// that would end after the limit or ctx's deadline, and ends a pause when ctx is done.
func Retry(ctx context.Context, r Retries, send func(context.Context) error) error {
	again := r.Again
	if again == nil {
		again = IsTemporary
	}
	limit := cmp.Or(r.Limit, math.MaxInt64)
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-1)
	}
	for began := time.Now(); ; {
		last, woken := r.retry(ctx, limit-time.Since(began), again, send)
		pause := rand.N(wakeSpread)
		if !woken || time.Since(began)+pause > limit {
			return last
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(pause):
		}
	}
}

// retry is Retry until a pause ends early, which woken reports.
func (r Retries) retry(ctx context.Context, limit time.Duration, again func(error) bool, send func(context.Context) error) (last error, woken bool) {
	var pausing atomic.Bool // for a time that is not Discord's word
	running, wake := context.WithCancel(ctx)
	defer wake()
	if r.OnBack != nil {
		defer r.OnBack(func() {
			if pausing.Load() {
				wake()
			}
		})()
	}
	attempt := func() (struct{}, error) {
		pausing.Store(false)
		last = send(ctx)
		if last != nil && !again(last) {
			return struct{}{}, backoff.Permanent(last)
		}
		if e, ok := errors.AsType[*Error](last); ok && e.RetryAfter > 0 {
			return struct{}{}, &backoff.RetryAfterError{Duration: e.RetryAfter}
		}
		return struct{}{}, last
	}
	pauses := &backoff.ExponentialBackOff{
		InitialInterval: cmp.Or(r.First, 500*time.Millisecond), MaxInterval: cmp.Or(r.Longest, time.Minute),
		Multiplier: 2, RandomizationFactor: 0.5,
	}
	notify := func(failure error, _ time.Duration) {
		_, asked := errors.AsType[*backoff.RetryAfterError](failure)
		pausing.Store(!asked)
		if r.OnRetry != nil {
			r.OnRetry(last)
		}
	}
	limit = max(limit, 1) // the library takes 0 for no limit
	if _, err := backoff.Retry(running, attempt, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(limit), backoff.WithNotify(notify)); err == nil {
		return nil, false
	}
	// Discord may also have answered during the last attempt, whose failure counts all the same.
	return last, running.Err() != nil && ctx.Err() == nil && again(last)
}
