package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// TestDeathOfAReplicaDelaysByAnInterval has one die that looks at an account, and that
// tells of changes. The next look does not wait for the rest of the interval, which is an hour.
func TestDeathOfAReplicaDelaysByAnInterval(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		dying, s, o := newService(), newService(), newTold()
		dying.hang = true
		w, kill := start(t, url, dying, newTold(), func(c *watcher.Config) { c.Interval = time.Hour })
		watch(t, w, "1")
		patience.Until(t, "it looks at the account", func() bool { return len(dying.of("1")) > 0 })
		kill()
		start(t, url, s, o, func(c *watcher.Config) { c.Interval = time.Hour })
		o.wait(t, 1)
	})
}

func TestRateBoundsAllReplicasTogether(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		const rate, watched = 200, 60
		s, slow := newService(), make(chan watcher.Status, 10)
		tune := func(c *watcher.Config) {
			c.Interval, c.Rate, c.OnSlow = 100*time.Millisecond, rate, func(s watcher.Status) { slow <- s }
		}
		w, _ := start(t, url, s, nil, tune)
		start(t, url, s, nil, tune)
		began := time.Now()
		for i := range watched {
			watch(t, w, fmt.Sprint(i))
		}
		if status := <-slow; !status.Grown {
			t.Errorf("the status is %+v", status)
		}
		for i := range watched {
			s.wait(t, fmt.Sprint(i), 2-min(2, len(s.of(fmt.Sprint(i)))))
		}
		took, calls := time.Since(began), 0
		for i := range watched {
			calls += len(s.of(fmt.Sprint(i)))
		}
		if most := rate*took.Seconds() + rate/4 + 1; float64(calls) > most {
			t.Errorf("%d looks within %v, at most %v are allowed", calls, took, most)
		}
		if pace := w.Interval(); pace < watched*time.Second/rate || pace > 2*watched*time.Second/rate {
			t.Errorf("the interval is %v", pace)
		}
	})
}

func TestOneLookInAWhileWhileTheServiceIsAway(t *testing.T) {
	t.Parallel()
	const probe = 500 * time.Millisecond
	s := newService()
	url := redistest.StartMiniredis(t).URL()
	w, _ := start(t, url, s, nil, func(c *watcher.Config) {
		c.DownSince = func() time.Time { return time.Unix(1, 0) }
		c.Timing.Probe = probe
	})
	began := time.Now() // the first look comes at once
	watch(t, w, "1")
	watch(t, w, "2")
	looked := func(userID string) bool { return len(s.of(userID)) > 0 }
	patience.Until(t, "both were looked at", func() bool { return looked("1") && looked("2") })
	last := s.of("1")[0]
	if other := s.of("2")[0]; other.After(last) {
		last = other
	}
	if apart := last.Sub(began); apart < probe {
		t.Errorf("two looks were %v apart", apart)
	}
}

// TestLookIsOneRequest has the bot's own client look at an account of a service that wants
// to be left alone: the watcher learns of that from the first answer.
func TestLookIsOneRequest(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer server.Close()
		client, err := hostapi.New(hostapi.Config{
			BaseURL: server.URL, Secret: "secret", Timeout: 5 * time.Second,
			Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		cache := accounts.New(accounts.Config{
			Redis: redistest.Connect(t, url), Source: client, TTL: time.Second, MaxStale: time.Hour, Patience: 30 * time.Second, OnGarbage: func(err error) { t.Error(err) },
			Prefix: "hostbot:", BesideKeys: func(string) []string { return nil }, KeepFor: func() time.Duration { return 0 }, OnLookup: func(bool) {}, Away: func() bool { return false }, OnDoubt: func(int, error) {},
		})
		defer cache.Close()
		w, kill := start(t, url, nil, nil, func(c *watcher.Config) { c.Accounts, c.Interval = cache, 20*time.Second })
		defer kill()
		watch(t, w, "1")
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%+v; %d requests were sent", w.Status(), requests.Load())
			}
		})
		patience.Until(t, "a look has failed", func() bool { return w.Status().Failed == 1 })
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests were sent", n)
		}
	})
}

// TestAccountsKeepTheirPlaces has accounts join while there are too many for the
// interval: it grows, and nobody is looked at earlier for that.
func TestAccountsKeepTheirPlaces(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newService()
		w, look := still(t, url, s, time.Minute, 1) // for 54 accounts
		join := func(i int) int64 {
			t.Helper()
			watch(t, w, fmt.Sprint(i))
			if err := w.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			return w.Interval().Milliseconds()
		}
		for i := range 80 {
			join(i)
		}
		early := []string{"1", "2", "3"}
		var before []int64
		for _, userID := range early {
			before = append(before, look(userID))
		}
		shorter := w.Interval().Milliseconds()
		for i, userID := range early {
			longer := join(80 + i)
			if step := look(userID) - before[i]; step <= 0 || step%longer != 0 || longer <= shorter {
				t.Errorf("account %s is due again after %d ms; the interval was %d ms, and is %d ms", userID, step, shorter, longer)
			}
			shorter = longer
		}
	})
}

