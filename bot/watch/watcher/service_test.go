package watcher_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) {
	// Tests wait for most of the time, so many run at once.
	if err := flag.Set("test.parallel", "16"); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// each runs a test on each kind of Redis, beside others.
func each(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	t.Parallel()
	redistest.Each(t, run)
}

// looker is a service of a test's own.
type looker func(ctx context.Context, userID string) (accounts.Snapshot, error)

func (l looker) Look(ctx context.Context, userID string) (accounts.Snapshot, error) {
	return l(ctx, userID)
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

// still starts a watcher that looks at nothing by itself. look looks at an account, and returns when it
// is due again (Unix ms).
func still(t *testing.T, url string, s watcher.Accounts, interval time.Duration, rate int) (w *watcher.Watcher, look func(userID string) int64) {
	t.Helper()
	client := redistest.Connect(t, url)
	w = watcher.New(watcher.Config{
		Redis: client, Wake: func(context.Context, string, ...string) {}, Accounts: s, Interval: interval, Rate: rate,
		DownSince: func() time.Time { return time.Time{} }, OnSlow: func(watcher.Status) {}, OnLimits: func(_, _ watcher.Limits) {}, Log: zerolog.Nop(), Timing: watcher.DefaultTiming(),
	})
	work := w.Work()
	return w, func(userID string) int64 {
		t.Helper()
		if err := client.ZAddXX(t.Context(), work.Due, redis.Z{Member: userID}).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := work.Reconcile(t.Context(), userID); err != nil {
			t.Fatal(err)
		}
		due, err := client.ZScore(t.Context(), work.Due, userID).Result()
		if err != nil || due == 0 {
			t.Fatalf("account %s is due at %v (%v)", userID, due, err)
		}
		return int64(due)
	}
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

// TestChangeIsAsOldAsWhatIsKnownOfTheBot has a customer look at one bot alone, shortly
// before a look that shows the list from before.
func TestChangeIsAsOldAsWhatIsKnownOfTheBot(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var mu sync.Mutex
		listed := time.Now().Add(-10 * time.Second).Truncate(time.Second)
		alone := listed.Add(8 * time.Second)
		shown := accounts.Snapshot{FetchedAt: listed, List: hostapi.List{Servers: []hostapi.Server{{ID: "a", Status: "RUNNING"}, {ID: "b", Status: "RUNNING"}}}}
		look := looker(func(context.Context, string) (accounts.Snapshot, error) {
			mu.Lock()
			defer mu.Unlock()
			return shown, nil
		})
		o := newTold()
		w, _ := start(t, url, nil, o, func(c *watcher.Config) { c.Accounts = look })
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 2)
		mu.Lock()
		shown.List.Servers = []hostapi.Server{{ID: "a", Status: "CRASHED"}, {ID: "b", Status: "RUNNING"}}
		shown.Notes = map[string]accounts.Note{"a": {Seen: alone}}
		mu.Unlock()
		if c := o.wait(t, 3); c.ServerID != "a" || !c.At.Equal(alone) || !c.After.Equal(listed) {
			t.Errorf("the change is %+v, want it between %v and %v", c, listed, alone)
		}
	})
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

// TestOldEntriesAreDropped has a bot change whose log is long and old.
func TestOldEntriesAreDropped(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		client := redistest.Connect(t, url)
		now := time.Now()
		old := history.Encode(
			history.Entry{At: now.Add(-100 * 24 * time.Hour), State: hostapi.StateCrashed},
			history.Entry{At: now.Add(-95 * 24 * time.Hour), State: hostapi.StateStopped},
			history.Entry{At: now.Add(-time.Hour), State: hostapi.StateRunning},
		)
		many := strings.Repeat(history.Encode(history.Entry{At: now.Add(-time.Hour), State: hostapi.StateCrashed}), history.MaxEntries)
		s.status = "CRASHED"
		for userID, log := range map[string]string{"1": old, "2": many + history.Encode(history.Entry{At: now, State: hostapi.StateRunning})} {
			if err := client.HSet(t.Context(), history.AccountKey("", userID), history.FieldAt, now.Unix(), history.Field("bot"), log).Err(); err != nil {
				t.Fatal(err)
			}
		}
		w, _ := start(t, url, s, o, nil)
		watch(t, w, "1")
		watch(t, w, "2")
		o.wait(t, 2)
		for userID, want := range map[string]int{"1": 3, "2": history.MaxEntries} {
			patience.Until(t, fmt.Sprintf("%d entries are left of account %s", want, userID), func() bool {
				log, err := client.HGet(t.Context(), history.AccountKey("", userID), history.Field("bot")).Result()
				return err == nil && len(history.Decode(log)) == want
			})
		}
	})
}

// TestObserverThatFailsSilencesNoOther has two observers, of which the first always fails.
func TestObserverThatFailsSilencesNoOther(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, failing, o := newService(), newTold(), newTold()
		failing.refuse, failing.next = math.MaxInt, o
		w, _ := start(t, url, s, failing, nil)
		watch(t, w, "1")
		o.wait(t, 1)
	})
}

