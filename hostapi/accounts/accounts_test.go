package accounts_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

func TestAccountThatIsFreshIsShownAsItIs(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		f.advance(ttl - time.Millisecond)
		o := f.cached(t, f.Cache)
		want := accounts.Snapshot{List: list("RUNNING"), FetchedAt: fetched}
		if diff := differs(want, o.snapshot); diff != "" || o.err != nil {
			t.Errorf("error %v, snapshot (-want +got):\n%s", o.err, diff)
		}
		for key, want := range map[string]time.Duration{freshKey: ttl, lastKey: maxStale} {
			if left := f.redis.PTTL(t.Context(), key).Val(); left <= want-safety || left > want {
				t.Errorf("%s expires in %v, want %v", key, left, want)
			}
		}
	})
}

func TestKnownAsksNobody(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		if _, err := f.Known(t.Context(), user); err == nil {
			t.Error("something is known")
		}
		f.fetched(t, "RUNNING")
		f.outdate(t)
		known, err := f.Known(t.Context(), user)
		if diff := cmp.Diff(list("RUNNING"), known.List); diff != "" || err != nil {
			t.Errorf("error %v, list (-want +got):\n%s", err, diff)
		}
	})
}

func TestAccountIsShownOldUntilTheServiceAnswers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		f.outdate(t)
		f.advance(ttl)

		old := receive(t, askInVain(t, f.Cache)).snapshot
		update := old.Update
		old.Update = nil
		if diff := differs(accounts.Snapshot{List: list("RUNNING"), FetchedAt: fetched, Old: true}, old); diff != "" || update == nil {
			t.Fatalf("update %t, snapshot (-want +got):\n%s", update != nil, diff)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := update(gone); hostapi.CodeOf(err) != hostapi.CodeCanceled {
			t.Errorf("the error of an update that nobody waits for is %v", err)
		}
		joined := receive(t, askInVain(t, f.Cache)).snapshot
		f.service.next(t).reply(t, "CRASHED")
		for _, update := range []func(context.Context) (accounts.Snapshot, error){update, joined.Update} {
			got, err := update(t.Context())
			if diff := differs(accounts.Snapshot{List: list("CRASHED"), FetchedAt: f.now()}, got); diff != "" || err != nil {
				t.Errorf("error %v, update (-want +got):\n%s", err, diff)
			}
		}
		f.outdate(t)
		old = receive(t, askInVain(t, f.Cache)).snapshot
		f.service.next(t).fail(t, down)
		if _, err := old.Update(t.Context()); !errors.Is(err, down) {
			t.Errorf("the error of an update is %v, want the service's", err)
		}
	})
}

func TestAccountIsShownOldWhereTheServiceFails(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		f.outdate(t)
		f.advance(ttl)
		o := f.failed(t, down)
		if !errors.Is(o.snapshot.Failure, down) {
			t.Errorf("the service failed with %v, want %v", o.snapshot.Failure, down)
		}
		o.snapshot.Failure = nil
		want := accounts.Snapshot{List: list("RUNNING"), FetchedAt: fetched, Old: true} // and no Update
		if diff := differs(want, o.snapshot); diff != "" || o.err != nil {
			t.Errorf("error %v, snapshot (-want +got):\n%s", o.err, diff)
		}
		if err := f.redis.Del(t.Context(), lastKey).Err(); err != nil { // MaxStale goes by
			t.Fatal(err)
		}
		if o := f.failed(t, down); !errors.Is(o.err, down) {
			t.Errorf("after MaxStale there is %+v, error %v", o.snapshot, o.err)
		}
	})
}

func TestAccountThatIsNoMoreIsNotShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		f.outdate(t)
		if o := f.failed(t, none); !errors.Is(o.err, none) {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		f.hook.take()
		for range 3 {
			if o := f.cached(t, f.Cache); hostapi.CodeOf(o.err) != hostapi.CodeNotFound {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
		if n := len(f.hook.take()); n != 3 {
			t.Errorf("%d commands for three callers", n)
		}
		for _, key := range []string{freshKey, lastKey} {
			if left := f.redis.PTTL(t.Context(), key).Val(); left > ttl {
				t.Errorf("%s expires in %v", key, left)
			}
		}
		f.outdate(t)
		if o := f.failed(t, down); !errors.Is(o.err, down) {
			t.Errorf("in an outage there is %+v, error %v", o.snapshot, o.err)
		}
		f.fetched(t, "RUNNING") // an account was opened
	})
}

func TestCallersShareACall(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, leave := context.WithCancel(t.Context())
		first := askBy(ctx, f.Cache, time.Now().Add(safety))
		q := f.service.next(t)
		var others []<-chan outcome
		for range 20 {
			others = append(others, ask(t, f.Cache))
		}
		leave()
		if o := receive(t, first); hostapi.CodeOf(o.err) != hostapi.CodeCanceled {
			t.Fatalf("a caller who left got %+v", o)
		}
		_, _ = f.Account(ctx, user, time.Now().Add(safety))
		q.reply(t, "RUNNING") // a second call would never end, nor would its callers
		for _, other := range others {
			if o := receive(t, other); o.err != nil || o.status() != "RUNNING" {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

func TestCallsEndWithPatienceAndClose(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := ask(t, f.Cache)
		q := f.service.next(t)
		if end, ok := q.ctx.Deadline(); !ok || time.Until(end) > patience {
			t.Errorf("the call may last until %v", end)
		}
		f.Close()
		if q.ctx.Err() == nil {
			t.Error("the call goes on after Close")
		}
		for _, o := range []outcome{receive(t, asked), receive(t, ask(t, f.Cache))} {
			if hostapi.CodeOf(o.err) != hostapi.CodeCanceled {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
		}
	})
}

// TestStatusMapHoldsForWhatIsStored has a process with other words read what another one stored.
func TestStatusMapHoldsForWhatIsStored(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "on ice")
		for _, test := range []struct {
			entries []string
			want    hostapi.State
		}{{nil, hostapi.StateUnknown}, {[]string{"On-Ice=STOPPED"}, hostapi.StateStopped}, {[]string{"onice=CRASHED"}, hostapi.StateCrashed}} {
			words, err := hostapi.ParseStatusMap(test.entries)
			if err != nil {
				t.Fatal(err)
			}
			c := accounts.New(accounts.Config{
				Redis: f.redis, Source: f.service, TTL: ttl, MaxStale: maxStale, Patience: patience, StatusMap: words, OnGarbage: func(err error) { t.Error(err) }, Now: f.now,
				Prefix: "hostbot:", BesideKeys: func(string) []string { return nil }, KeepFor: func() time.Duration { return 0 }, OnLookup: func(bool) {}, Away: func() bool { return false }, OnDoubt: func(int, error) {},
			})
			t.Cleanup(c.Close)
			if s := f.cached(t, c).snapshot.List.Servers[0]; s.Status != "on ice" || s.State() != test.want {
				t.Errorf("with %q it is %q, %c", test.entries, s.Status, s.State())
			}
		}
	})
}
