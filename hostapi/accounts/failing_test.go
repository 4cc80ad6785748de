package accounts_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

var (
	none = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404}
	down = &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList, Status: 503, Detail: "maintenance"}
)

// answered lets the service answer one who asks with r.
func (f *fixture) answered(t *testing.T, r reply) outcome {
	t.Helper()
	asked := f.later(t.Context(), soon())
	f.service.next(t).reply(t, r)
	return receive(t, asked)
}

func TestThatThereIsNoAccountIsRemembered(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.answered(t, reply{err: none})
		f.advance(fresh - time.Millisecond)
		f.seen.take()
		for range 3 {
			if o := f.uncalled(t, f.Cache); hostapi.CodeOf(o.err) != hostapi.CodeNotFound {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
		if n := len(f.seen.take()); n != 3 {
			t.Errorf("%d commands for three who asked", n)
		}
		if ttl := f.redis.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > fresh {
			t.Errorf("it is remembered for %v", ttl)
		}
		f.advance(time.Millisecond)
		f.remembered(t, list("RUNNING")) // an account was opened
	})
}

func TestExpireAndForgetEndThatThereIsNoAccount(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.answered(t, reply{err: none})
		f.Expire(t.Context(), user)
		f.advance(time.Second)
		f.answered(t, reply{err: none}) // the service is asked
		if known, err := f.Forget(t.Context(), user); !known || err != nil {
			t.Errorf("known %v, error %v", known, err)
		}
		f.remembered(t, list("RUNNING"))
	})
}

func TestAnAccountThatWasClosedIsNotShownInAnOutage(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		f.answered(t, reply{err: none})
		f.advance(fresh)
		if o := f.answered(t, reply{err: down}); !errors.Is(o.err, down) {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
	})
}

func TestAfterAFailureTheServiceIsLeftAloneForAWhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := f.another()
		defer other.Close()
		for _, hold := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			if o := f.answered(t, reply{err: down}); !errors.Is(o.err, down) {
				t.Fatalf("who asked got %+v, error %v", o.snapshot, o.err)
			}
			f.advance(hold - time.Millisecond)
			f.seen.take()
			for _, cache := range []*accounts.Cache{f.Cache, other} {
				var said *hostapi.Error
				if o := f.uncalled(t, cache); !errors.As(o.err, &said) || said.Code != down.Code || said.Status != 503 || said.Detail != down.Detail {
					t.Errorf("meanwhile one got %+v, error %v", o.snapshot, o.err)
				}
			}
			if n := len(f.seen.take()); n != 2 {
				t.Errorf("%d commands for two who asked", n)
			}
			f.advance(time.Millisecond)
		}
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		f.answered(t, reply{err: down})
		f.advance(time.Second) // no more, as it is the first again
		f.remembered(t, list("RUNNING"))
	})
}

// Where nothing is known, one who asks waits for the service rather than to get
// the same error, unless that takes long.
func TestTheEndOfAHoldIsWaitedFor(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		cache := accounts.New(accounts.Config{
			Redis: f.redis, Source: f.service, Fresh: fresh, Keep: keep, Patience: patience, Log: zerolog.New(f.log), // and the machine's clock
		})
		defer cache.Close()
		first := later(t.Context(), cache, soon())
		f.service.next(t).reply(t, reply{err: down})
		failed := time.Now()
		receive(t, first)
		second, third := later(t.Context(), cache, soon()), later(t.Context(), cache, soon())
		f.service.next(t).reply(t, reply{list: list("RUNNING")})
		if after := time.Since(failed); after < 900*time.Millisecond {
			t.Errorf("the service is asked again after %v", after)
		}
		for _, asked := range []<-chan outcome{second, third} {
			if o := receive(t, asked); o.err != nil || statusOf(o.snapshot) != "RUNNING" {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

func TestALongHoldIsNotWaitedFor(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, hold := range []time.Duration{time.Second, 2 * time.Second, 0} {
			f.answered(t, reply{err: down})
			f.advance(hold)
		}
		f.Close() // so that whoever would have to wait is turned away
		if _, err := f.Account(t.Context(), user, soon()); hostapi.CodeOf(err) != down.Code {
			t.Errorf("with 4 s to go: %v", err)
		}
		f.advance(2 * time.Second)
		if _, err := f.Account(t.Context(), user, soon()); hostapi.CodeOf(err) != hostapi.CodeCanceled {
			t.Errorf("with 2 s to go: %v", err)
		}
	})
}

func TestAfterAFailureTheOldIsShownAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.advance(fresh)
		f.answered(t, reply{err: down})
		f.seen.take()
		o := f.uncalled(t, f.Cache)
		if o.err != nil || statusOf(o.snapshot) != "RUNNING" || !o.snapshot.Old || o.snapshot.Update != nil || !o.snapshot.FetchedAt.Equal(fetched) {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		if n := len(f.seen.take()); n != 1 {
			t.Errorf("%d commands", n)
		}
		f.Expire(t.Context(), user) // after an action the service is asked all the same
		f.advance(time.Second)
		f.remembered(t, list("CRASHED"))
	})
}

// The service is away, and its client refuses calls at once.
func TestACallThatWasNotSentIsNotHeldAgainstTheAccount(t *testing.T) {
	refusal := &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList, NotSent: true, RetryAfter: time.Second}
	each(t, func(t *testing.T, f *fixture) {
		for range 3 {
			if o := f.answered(t, reply{err: refusal}); !errors.Is(o.err, refusal) {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		for range 3 {
			if o := f.answered(t, reply{err: refusal}); o.err != nil || !o.snapshot.Old || statusOf(o.snapshot) != "RUNNING" {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
		if n := f.log.count("did not answer"); n != 0 {
			t.Errorf("it is logged %d times that the service did not answer", n)
		}
	})
}

func TestACallThatWasCanceledIsNoFailure(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		f.service.next(t)
		f.Close()
		receive(t, asked)
		f.Cache = f.another()
		f.advance(time.Second)
		f.remembered(t, list("RUNNING"))
	})
}
