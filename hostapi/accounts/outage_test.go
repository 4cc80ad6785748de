package accounts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// failures are ways in which Redis fails commands.
var failures = map[string]func(ctx context.Context, cmd redis.Cmder) error{
	"it does not write": func(_ context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") || cmd.Name() == "multi" {
			return errors.New("OOM command not allowed when used memory > 'maxmemory'.")
		}
		return nil
	},
	"it does nothing": func(context.Context, redis.Cmder) error { return errors.New("a moment's trouble") },
	"it is slow": func(ctx context.Context, _ redis.Cmder) error {
		if end, ok := ctx.Deadline(); !ok || time.Until(end) > 250*time.Millisecond {
			panic("a command without a bound of 250 ms")
		}
		<-ctx.Done()
		return ctx.Err()
	},
}

func eachFailure(t *testing.T, run func(t *testing.T, f *fixture, fail func(context.Context, redis.Cmder) error)) {
	t.Helper()
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			redistest.Parallel(t)
			each(t, func(t *testing.T, f *fixture) { run(t, f, fail) })
		})
	}
}

func TestOutageHasTheServiceAsked(t *testing.T) {
	redistest.Parallel(t)
	eachFailure(t, func(t *testing.T, f *fixture, fail func(context.Context, redis.Cmder) error) {
		f.hook.onCommand(fail)
		f.fetched(t, "RUNNING")
		f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
		f.fetched(t, "STOPPED")
		if o := f.failed(t, down); !errors.Is(o.err, down) {
			t.Errorf("while the service is away there is %+v, error %v", o.snapshot, o.err)
		}
	})
}

// A status that Redis did not take does not come back as it was, neither in this
// process nor, once this process has met the account again, in another.
func TestOutageDoesNotBringAStatusBack(t *testing.T) {
	redistest.Parallel(t)
	eachFailure(t, func(t *testing.T, f *fixture, fail func(context.Context, redis.Cmder) error) {
		for name, change := range map[string]func(){
			"Acted":  func() { f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED") },
			"Expire": func() { f.Expire(t.Context(), user) },
		} {
			other := f.another(t)
			f.fetched(t, "RUNNING")
			f.hook.onCommand(fail)
			change()
			f.hook.onCommand(nil)
			f.fetched(t, "CRASHED") // the service is asked
			f.hook.take()
			f.wantCached(t, f.Cache, "CRASHED")
			if n := len(f.hook.take()); n != 1 {
				t.Errorf("%s: %d commands for one caller", name, n)
			}
			f.wantCached(t, other, "CRASHED")
			f.outdate(t)
		}
	})
}

// A call was under way when the action ended, and its answer is from before. Another
// process stores it, as nothing in Redis tells it of the action, until this one has
// met the account again.
func TestOutageDoesNotLetAnEarlierAnswerStay(t *testing.T) {
	redistest.Parallel(t)
	eachFailure(t, func(t *testing.T, f *fixture, fail func(context.Context, redis.Cmder) error) {
		other := f.another(t)
		for _, c := range []*accounts.Cache{f.Cache, other} {
			asked := ask(t, c)
			q := f.service.next(t)
			f.hook.onCommand(fail)
			f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
			f.hook.onCommand(nil)
			q.reply(t, "stale")
			if c == f.Cache {
				f.service.next(t).reply(t, "CRASHED")
				if o := receive(t, asked); o.status() != "CRASHED" {
					t.Errorf("the caller got %q, error %v", o.status(), o.err)
				}
			} else {
				receive(t, asked)
				f.fetched(t, "CRASHED")
			}
			f.wantCached(t, other, "CRASHED")
			f.outdate(t)
		}
	})
}

func TestOutageEnds(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		for range 2 {
			f.fetched(t, "RUNNING")
			server.Stop()
			f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
			if known, err := f.Forget(t.Context(), user); known || err == nil {
				t.Errorf("forgotten: known %v, error %v", known, err)
			}
			f.fetched(t, "CRASHED")
			server.Restart()
			for limit := time.Now().Add(safety); f.redis.Ping(t.Context()).Err() != nil; { // the pool finds out by trying
				if time.Now().After(limit) {
					t.Fatal("Redis does not come back")
				}
			}
			f.fetched(t, "back")
			f.wantCached(t, f.another(t), "back")
			f.Expire(t.Context(), user)
		}
	})
}

func TestGarbageIsAMissAndRemoved(t *testing.T) {
	redistest.Parallel(t)
	for name, text := range map[string]string{
		"no text": "\x94", "of another user": `{"userId":"2"}`, "cut off": `{"userId":"` + user + `","list":{`,
		"no list":   `{"userId":"` + user + `","fetchedAt":"2026-01-01T00:00:00Z"}`,
		"no server": `{"userId":"` + user + `","fetchedAt":"2026-01-01T00:00:00Z","list":{"servers":[1]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.fetched(t, "RUNNING")
				for _, key := range []string{freshKey, lastKey} {
					if err := f.redis.Set(t.Context(), key, text, 0).Err(); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 {
					if o := f.failed(t, down); !errors.Is(o.err, down) {
						t.Errorf("from garbage came %+v", o.snapshot)
					}
				}
				if troubles := f.troubles.Load(); troubles == 0 || troubles > 4 {
					t.Errorf("it is told of %d times", troubles)
				}
				f.fetched(t, "RUNNING")
				f.Acted(t.Context(), accounts.Snapshot{}, user, "a", "stop", "STOPPED")
				f.wantCached(t, f.Cache, "STOPPED")
			})
		})
	}
}
