package watcher_test

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/leader"
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

// interval is that of the watchers in these tests.
const interval = time.Minute

// service has accounts with one bot each, of this status.
type service struct {
	mu     sync.Mutex
	status string
	err    error
	hang   bool
	ahead  time.Duration // of the machine's clock
	second bool          // each account has a bot more
	count  int           // how many bots the service says that an account has
	alone  bool          // each account has that one alone
	looks  map[string][]time.Time
	looked chan struct{} // closed at the next look
}

func newService() *service {
	return &service{status: "RUNNING", looks: make(map[string][]time.Time), looked: make(chan struct{})}
}

func (s *service) Look(ctx context.Context, userID string) (accounts.Snapshot, error) {
	s.mu.Lock()
	s.looks[userID] = append(s.looks[userID], time.Now())
	close(s.looked)
	s.looked = make(chan struct{})
	hang, err, ahead := s.hang, s.err, s.ahead
	list := hostapi.List{Servers: []hostapi.Server{{ID: "bot", Name: "Shop", Status: s.status, PlanName: "Pro"}}}
	if s.second {
		list.Servers = append(list.Servers, hostapi.Server{ID: "other", Name: "Radio", Status: s.status, PlanName: "Pro"})
	}
	list.Account.ServerCount = s.count
	if s.alone {
		list.Servers = list.Servers[1:]
	}
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
		return accounts.Snapshot{}, ctx.Err()
	}
	return accounts.Snapshot{List: list, FetchedAt: time.Now().Add(ahead)}, err
}

func (s *service) of(userID string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks[userID]
}

func (s *service) set(change func(*service)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// wait waits for so many further looks at an account that began after now.
func (s *service) wait(t *testing.T, userID string, n int) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	s.mu.Lock()
	want := len(s.looks[userID]) + n
	s.mu.Unlock()
	for {
		s.mu.Lock()
		have, looked := len(s.looks[userID]), s.looked
		s.mu.Unlock()
		if have >= want {
			return
		}
		select {
		case <-looked:
		case <-limit:
			t.Fatalf("%d looks at %s, want %d", have, userID, want)
		}
	}
}

// told are the changes that observers were told of.
type told struct {
	mu      sync.Mutex
	changes []watcher.Change
	calls   int // in which they were told
	changed chan struct{}
	refuse  int   // so many calls fail
	next    *told // is told after this one; it may be nil
}

func newTold() *told { return &told{changed: make(chan struct{})} }

func (o *told) Observe(_ context.Context, p watcher.Poll) error {
	if len(p.Changes) == 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refuse > 0 {
		o.refuse--
		return errors.New("not now")
	}
	o.changes, o.calls = append(o.changes, p.Changes...), o.calls+1
	close(o.changed)
	o.changed = make(chan struct{})
	return nil
}

// wait waits for the n-th change, and returns it.
func (o *told) wait(t *testing.T, n int) watcher.Change {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		o.mu.Lock()
		changes, changed := o.changes, o.changed
		o.mu.Unlock()
		if len(changes) >= n {
			return changes[n-1]
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%d changes were told, want %d: %+v", len(changes), n, changes)
		}
	}
}

func (o *told) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.changes)
}

// start starts a watcher. kill ends it as a signal would that it cannot catch.
func start(t *testing.T, url string, s *service, o *told, tune func(*watcher.Config)) (w *watcher.Watcher, kill func()) {
	t.Helper()
	client := redistest.Connect(t, url)
	leading := leader.New(leader.Config{Redis: client, Name: "replica", Log: zerolog.Nop(), Timing: leader.Timing{
		Lease: time.Second, Renew: 10 * time.Millisecond, Read: 10 * time.Millisecond, Window: time.Second, Retry: 10 * time.Millisecond,
	}})
	c := watcher.Config{
		Redis: client, Wake: leading.Wake, Accounts: s, Interval: interval, Rate: 100, DownSince: func() time.Time { return time.Time{} },
		OnSlow: func(watcher.Status) {}, OnLimits: func(_, _ watcher.Limits) {}, Log: zerolog.Nop(),
		Timing: watcher.Timing{Refresh: 10 * time.Millisecond, GracePeriod: 2 * time.Minute, Probe: time.Hour},
	}
	if tune != nil {
		tune(&c)
	}
	w = watcher.New(c)
	for ; o != nil; o = o.next {
		w.Observe(o.Observe)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	if w.On() {
		leading.Add(w.Work())
		running.Go(func() { leading.Run(ctx) })
	}
	kill = func() {
		_ = client.Close()
		cancel()
		running.Wait()
	}
	t.Cleanup(kill)
	return w, kill
}

// hurry has intervals pass in milliseconds: each account that is watched is due again and again.
func hurry(t *testing.T, url string, w *watcher.Watcher) {
	t.Helper()
	client, due := redistest.Connect(t, url), w.Work().Due
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() {
		for tick := time.NewTicker(5 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			for _, userID := range client.ZRange(ctx, due, 0, -1).Val() {
				_ = client.ZAddXX(ctx, due, redis.Z{Member: userID}).Err() // or the next time
			}
		}
	})
}

func watch(t *testing.T, w *watcher.Watcher, userID string) {
	t.Helper()
	if err := w.Watch(t.Context(), userID, watcher.Alerts); err != nil {
		t.Fatal(err)
	}
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

// still starts a watcher that looks at nothing by itself. look looks at an account, and returns when it
// is due again (Unix ms).
func still(t *testing.T, url string, s watcher.Accounts, interval time.Duration, rate int, tune ...func(*watcher.Config)) (w *watcher.Watcher, look func(userID string) int64) {
	t.Helper()
	client := redistest.Connect(t, url)
	c := watcher.Config{
		Redis: client, Wake: func(context.Context, string, ...string) {}, Accounts: s, Interval: interval, Rate: rate,
		DownSince: func() time.Time { return time.Time{} }, OnSlow: func(watcher.Status) {}, OnLimits: func(_, _ watcher.Limits) {}, Log: zerolog.Nop(), Timing: watcher.DefaultTiming(),
	}
	for _, f := range tune {
		f(&c)
	}
	w = watcher.New(c)
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

// acts has an action be noted, again if Redis takes longer for it than an action waits.
func acts(t *testing.T, url string, w *watcher.Watcher, customerID, serverID, action string) {
	t.Helper()
	client := redistest.Connect(t, url)
	patience.Until(t, "the action is noted", func() bool {
		w.NoteAction(t.Context(), customerID, serverID, action)
		return strings.HasPrefix(client.HGet(t.Context(), history.AccountKey("", customerID), "x:"+serverID).Val(), action)
	})
}