// TestBlipOfTheServiceEndsNoOutage has the service name no state of a bot that is down, and list it
// no more, for a moment each.
func TestBlipOfTheServiceEndsNoOutage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 1)
		s.set(func(s *service) { s.status = "CRASHED" })
		fell := o.wait(t, 2)
		for _, blip := range []struct {
			set  func(*service)
			told int
		}{
			{func(s *service) { s.status = "HIBERNATING" }, 1},
			{func(s *service) { s.err = &hostapi.Error{Code: hostapi.CodeNotFound} }, 0},
		} {
			before := o.count()
			s.set(blip.set)
			s.wait(t, "1", 3)
			s.set(func(s *service) { s.status, s.err = "CRASHED", nil })
			s.wait(t, "1", 3)
			if n := o.count() - before; n != blip.told {
				t.Errorf("%d changes were told, want %d: %+v", n, blip.told, o.changes[before:])
			}
		}
		before := o.count()
		s.set(func(s *service) { s.status = "RUNNING" })
		back := o.wait(t, before+1)
		if back.From != hostapi.StateCrashed || back.Since.Unix() != fell.At.Unix() {
			t.Errorf("the recovery is %+v, of an outage since %v", back, fell.At)
		}
		s.set(func(s *service) { s.err = &hostapi.Error{Code: hostapi.CodeNotFound} })
		s.wait(t, "1", 3)
		s.set(func(s *service) { s.status, s.err = "CRASHED", nil })
		if again := o.wait(t, before+2); !again.Unexpected || again.From != hostapi.StateRunning || again.Since.Unix() != back.At.Unix() {
			t.Errorf("a bot that crashes while it is not listed is %+v", again)
		}
	})
}

// TestRestartThroughUsEndsAStretch of a bot that ran before and after it, as polls show it: how long it ran is
// counted from then on. What the service took for no restart ends none.
func TestRestartThroughUsEndsAStretch(t *testing.T) {
	began := time.Now().Add(-time.Hour).Truncate(time.Second)
	at := func(after time.Duration) time.Time { return began.Add(after) }
	acted := at(55 * time.Second)
	type poll struct {
		after  time.Duration
		status string
	}
	for name, test := range map[string]struct {
		action string
		polls  []poll // the last shows that the bot has crashed
		since  time.Time
		states string
	}{
		"a poll shows that it runs":    {"restart", []poll{{60 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, acted, "-rerc"},
		"it crashed at once":           {"restart", []poll{{60 * time.Second, "CRASHED"}}, acted, "-rerc"},
		"a poll shows it on its way":   {"restart", []poll{{60 * time.Second, "RESTARTING"}, {90 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, at(90 * time.Second), "-rerc"},
		"stopped and started":          {"start", []poll{{60 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, acted, "-rerc"},
		"reinstalled":                  {"reinstall", []poll{{60 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, acted, "-rerc"},
		"nobody looked for a while":    {"restart", []poll{{30 * time.Second, "RUNNING"}, {10 * time.Minute, "RUNNING"}, {11 * time.Minute, "CRASHED"}}, at(10 * time.Minute), "-r-e-rc"},
		"stopped, and it runs on":      {"stop", []poll{{60 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, began, "-rc"},
		"nothing was done by this bot": {"", []poll{{60 * time.Second, "RUNNING"}, {120 * time.Second, "CRASHED"}}, began, "-rc"},
	} {
		t.Run(name, func(t *testing.T) {
			url := redistest.StartMiniredis(t).URL()
			var mu sync.Mutex
			var looks int
			shown := accounts.Snapshot{FetchedAt: began, List: hostapi.List{Servers: []hostapi.Server{{ID: "bot", Status: "RUNNING"}}}}
			look := looker(func(context.Context, string) (accounts.Snapshot, error) {
				mu.Lock()
				defer mu.Unlock()
				looks++
				return shown, nil
			})
			o := newTold()
			w, _ := start(t, url, nil, o, func(c *watcher.Config) { c.Accounts = look })
			hurry(t, url, w)
			watch(t, w, "1")
			o.wait(t, 1)
			for _, p := range test.polls {
				mu.Lock()
				shown.FetchedAt, shown.List.Servers = at(p.after), []hostapi.Server{{ID: "bot", Status: p.status}}
				if test.action != "" {
					shown.Notes = map[string]accounts.Note{"bot": {Action: test.action, At: acted}}
				}
				before := looks
				mu.Unlock()
				patience.Until(t, "it is polled", func() bool {
					mu.Lock()
					defer mu.Unlock()
					return looks >= before+2 // the first has ended then
				})
			}
			c := o.wait(t, o.count())
			if c.To != hostapi.StateCrashed || !c.Unexpected || !c.Since.Equal(test.since) {
				t.Errorf("the last change is %+v, want that of a bot that ran since %v", c, test.since)
			}
			spans, err := history.New(redistest.Connect(t, url), "", func() time.Duration { return time.Hour }).Of(t.Context(), "1", "bot", began.Add(-time.Hour))
			states := ""
			for _, span := range spans {
				states += string(span.State)
			}
			if err != nil || states != test.states {
				t.Errorf("the states are %q, want %q (%v)", states, test.states, err)
			}
			if share, _ := history.TallyOf(history.Stretches(spans, began, c.At), began, c.At).Uptime(); share != 1 {
				t.Errorf("the uptime is %v", share)
			}
		})
	}
}
