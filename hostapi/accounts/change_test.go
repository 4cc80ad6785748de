package accounts_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
)

func TestSetStatusIsShownWithoutACall(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.advance(10 * time.Second)

		gone, leave := context.WithCancel(t.Context())
		leave() // the action's customer may have gone: the status counts all the same
		f.SetStatus(gone, user, "a", "STOPPED")
		f.SetStatus(gone, user, "none", "STOPPED")

		got := f.look(t)
		if diff := cmp.Diff(list("STOPPED"), got.List); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
		if !got.FetchedAt.Equal(fetched) {
			t.Errorf("the account is of %v now, want %v", got.FetchedAt, fetched)
		}
		if ttl := f.redis.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > keep-10*time.Second {
			t.Errorf("the TTL is %v, want what is left of %v", ttl, keep)
		}
	})
}

func TestSetStatusForAnAccountThatIsNotKnownStoresNothing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.SetStatus(t.Context(), user, "a", "RUNNING")
		f.Expire(t.Context(), user)
		if n := f.redis.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys are there", n)
		}
		if n := f.log.count("cannot be used"); n != 0 {
			t.Error("an account that is not there counts as an outage")
		}
	})
}

func TestAnOlderCallDoesNotUndoAStatus(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		f.SetStatus(t.Context(), user, "a", "RESTARTED")
		q.reply(t, reply{list: list("RUNNING")})
		if o := receive(t, asked); statusOf(o.snapshot) != "RESTARTED" {
			t.Errorf("who was waiting got %q", statusOf(o.snapshot))
		}
		if got := f.look(t); statusOf(got) != "RESTARTED" {
			t.Errorf("the next got %q", statusOf(got))
		}
	})
}

// The answer to a call is on its way to Redis when an action ends.
func TestAStatusIsNotLostUnderAnAnswerBeingStored(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		storing, release := holdFirst(f, "evalsha", nil)
		q.reply(t, reply{list: list("RUNNING")})
		receive(t, storing)
		f.SetStatus(t.Context(), user, "a", "RESTARTED")
		close(release)
		if o := receive(t, asked); statusOf(o.snapshot) != "RESTARTED" {
			t.Errorf("who was waiting got %q", statusOf(o.snapshot))
		}
		if got := f.look(t); statusOf(got) != "RESTARTED" {
			t.Errorf("the next got %q", statusOf(got))
		}
	})
}

func TestWhatWasHandedOutStaysAsItIs(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		handedOut := f.look(t)
		f.SetStatus(t.Context(), user, "a", "RESTARTED")
		if statusOf(handedOut) != "RUNNING" {
			t.Error("it has changed under its reader")
		}
	})
}

func TestAfterExpireTheServiceIsAsked(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.Expire(t.Context(), user)
		f.advance(time.Second)

		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{err: errors.New("down")})
		got := receive(t, asked)
		if got.err != nil || statusOf(got.snapshot) != "RUNNING" || !got.snapshot.Old || !got.snapshot.FetchedAt.Equal(fetched) {
			t.Errorf("while the service is away there is %+v, error %v", got.snapshot, got.err)
		}

		f.advance(time.Second) // the pause after a failure
		f.remembered(t, list("CRASHED"))
		if got := f.look(t); statusOf(got) != "CRASHED" || got.Old {
			t.Errorf("once it has answered there is %+v", got)
		}
	})
}

func TestACallFromBeforeAnExpireIsNotKept(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		early := f.later(t.Context(), soon())
		first := f.service.next(t)
		f.Expire(t.Context(), user)
		f.advance(time.Second)
		late := f.later(t.Context(), soon())
		second := f.service.next(t) // not the first one's answer
		second.reply(t, reply{list: list("new")})
		if o := receive(t, late); statusOf(o.snapshot) != "new" {
			t.Errorf("who asked after Expire got %q, error %v", statusOf(o.snapshot), o.err)
		}
		first.reply(t, reply{list: list("stale")})
		receive(t, early)
		if got := f.look(t); statusOf(got) != "new" {
			t.Errorf("the next got %q", statusOf(got))
		}
	})
}

func TestExpireWhileAnAnswerIsBeingStored(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		storing, release := holdFirst(f, "evalsha", nil)
		q.reply(t, reply{list: list("stale")})
		receive(t, storing)
		f.Expire(t.Context(), user)
		close(release)
		receive(t, asked)
		f.advance(time.Second)
		f.remembered(t, list("new")) // the service is asked
		if got := f.look(t); statusOf(got) != "new" {
			t.Errorf("the next got %q", statusOf(got))
		}
	})
}

func TestExpireWhileOneLooksIntoRedis(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		early := f.later(t.Context(), soon())
		first := f.service.next(t)
		looking, release := holdFirst(f, "get", redis.Nil)
		late := f.later(t.Context(), soon())
		receive(t, looking)
		f.Expire(t.Context(), user)
		f.advance(time.Second)
		close(release)
		f.service.next(t).reply(t, reply{list: list("new")}) // not the first one's answer
		if o := receive(t, late); statusOf(o.snapshot) != "new" {
			t.Errorf("there is %q, error %v", statusOf(o.snapshot), o.err)
		}
		first.reply(t, reply{list: list("stale")})
		receive(t, early)
	})
}

func TestChangesByManyAreAllKept(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		other := f.another()
		defer other.Close()
		done := make(chan struct{}, 2)
		go func() { f.SetStatus(t.Context(), user, "a", "one"); done <- struct{}{} }()
		go func() { other.SetStatus(t.Context(), user, "b", "two"); done <- struct{}{} }()
		receive(t, done)
		receive(t, done)
		if got := f.look(t).List.Servers; got[0].Status != "one" || got[1].Status != "two" {
			t.Errorf("statuses are %q and %q", got[0].Status, got[1].Status)
		}
	})
}
