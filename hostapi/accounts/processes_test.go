package accounts_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// more returns caches of so many other processes.
func (f *fixture) more(t *testing.T, n int) []*accounts.Cache {
	t.Helper()
	others := make([]*accounts.Cache, n)
	for i := range others {
		others[i] = f.another()
		t.Cleanup(others[i].Close)
	}
	return others
}

// looks returns when so many more looks were taken into Redis. A call that comes
// meanwhile fails the test.
func (f *fixture) looks(t *testing.T, n int) {
	t.Helper()
	f.seen.take()
	for looks := 0; looks < n; {
		for _, name := range f.seen.take() {
			if name == "get" {
				looks++
			}
		}
		select {
		case <-f.service.calls:
			t.Fatal("the service is asked")
		default:
		}
	}
}

func TestProcessesShareOneCall(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var asked []<-chan outcome
		for _, cache := range f.more(t, 5) {
			for range 4 {
				asked = append(asked, later(t.Context(), cache, soon()))
			}
		}
		q := f.service.next(t)
		f.advance(time.Second)
		f.looks(t, 20) // they find that it is being asked for, and look again
		q.reply(t, reply{list: list("RUNNING")})
		// A second call would wait for an answer for ever.
		for _, one := range asked {
			if o := receive(t, one); o.err != nil || statusOf(o.snapshot) != "RUNNING" || o.snapshot.Old {
				t.Errorf("one got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

func TestWhileAnotherProcessAsksTheOldIsShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := f.more(t, 1)[0]
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		first := f.later(t.Context(), soon())
		q := f.service.next(t)
		o := receive(t, later(t.Context(), other, past()))
		if o.err != nil || statusOf(o.snapshot) != "RUNNING" || !o.snapshot.Old || o.snapshot.Update == nil {
			t.Fatalf("the other process shows %+v, error %v", o.snapshot, o.err)
		}
		q.reply(t, reply{list: list("CRASHED")})
		receive(t, first)
		if update, err := o.snapshot.Update(t.Context()); err != nil || statusOf(update) != "CRASHED" || update.Old {
			t.Errorf("the update is %+v, error %v", update, err)
		}
	})
}

func TestProcessesShareAFailure(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := f.more(t, 1)[0]
		first := f.later(t.Context(), soon())
		q := f.service.next(t)
		second := later(t.Context(), other, soon())
		q.reply(t, reply{err: down})
		for _, asked := range []<-chan outcome{first, second} {
			if o := receive(t, asked); hostapi.CodeOf(o.err) != hostapi.CodeUnavailable {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

// A process that is killed leaves its claim.
func TestAClaimOfAProcessThatDiedIsTakenOver(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		f.later(ctx, soon())
		dead := f.service.next(t) // which is never answered
		waiting := later(t.Context(), f.more(t, 1)[0], soon())
		f.advance(patience)
		f.service.next(t).reply(t, reply{list: list("RUNNING")})
		if o := receive(t, waiting); o.err != nil || statusOf(o.snapshot) != "RUNNING" {
			t.Errorf("who waited got %+v, error %v", o.snapshot, o.err)
		}
		dead.reply(t, reply{list: list("GHOST")}) // it was only slow
		f.Close()
		if got := f.lookAt(t, f.more(t, 1)[0]); statusOf(got) != "RUNNING" {
			t.Errorf("after its answer there is %q", statusOf(got))
		}
	})
}

// The process that was asking is stopped, in order.
func TestAProcessThatStopsGivesUpItsClaim(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := f.more(t, 1)[0]
		f.later(t.Context(), soon())
		f.service.next(t)
		waiting := later(t.Context(), other, soon())
		f.Close()
		f.advance(time.Second)
		f.service.next(t).reply(t, reply{list: list("RUNNING")})
		if o := receive(t, waiting); o.err != nil {
			t.Error(o.err)
		}
	})
}