// TestLooksLeaveConnectionsToCustomers has a slow service asked for many accounts.
func TestLooksLeaveConnectionsToCustomers(t *testing.T) {
	t.Parallel()
	const watched = 100
	var now, most, all atomic.Int64
	answer := make(chan struct{})
	look := looker(func(context.Context, string) (accounts.Snapshot, error) {
		defer now.Add(-1)
		for n := now.Add(1); ; {
			if before := most.Load(); n <= before || most.CompareAndSwap(before, n) {
				break
			}
		}
		all.Add(1)
		<-answer
		return accounts.Snapshot{FetchedAt: time.Now()}, nil
	})
	url := redistest.StartMiniredis(t).URL()
	idle, _ := start(t, url, nil, nil, func(c *watcher.Config) { c.Interval = 0 })
	for i := range watched {
		watch(t, idle, fmt.Sprint(i))
	}
	w, _ := start(t, url, nil, nil, func(c *watcher.Config) { c.Accounts, c.Interval, c.Rate = look, 20*time.Second, 1000 })
	patience.Until(t, "the service is slow", func() bool { return all.Load() > 0 })
	lag := w.Status().Delay + 200*time.Millisecond
	patience.Until(t, "others have been due for long", func() bool { return w.Status().Delay > lag })
	close(answer)
	patience.Until(t, "all accounts were looked at", func() bool { return all.Load() >= watched })
	if n := most.Load(); n > 64 {
		t.Errorf("%d looks at one time", n)
	}
}

// TestLooksAreSpreadEvenly has many accounts watched at the same moment.
func TestLooksAreSpreadEvenly(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		const watched, slice = 40, 200 * time.Second
		w, look := still(t, url, newService(), 10*slice, 100)
		var places []int64 // those of the third looks, in the interval
		for i := range watched {
			customer := fmt.Sprint(80351110224678912 + i*2_718_281_828_459)
			watch(t, w, customer)
			look(customer)
			places = append(places, look(customer)%w.Interval().Milliseconds())
		}
		slices.Sort(places)
		for i := range places[watched/4:] {
			if took := time.Duration(places[i+watched/4]-places[i]) * time.Millisecond; took < slice {
				t.Errorf("more than a quarter of the looks, from the %d-th on, come within %v", i, took)
			}
		}
	})
}

func TestNothingIsLeftOfAnAccountThatIsNotWatched(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		w, _ := start(t, url, s, o, nil)
		client := redistest.Connect(t, url)
		kept := func() bool {
			keys, err := client.Keys(t.Context(), "*4242*").Result()
			if err != nil {
				t.Fatal(err)
			}
			return len(keys) > 0 || client.ZScore(t.Context(), "hostbot:{watch}:due", "4242").Err() == nil
		}
		w.NoteAction(t.Context(), "4242", "bot", "stop") // of which nothing is kept
		if kept() {
			t.Error("something is kept of an account that is not watched")
		}
		watch(t, w, "4242")
		if err := w.Watch(t.Context(), "4242", watcher.Panel); err != nil {
			t.Fatal(err)
		}
		o.wait(t, 1)
		if err := w.Unwatch(t.Context(), "4242", watcher.Alerts); err != nil || !kept() {
			t.Fatalf("the account is not watched any more, or: %v", err)
		}
		if err := w.Unwatch(t.Context(), "4242", watcher.Panel); err != nil || kept() {
			t.Errorf("something is left, or: %v", err)
		}
	})
}

// TestNothingComesBackOfALookThatIsUnderWay has an account not be watched any more while the service is
// asked for it, whose bot has crashed.
func TestNothingComesBackOfALookThatIsUnderWay(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		var blocks atomic.Bool
		begun, ended := make(chan struct{}), make(chan struct{})
		end := sync.OnceFunc(func() { close(ended) })
		w, _ := start(t, url, nil, o, func(c *watcher.Config) {
			c.Accounts = looker(func(ctx context.Context, userID string) (accounts.Snapshot, error) {
				if userID == "4242" && blocks.CompareAndSwap(true, false) {
					close(begun)
					<-ended
				}
				return s.Look(ctx, userID)
			})
		})
		hurry(t, url, w)
		t.Cleanup(end) // otherwise the watcher waits for it for ever
		client := redistest.Connect(t, url)
		for _, userID := range []string{"4242", "7"} {
			watch(t, w, userID)
		}
		if err := w.Watch(t.Context(), "4242", watcher.Panel); err != nil {
			t.Fatal(err)
		}
		o.wait(t, 2)
		blocks.Store(true)
		<-begun
		looks := len(s.of("4242")) + 1 // that which is under way
		s.set(func(s *service) { s.status = "CRASHED" })
		for _, reason := range []watcher.Reason{watcher.Alerts, watcher.Panel} {
			if err := w.Unwatch(t.Context(), "4242", reason); err != nil {
				t.Fatal(err)
			}
		}
		end()
		s.wait(t, "7", 4)
		keys, err := redistest.Keys(t.Context(), client, "*4242*")
		if due := client.ZScore(t.Context(), "hostbot:{watch}:due", "4242").Err(); err != nil || len(keys) > 0 || !errors.Is(due, redis.Nil) {
			t.Errorf("what is left is %q, and when it is due (%v); error %v", keys, due, err)
		}
		if n := len(s.of("4242")); n != looks {
			t.Errorf("the service was asked %d times, want %d", n, looks)
		}
	})
}
