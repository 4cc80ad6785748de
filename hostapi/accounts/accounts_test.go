package accounts_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

func TestAFreshAccountCostsOneGet(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.advance(fresh - time.Millisecond)
		f.look(t) // the pool's connection is there now
		f.seen.take()

		got := f.look(t)
		if diff := cmp.Diff([]string{"get"}, f.seen.take()); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
		want := accounts.Snapshot{List: list("RUNNING"), FetchedAt: fetched}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
	})
}

func TestAMissingAccountWaitsForTheService(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		refused := &hostapi.Error{Code: hostapi.CodeNotFound}
		asked := f.later(t.Context(), past()) // by is of no matter: there is nothing to show
		f.service.next(t).reply(t, reply{err: refused})
		if o := receive(t, asked); !errors.Is(o.err, refused) {
			t.Errorf("error is %v, want the service's", o.err)
		}

		f.advance(fresh)
		ctx, leave := context.WithCancel(t.Context())
		asked = f.later(ctx, soon())
		q := f.service.next(t)
		leave()
		if o := receive(t, asked); hostapi.CodeOf(o.err) != hostapi.CodeCanceled {
			t.Errorf("error of one who left is %v", o.err)
		}
		q.reply(t, reply{list: list("RUNNING")})
		if got := f.look(t); statusOf(got) != "RUNNING" {
			t.Errorf("what the service answered to one who left is lost: %+v", got)
		}
	})
}

func TestAnOldAccountIsAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{list: list("CRASHED")})
		got := receive(t, asked)
		want := accounts.Snapshot{List: list("CRASHED"), FetchedAt: f.clock()}
		if diff := cmp.Diff(want, got.snapshot); diff != "" || got.err != nil {
			t.Errorf("error %v, snapshot (-want +got):\n%s", got.err, diff)
		}
		if got := f.look(t); statusOf(got) != "CRASHED" {
			t.Errorf("the next sees %+v", got)
		}
	})
}

func TestALateAnswerComesAsAnUpdate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.advance(fresh)

		old := receive(t, f.later(t.Context(), past())).snapshot
		if statusOf(old) != "RUNNING" || !old.Old || !old.FetchedAt.Equal(fetched) || old.Update == nil {
			t.Fatalf("while the service is slow there is %+v", old)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := old.Update(gone); hostapi.CodeOf(err) != hostapi.CodeCanceled {
			t.Errorf("the error of an update that nobody waits for is %v", err)
		}
		f.service.next(t).reply(t, reply{list: list("CRASHED")})
		got, err := old.Update(t.Context())
		want := accounts.Snapshot{List: list("CRASHED"), FetchedAt: f.clock()}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("error %v, update (-want +got):\n%s", err, diff)
		}
	})
}

func TestAnUpdateMayFail(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		old := receive(t, f.later(t.Context(), past())).snapshot
		down := errors.New("down")
		f.service.next(t).reply(t, reply{err: down})
		if _, err := old.Update(t.Context()); !errors.Is(err, down) {
			t.Errorf("error is %v, want the service's", err)
		}
	})
}

func TestAnAccountThatIsNoMoreIsNotShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{err: &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404}})
		if got := receive(t, asked); hostapi.CodeOf(got.err) != hostapi.CodeNotFound {
			t.Errorf("error %v, snapshot %+v; want the service's word that there is no account", got.err, got.snapshot)
		}
	})
}

func TestWhileTheServiceFailsTheOldIsShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		fetched := f.clock()
		f.advance(keep - time.Second)
		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{err: errors.New("on fire")})
		got := receive(t, asked)
		want := accounts.Snapshot{List: list("RUNNING"), FetchedAt: fetched, Old: true} // and no Update
		if diff := cmp.Diff(want, got.snapshot); diff != "" || got.err != nil {
			t.Errorf("error %v, snapshot (-want +got):\n%s", got.err, diff)
		}
		if n := f.log.count("on fire"); n != 1 {
			t.Errorf("the failure is logged %d times", n)
		}

		f.advance(time.Second) // too old to be shown at all
		asked = f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{err: errors.New("still")})
		if o := receive(t, asked); o.err == nil {
			t.Errorf("after Keep there is %+v", o.snapshot)
		}
	})
}

func TestManyShareOneCall(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, leave := context.WithCancel(t.Context())
		first := f.later(ctx, soon())
		q := f.service.next(t)
		var others []<-chan outcome
		for range 20 {
			others = append(others, f.later(t.Context(), soon()))
		}
		leave()
		if o := receive(t, first); o.err == nil {
			t.Fatalf("one who left got %+v", o)
		}
		// A second call would wait in calls for ever, as would whoever made it.
		q.reply(t, reply{list: list("RUNNING")})
		for _, other := range others {
			if o := receive(t, other); o.err != nil || statusOf(o.snapshot) != "RUNNING" {
				t.Errorf("one of many got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

// One looks into Redis just before an answer is stored there, and finds nothing.
func TestAnAnswerThatComesWhileOneLooksIntoRedisIsUsed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first := f.later(t.Context(), soon())
		q := f.service.next(t)
		looking, release := holdFirst(f, "get", redis.Nil)
		second := f.later(t.Context(), soon())
		receive(t, looking)
		q.reply(t, reply{list: list("RUNNING")})
		receive(t, first)
		close(release)
		// A second call would wait for an answer for ever.
		if o := receive(t, second); o.err != nil || statusOf(o.snapshot) != "RUNNING" {
			t.Errorf("the second got %+v, error %v", o.snapshot, o.err)
		}
	})
}

func TestCloseEndsCalls(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		f.Close()
		if q.ctx.Err() == nil {
			t.Error("the call goes on after Close")
		}
		if o := receive(t, asked); o.err == nil {
			t.Errorf("got %+v", o.snapshot)
		}
		if o := receive(t, f.later(t.Context(), soon())); hostapi.CodeOf(o.err) != hostapi.CodeCanceled {
			t.Errorf("after Close the error is %v", o.err)
		}
	})
}

func TestACallIsBoundedByPatience(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.later(context.WithoutCancel(t.Context()), soon())
		q := f.service.next(t)
		if end, ok := q.ctx.Deadline(); !ok || time.Until(end) > patience {
			t.Errorf("the call may last until %v", end)
		}
		q.reply(t, reply{list: list("RUNNING")})
	})
}