func TestAnotherProcessesCallDoesNotUndoAStatus(t *testing.T) {
	for _, known := range []bool{false, true} {
		each(t, func(t *testing.T, f *fixture) {
			other := f.more(t, 1)[0]
			if known {
				f.remembered(t, list("RUNNING"))
				f.advance(fresh)
			}
			asked := f.later(t.Context(), soon())
			q := f.service.next(t)
			other.SetStatus(t.Context(), user, "a", "RESTARTED")
			q.reply(t, reply{list: list("RUNNING")})
			if o := receive(t, asked); statusOf(o.snapshot) != "RESTARTED" {
				t.Errorf("who was waiting got %q", statusOf(o.snapshot))
			}
			if got := f.lookAt(t, other); statusOf(got) != "RESTARTED" {
				t.Errorf("the next got %q", statusOf(got))
			}
		})
	}
}

func TestAnotherProcessesCallFromBeforeAChangeIsNotKept(t *testing.T) {
	for name, change := range map[string]func(context.Context, *accounts.Cache){
		"expire": func(ctx context.Context, c *accounts.Cache) { c.Expire(ctx, user) },
		"forget": func(ctx context.Context, c *accounts.Cache) { _, _ = c.Forget(ctx, user) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				other := f.more(t, 1)[0]
				early := f.later(t.Context(), soon())
				q := f.service.next(t)
				change(t.Context(), other)
				q.reply(t, reply{list: list("stale")})
				receive(t, early)
				f.advance(time.Second)
				f.remembered(t, list("new")) // the service is asked
				if got := f.lookAt(t, other); statusOf(got) != "new" {
					t.Errorf("the next got %q", statusOf(got))
				}
			})
		})
	}
}

func TestExpireHasTheServiceAskedOnceASecondAtMost(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := f.more(t, 1)[0]
		f.remembered(t, list("RUNNING"))
		f.advance(time.Second - time.Millisecond)
		f.Expire(t.Context(), user)
		old := receive(t, f.later(t.Context(), past())).snapshot
		if !old.Old || old.Update == nil {
			t.Fatalf("meanwhile there is %+v", old)
		}
		waiting := []<-chan outcome{f.later(t.Context(), soon()), later(t.Context(), other, soon())}
		f.looks(t, 4)
		f.advance(time.Millisecond)
		f.service.next(t).reply(t, reply{list: list("CRASHED")})
		for _, asked := range waiting {
			if o := receive(t, asked); statusOf(o.snapshot) != "CRASHED" || o.snapshot.Old {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

// Whatever customers and processes do, the service is asked once.
func TestTheServiceIsAskedOnceInFresh(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		counted := &counter{}
		var caches []*accounts.Cache
		for range 3 {
			cache := accounts.New(accounts.Config{
				Redis: f.redis, Source: counted, Fresh: fresh, Keep: keep, Patience: patience, Now: f.clock,
			})
			t.Cleanup(cache.Close)
			caches = append(caches, cache)
		}
		for round := 1; round <= 3; round++ {
			var asking sync.WaitGroup
			for i := range 60 {
				asking.Go(func() {
					if _, err := caches[i%3].Account(t.Context(), user, soon()); err != nil {
						t.Error(err)
					}
					if i%7 == 0 {
						caches[(i+1)%3].SetStatus(t.Context(), user, "a", "RESTARTED")
					}
				})
			}
			asking.Wait()
			if n := counted.count(); n != round {
				t.Fatalf("the service was asked %d times in %d rounds", n, round)
			}
			f.advance(fresh)
		}
	})
}

// counter is a service that counts calls.
type counter struct {
	mu    sync.Mutex
	calls int
}

func (c *counter) List(context.Context, string) (hostapi.List, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return list("RUNNING"), nil
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// The answer that says that the claim was taken is lost on its way.
func TestAClaimThatRedisTookWithoutSayingSo(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING")) // the script is there now
		f.advance(fresh)
		f.seen.afterFirst("evalsha", redis.ErrClosed)
		f.remembered(t, list("CRASHED"))
		if got := f.lookAt(t, f.more(t, 1)[0]); statusOf(got) != "CRASHED" {
			t.Errorf("another process shows %q", statusOf(got))
		}
	})
}

func TestAClaimThatRedisDidNotTakeBackIsGivenUpLater(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		f.seen.onCommand(func(context.Context, string) error { return errors.New("a moment's trouble") })
		q.reply(t, reply{list: list("RUNNING")})
		if o := receive(t, asked); o.err != nil {
			t.Fatal(o.err)
		}
		f.seen.onCommand(nil)
		f.advance(fresh) // which is less than patience
		f.remembered(t, list("CRASHED"))
	})
}
