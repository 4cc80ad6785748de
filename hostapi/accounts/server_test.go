package accounts_test

import (
	"context"
	"testing"
	"time"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// askAlone asks a cache for server a anew, in the background.
func askAlone(t testing.TB, c *accounts.Cache) <-chan outcome {
	return inBackground(func() (accounts.Snapshot, error) { return c.Ask(t.Context(), user, "a", time.Now().Add(safety)) })
}

func refresh(t testing.TB, c *accounts.Cache, serverID string) <-chan outcome {
	return inBackground(func() (accounts.Snapshot, error) {
		return c.Refresh(t.Context(), user, serverID, time.Now().Add(safety))
	})
}

func TestServerIsAskedForAloneAndCached(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, other *accounts.Cache) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		f.advance(ttl / 2)
		asked := askAlone(t, f.Cache)
		f.service.next(t).replyAlone(t, "CRASHED")
		o := receive(t, asked)
		if o.err != nil || o.status() != "CRASHED" || o.snapshot.Old || !o.snapshot.Seen("a").Equal(f.now()) || !o.snapshot.Seen("b").Equal(fetched) {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		f.wantCached(t, other, "CRASHED")
		f.outdate(t)
		f.fetched(t, "RUNNING")
		if o := f.cached(t, other); !o.snapshot.Seen("a").Equal(f.now()) || len(o.snapshot.Notes) != 0 {
			t.Errorf("a newer list leaves %+v", o.snapshot)
		}
	})
}

func TestChangeOutdatesACallForAServer(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
		f.fetched(t, "RUNNING")
		asked := askAlone(t, f.Cache)
		q := f.service.next(t)
		changes.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
		q.replyAlone(t, "RUNNING") // as it was before
		f.service.next(t).replyAlone(t, "STOPPED")
		if o := receive(t, asked); o.status() != "STOPPED" || o.snapshot.Notes["a"].Action != "stop" {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		f.wantCached(t, changes, "STOPPED")
	})
}

func TestListStandsInForAServer(t *testing.T) {
	for name, answer := range map[string]reply{
		"turned off":       {err: &hostapi.Error{Code: hostapi.CodeNotOffered, Op: hostapi.OpGet}},
		"404":              {err: &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpGet, Status: 404}},
		"405":              {err: &hostapi.Error{Code: hostapi.CodeInternal, Op: hostapi.OpGet, Status: 405}},
		"a redirect":       {err: &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpGet, Status: 302}},
		"no record":        {err: &hostapi.Error{Code: hostapi.CodeMalformed, Op: hostapi.OpGet, Status: 200}},
		"part of a record": {server: hostapi.Server{ID: "a", Status: "RUNNING"}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.fetched(t, "RUNNING")
				asked := askAlone(t, f.Cache)
				f.service.next(t).end(t, answer)
				f.service.next(t).reply(t, "CRASHED")
				if o := receive(t, asked); o.err != nil || o.status() != "CRASHED" || o.snapshot.Old {
					t.Errorf("got %+v, error %v", o.snapshot, o.err)
				}
				asked = askAlone(t, f.Cache)
				f.service.next(t).reply(t, "RUNNING") // that is remembered
				receive(t, asked)
				f.advance(time.Hour)
				asked = askAlone(t, f.Cache)
				f.service.next(t).replyAlone(t, "STOPPED")
				if o := receive(t, asked); o.status() != "STOPPED" {
					t.Errorf("an hour later: %+v, error %v", o.snapshot, o.err)
				}
			})
		})
	}
}

func TestServerThatIsGoneSaysNothingOfTheService(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		asked := askAlone(t, f.Cache)
		f.service.next(t).fail(t, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpGet, Status: 404})
		f.service.next(t).end(t, reply{list: hostapi.List{Servers: list("").Servers[1:]}})
		if o := receive(t, asked); o.err != nil || len(o.snapshot.List.Servers) != 1 {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		asked = askAlone(t, f.Cache) // which the account does not have
		f.service.next(t).reply(t, "RUNNING")
		receive(t, asked)
		asked = askAlone(t, f.Cache)
		f.service.next(t).replyAlone(t, "RUNNING")
		receive(t, asked)
	})
}

