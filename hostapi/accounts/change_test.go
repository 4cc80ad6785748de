package accounts_test

import (
	"context"
	"testing"
	"time"

	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// eachReplica runs a test in which the account is changed by the cache that asks
// the service, and by another on the same Redis.
func eachReplica(t *testing.T, run func(t *testing.T, f *fixture, changes *accounts.Cache)) {
	t.Run("same", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) { run(t, f, f.Cache) })
	})
	t.Run("another", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) { run(t, f, f.another(t)) })
	})
}

func TestActionIsShownWithoutACall(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		handedOut := f.cached(t, f.Cache)
		f.advance(ttl / 2)

		gone, leave := context.WithCancel(t.Context())
		leave() // the action's customer may have gone: the status counts all the same
		changes.Acted(gone, accounts.Snapshot{}, user, "a", "stop", "STOPPED")
		changes.Acted(gone, accounts.Snapshot{}, user, "none", "stop", "CRASHED")

		want := accounts.Snapshot{List: list("STOPPED"), FetchedAt: fetched, Notes: map[string]accounts.Note{"a": {Action: "stop", At: f.now(), Seen: f.now()}}}
		if diff := differs(want, f.cached(t, f.Cache).snapshot); diff != "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
		for key, want := range map[string]time.Duration{freshKey: ttl / 2, lastKey: maxStale - ttl/2} {
			if left := f.redis.PTTL(t.Context(), key).Val(); left <= 0 || left > want {
				t.Errorf("%s expires in %v, want %v", key, left, want)
			}
		}
		if handedOut.status() != "RUNNING" {
			t.Error("a snapshot has changed under its reader")
		}
		f.outdate(t)
		if o := f.failed(t, down); o.status() != "STOPPED" || !o.snapshot.Old {
			t.Errorf("while the service is away there is %+v, error %v", o.snapshot, o.err)
		}
	})
}

// The answer to a call that began before a change is neither stored nor shown: the
// service is asked again.
func TestChangeOutdatesACallUnderWay(t *testing.T) {
	for name, change := range map[string]func(context.Context, *accounts.Cache){
		"Acted": func(ctx context.Context, c *accounts.Cache) {
			c.Acted(ctx, accounts.Snapshot{}, user, "a", "restart", "RESTARTED")
		},
		"Expire": func(ctx context.Context, c *accounts.Cache) { c.Expire(ctx, user) },
		"Forget": func(ctx context.Context, c *accounts.Cache) { _, _ = c.Forget(ctx, user) },
	} {
		t.Run(name, func(t *testing.T) {
			eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
				asked := ask(t, f.Cache) // for an account that is not cached
				q := f.service.next(t)
				change(t.Context(), changes)
				q.reply(t, "stale")
				q = f.service.next(t)
				storing, release := f.hook.holdFirst("evalsha")
				q.reply(t, "stale")
				receive(t, storing) // the answer is on its way to Redis
				change(t.Context(), changes)
				close(release)
				f.service.next(t).reply(t, "new")
				if o := receive(t, asked); o.status() != "new" {
					t.Errorf("the caller got %q, error %v", o.status(), o.err)
				}
				f.wantCached(t, changes, "new")
			})
		})
	}
}

// Both read the account before either writes it.
func TestActionsByTwoReplicasAtOnceLosesNeither(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		writing, release := f.hook.holdFirst("evalsha")
		done := make(chan struct{})
		go func() {
			f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
			close(done)
		}()
		receive(t, writing)
		other := f.another(t)
		other.Acted(t.Context(), accounts.Snapshot{}, user, "b", "start", "RUNNING")
		close(release)
		receive(t, done)
		f.fetched(t, "CRASHED") // the service is asked
		f.wantCached(t, other, "CRASHED")
	})
}

// TestActionLosesNoChangeSinceTheAccountWasRead has the caller know an account that others have changed
// meanwhile, also where nothing is left of the change's generation.
func TestActionLosesNoChangeSinceTheAccountWasRead(t *testing.T) {
	for name, passes := range map[string]func(t *testing.T, f *fixture){
		"at once": func(*testing.T, *fixture) {},
		"and Redis has evicted the generation": func(t *testing.T, f *fixture) {
			t.Helper()
			f.redis.Del(t.Context(), generationKey)
		},
		"and the generation has expired": func(t *testing.T, f *fixture) {
			t.Helper()
			f.advance(patience)
			f.redis.Del(t.Context(), generationKey)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.fetched(t, "RUNNING")
				f.redis.Del(t.Context(), generationKey)
				known := f.cached(t, f.Cache).snapshot
				f.another(t).Acted(t.Context(), known, user, "b", "start", "STARTING")
				passes(t, f)
				f.Acted(t.Context(), known, user, "a", "stop", "STOPPED")
				now, err := f.Known(t.Context(), user)
				if err != nil || len(now.Notes) != 2 || now.List.Servers[0].Status != "STOPPED" || now.List.Servers[1].Status != "STARTING" {
					t.Errorf("got %+v, error %v", now, err)
				}
			})
		})
	}
}

func TestExpireHasTheServiceAsked(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
		f.fetched(t, "RUNNING")
		fetched := f.now()
		gone, leave := context.WithCancel(t.Context())
		leave()
		changes.Expire(gone, user)
		o := f.failed(t, down)
		if o.err != nil || o.status() != "RUNNING" || !o.snapshot.Old || !o.snapshot.FetchedAt.Equal(fetched) {
			t.Errorf("while the service is away there is %+v, error %v", o.snapshot, o.err)
		}
		f.fetched(t, "CRASHED")
		f.wantCached(t, changes, "CRASHED")

		f.outdate(t)
		f.failed(t, none)
		changes.Expire(t.Context(), user)
		f.fetched(t, "RUNNING")
	})
}

func TestExpireKeepsCallersFromSharingACallFromBefore(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
		early := ask(t, f.Cache)
		first := f.service.next(t)
		changes.Expire(t.Context(), user)
		late := ask(t, changes)
		f.service.next(t).reply(t, "new") // not the first one's answer
		if o := receive(t, late); o.status() != "new" {
			t.Errorf("a caller after Expire got %q, error %v", o.status(), o.err)
		}
		first.reply(t, "stale")
		if o := receive(t, early); o.status() != "new" {
			t.Errorf("a caller before Expire got %q, error %v", o.status(), o.err)
		}
		f.wantCached(t, f.Cache, "new")
	})
}

func TestForgetLeavesNothing(t *testing.T) {
	eachReplica(t, func(t *testing.T, f *fixture, changes *accounts.Cache) {
		f.fetched(t, "RUNNING")
		gone, leave := context.WithCancel(t.Context())
		leave()
		if known, err := changes.Forget(gone, user); !known || err != nil {
			t.Errorf("of a cached account: known %v, error %v", known, err)
		}
		if keys, _ := redistest.Keys(t.Context(), f.redis, "*"); len(keys) != 1 || keys[0] != generationKey {
			t.Errorf("there are %v", keys)
		}
		if left := f.redis.PTTL(t.Context(), generationKey).Val(); left <= patience || left > time.Hour {
			t.Errorf("the generation expires in %v", left)
		}
		if known, err := changes.Forget(t.Context(), user); known || err != nil {
			t.Errorf("the second time: known %v, error %v", known, err)
		}
		f.fetched(t, "CRASHED")
	})
}
