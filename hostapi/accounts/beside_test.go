package accounts_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// trips counts the round trips to Redis: commands, and pipelines.
type trips struct{ atomic.Int64 }

func (n *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		n.Add(1)
		return next(ctx, cmd)
	}
}

func (n *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		n.Add(1)
		return next(ctx, cmds)
	}
}

func besideKey(userID string) string { return "hostbot:actions:{" + userID + "}" }

// eachBeside runs a test with a cache that reads the hash at besideKey.
func eachBeside(t *testing.T, run func(t *testing.T, f *fixture, trips *trips)) {
	redistest.Each(t, func(t *testing.T, url string) {
		f, counted := newFixture(t, url), &trips{}
		client := redistest.Connect(t, url)
		client.AddHook(counted)
		f.Cache = accounts.New(accounts.Config{
			Redis: client, Source: f.service, TTL: ttl, MaxStale: maxStale, Patience: patience, BesideKey: besideKey,
			OnGarbage: func(error) { f.troubles.Add(1) }, Now: f.now,
		})
		t.Cleanup(f.Close)
		run(t, f, counted)
	})
}

func (f *fixture) setBeside(t testing.TB, value string) {
	t.Helper()
	if err := f.redis.HSet(t.Context(), besideKey(user), "field", value).Err(); err != nil {
		t.Fatal(err)
	}
}

func wantBeside(t testing.TB, s accounts.Snapshot, want string) {
	t.Helper()
	if got := s.Beside["field"]; got != want || want == "" && len(s.Beside) > 0 {
		t.Errorf("beside the account is %q, want %q", s.Beside, want)
	}
}

func TestAccountThatIsFreshCostsOneRoundTrip(t *testing.T) {
	eachBeside(t, func(t *testing.T, f *fixture, trips *trips) {
		f.fetched(t, "RUNNING")
		for _, value := range []string{"", "x", "y"} {
			if value != "" {
				f.setBeside(t, value)
			}
			before := trips.Load()
			o := f.cached(t, f.Cache)
			if n := trips.Load() - before; n != 1 {
				t.Errorf("%d round trips", n)
			}
			if o.err != nil || o.status() != "RUNNING" {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
			wantBeside(t, o.snapshot, value)
		}
	})
}

func TestActionOnAnAccountThatIsKnownCostsOneRoundTrip(t *testing.T) {
	eachBeside(t, func(t *testing.T, f *fixture, trips *trips) {
		f.fetched(t, "RUNNING")
		f.Acted(t.Context(), f.cached(t, f.Cache).snapshot, user, "a", "stop", "STOPPED") // Redis has the script by now
		known := f.cached(t, f.Cache).snapshot
		before := trips.Load()
		f.Acted(t.Context(), known, user, "a", "start", "STARTING")
		if n := trips.Load() - before; n != 1 {
			t.Errorf("%d round trips", n)
		}
		f.wantCached(t, f.Cache, "STARTING")
	})
}

func TestWhatIsBesideIsReadWithoutAFreshAccount(t *testing.T) {
	eachBeside(t, func(t *testing.T, f *fixture, _ *trips) {
		f.setBeside(t, "first")
		asked := ask(t, f.Cache)
		f.service.next(t).reply(t, "RUNNING")
		wantBeside(t, receive(t, asked).snapshot, "first")

		refreshed := inBackground(func() (accounts.Snapshot, error) {
			return f.Refresh(t.Context(), user, "", time.Now().Add(safety))
		})
		f.service.next(t).reply(t, "STOPPED")
		wantBeside(t, receive(t, refreshed).snapshot, "first")

		f.outdate(t)
		asked = askInVain(t, f.Cache)
		call := f.service.next(t)
		old := receive(t, asked).snapshot
		wantBeside(t, old, "first")
		f.setBeside(t, "second") // while the service is asked
		updated := inBackground(func() (accounts.Snapshot, error) { return old.Update(t.Context()) })
		call.reply(t, "RUNNING")
		wantBeside(t, receive(t, updated).snapshot, "second")
	})
}

func TestGarbageBesideAnAccountLeavesTheAccount(t *testing.T) {
	eachBeside(t, func(t *testing.T, f *fixture, _ *trips) {
		f.fetched(t, "RUNNING")
		if err := f.redis.Set(t.Context(), besideKey(user), "no hash", 0).Err(); err != nil {
			t.Fatal(err)
		}
		o := f.cached(t, f.Cache)
		if o.err != nil || o.status() != "RUNNING" {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		wantBeside(t, o.snapshot, "")
	})
}