func TestServerThatCannotBeAskedForIsShownOld(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		asked := askAlone(t, f.Cache)
		f.service.next(t).fail(t, down)
		if o := receive(t, asked); o.err != nil || o.status() != "RUNNING" || !o.snapshot.Old {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		f.wantCached(t, f.Cache, "RUNNING")
	})
}

func TestRefreshAsksOnceInAWhile(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, other *accounts.Cache) {
		f.fetched(t, "RUNNING")
		asked := refresh(t, f.Cache, "a")
		f.service.next(t).replyAlone(t, "CRASHED")
		if o := receive(t, asked); o.status() != "CRASHED" {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		for _, serverID := range []string{"a", "b", ""} {
			if o := receive(t, refresh(t, other, serverID)); o.err != nil || o.status() != "CRASHED" || o.snapshot.Old {
				t.Errorf("%q at once again: %+v, error %v", serverID, o.snapshot, o.err)
			}
		}
		if left := f.redis.PTTL(t.Context(), freshKey+":asked").Val(); left <= 0 || left > 5*time.Second {
			t.Errorf("the service is asked again in %v", left)
		}
		f.redis.Del(t.Context(), freshKey+":asked") // that time goes by
		asked = refresh(t, f.Cache, "")
		f.service.next(t).reply(t, "STOPPED")
		if o := receive(t, asked); o.status() != "STOPPED" {
			t.Errorf("later: %+v, error %v", o.snapshot, o.err)
		}
	})
}

func look(ctx context.Context, c *accounts.Cache) <-chan outcome {
	return inBackground(func() (accounts.Snapshot, error) { return c.Look(ctx, user) })
}

func TestLookAsksOnceInAWhile(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, other *accounts.Cache) {
		f.fetched(t, "RUNNING")
		looked := look(t.Context(), f.Cache)
		f.service.next(t).reply(t, "CRASHED") // although the account is fresh
		if o := receive(t, looked); o.err != nil || o.status() != "CRASHED" {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		if o := receive(t, look(t.Context(), other)); o.err != nil || o.status() != "CRASHED" {
			t.Errorf("at once again: %+v, error %v", o.snapshot, o.err)
		}
		if o := receive(t, refresh(t, other, "a")); o.err != nil || o.status() != "CRASHED" {
			t.Errorf("a customer right after: %+v, error %v", o.snapshot, o.err)
		}
		f.redis.Del(t.Context(), freshKey+":asked") // that time goes by
		looked = look(t.Context(), other)
		f.service.next(t).reply(t, "STOPPED")
		if o := receive(t, looked); o.err != nil || o.status() != "STOPPED" {
			t.Errorf("later: %+v, error %v", o.snapshot, o.err)
		}
	})
}

// TestLookShowsNothingOld has looks fail right after somebody has asked, while an old
// account could be shown.
func TestLookShowsNothingOld(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		f.outdate(t)
		f.redis.Set(t.Context(), freshKey+":asked", "", 0)
		looked := look(t.Context(), f.Cache)
		f.service.next(t).fail(t, down)
		if o := receive(t, looked); hostapi.CodeOf(o.err) != hostapi.CodeUnavailable {
			t.Errorf("the service fails: %+v, error %v", o.snapshot, o.err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		looked = look(ctx, f.Cache)
		f.service.next(t)
		cancel() // before it has answered
		if o := receive(t, looked); hostapi.CodeOf(o.err) != hostapi.CodeCanceled {
			t.Errorf("the service is slow: %+v, error %v", o.snapshot, o.err)
		}
	})
}

func TestActionIsRememberedBesideANewerList(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		acted := f.now()
		f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "restart", "")
		f.wantCached(t, f.Cache, "RUNNING") // the service named no status
		f.advance(time.Minute)
		f.outdate(t)
		f.fetched(t, "CRASHED")
		if note := f.cached(t, f.Cache).snapshot.Notes["a"]; note.Action != "restart" || !note.At.Equal(acted) {
			t.Errorf("it is noted: %+v", note)
		}
		f.outdate(t)
		asked := ask(t, f.Cache)
		f.service.next(t).end(t, reply{list: hostapi.List{Servers: list("").Servers[1:]}})
		if o := receive(t, asked); len(o.snapshot.Notes) != 0 {
			t.Errorf("of a server that is gone: %+v", o.snapshot.Notes)
		}
	})
}
