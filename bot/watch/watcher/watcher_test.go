package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

func (o *told) Changed(_ context.Context, changes []watcher.Change) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refuse > 0 {
		o.refuse--
		return errors.New("not now")
	}
	o.changes, o.calls = append(o.changes, changes...), o.calls+1
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
		w.Observe(o.Changed)
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

func TestChangesAreToldOnceAndInOrder(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		o.refuse = 3
		w, _ := start(t, url, s, o, nil)
		start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		for i, want := range []struct {
			status   string
			from, to hostapi.State
			unasked  bool
		}{
			{"RUNNING", history.Unwatched, hostapi.StateRunning, false},
			{"CRASHED", hostapi.StateRunning, hostapi.StateCrashed, true},
			{"running", hostapi.StateCrashed, hostapi.StateRunning, false},
			{"STOPPED", hostapi.StateRunning, hostapi.StateStopped, true},
			{"CRASHED", hostapi.StateStopped, hostapi.StateCrashed, true},
			{"ERROR", hostapi.StateCrashed, hostapi.StateError, false}, // it was down already
			{"STARTING", hostapi.StateError, hostapi.StateStarting, false},
			{"CRASHED", hostapi.StateStarting, hostapi.StateCrashed, true},
		} {
			s.set(func(s *service) { s.status = want.status })
			got := o.wait(t, i+1)
			if got.From != want.from || got.To != want.to || got.Unexpected != want.unasked || got.Name != "Shop" || got.Plan != "Pro" || got.CustomerID != "1" {
				t.Errorf("change %d is %+v, want %+v", i, got, want)
			}
		}
		s.wait(t, "1", 3)
		if n := o.count(); n != 8 {
			t.Errorf("%d changes were told", n)
		}
	})
}

// TestBotsThatFallTogetherAreToldTogether has both bots of an account fall between two looks.
func TestBotsThatFallTogetherAreToldTogether(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		s.second = true
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		for i, status := range []string{"RUNNING", "OOM_KILLED"} {
			s.set(func(s *service) { s.status = status })
			if one, other := o.wait(t, 2*i+1), o.wait(t, 2*i+2); one.ServerID == other.ServerID || one.Unexpected != other.Unexpected || one.Unexpected != (status == "OOM_KILLED") {
				t.Errorf("told: %+v and %+v", one, other)
			}
			o.mu.Lock()
			if o.calls != i+1 {
				t.Errorf("they are told in %d calls, want %d", o.calls, i+1)
			}
			o.mu.Unlock()
		}
	})
}

func TestWhatWasAskedForIsNoFall(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 1)
		w.NoteAction(t.Context(), "1", "bot", "stop")
		s.set(func(s *service) { s.status = "STOPPED" })
		if c := o.wait(t, 2); c.Unexpected {
			t.Error("a stop through us is a fall")
		}
		s.set(func(s *service) { s.status = "RUNNING" })
		o.wait(t, 3)
		s.set(func(s *service) { s.status = "STOPPING" }) // somebody asked elsewhere
		o.wait(t, 4)
		s.set(func(s *service) { s.status = "STOPPED" })
		if c := o.wait(t, 5); c.Unexpected {
			t.Error("a stop elsewhere is a fall")
		}
		s.set(func(s *service) { s.status = "RUNNING" })
		o.wait(t, 6)
		w.NoteAction(t.Context(), "1", "bot", "stop")
		s.set(func(s *service) { s.status = "exited (137)" }) // it did not heed that, and was killed
		if c := o.wait(t, 7); c.Unexpected || !c.To.Broken() {
			t.Errorf("a stop that had to kill the bot is %+v", c)
		}
		s.set(func(s *service) { s.status = "RUNNING" })
		o.wait(t, 8)
		w.NoteAction(t.Context(), "1", "bot", "restart") // on whose way the bot is stopped for a moment
		s.set(func(s *service) { s.status = "STOPPED" })
		if c := o.wait(t, 9); c.Unexpected || c.To != hostapi.StateRestarting {
			t.Errorf("a restart through us is %+v", c)
		}
		s.set(func(s *service) { s.ahead = 5 * interval / 2 })                 // the grace period is over
		if c := o.wait(t, 10); !c.Unexpected || c.To != hostapi.StateStopped { // and it stays so
			t.Errorf("a restart from which the bot does not return is %+v", c)
		}
	})
}

// TestStopIsNoFallAlthoughRedisFailed has Redis fail where it is asked for what was
// asked for.
func TestStopIsNoFallAlthoughRedisFailed(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		var failing atomic.Bool
		var failures atomic.Int32
		w, _ := start(t, url, s, o, func(c *watcher.Config) {
			c.Redis.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
				if cmd.Name() != "hgetall" || !failing.Load() {
					return next(ctx, cmd)
				}
				failures.Add(1)
				cmd.SetErr(errors.New("not now"))
				return cmd.Err()
			}))
		})
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 1)
		w.NoteAction(t.Context(), "1", "bot", "stop")
		failing.Store(true)
		patience.Until(t, "a poll has failed", func() bool { return failures.Load() > 0 }) // so that none is under way
		s.set(func(s *service) { s.status = "STOPPED" })
		seen := failures.Load() + 2
		patience.Until(t, "polls have failed since", func() bool { return failures.Load() >= seen })
		failing.Store(false)
		if c := o.wait(t, 2); c.Unexpected || c.To != hostapi.StateStopped {
			t.Errorf("a stop through us is %+v", c)
		}
	})
}

func TestServiceBeingAwayIsNoChangeButAGap(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		s.ahead = -20 * interval
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 1)
		s.set(func(s *service) { s.ahead = -18 * interval })
		s.wait(t, "1", 3)
		s.set(func(s *service) { s.err = &hostapi.Error{Code: hostapi.CodeUnavailable} })
		s.wait(t, "1", 5)
		s.set(func(s *service) { s.err, s.ahead = nil, -2*interval })
		s.wait(t, "1", 2)
		spans, err := history.New(redistest.Connect(t, url), "", w.Interval).Of(t.Context(), "1", "bot", time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		var states string
		for _, span := range spans {
			states += string(span.State)
		}
		if states != "-r-r" || o.count() != 1 {
			t.Errorf("the history is %s, and %d changes were told", states, o.count())
		}
		s.set(func(s *service) { s.err = &hostapi.Error{Code: hostapi.CodeNotFound} }) // which is an answer
		s.wait(t, "1", 3)
		spans, err = history.New(redistest.Connect(t, url), "", w.Interval).Of(t.Context(), "1", "bot", time.Now().Add(-time.Minute))
		if last := spans[len(spans)-1]; err != nil || last.State != history.Gone || o.count() != 1 {
			t.Errorf("a bot of an account that was closed is %c, error %v; %d changes were told", last.State, err, o.count())
		}
	})
}

// TestBotThatIsNotListedForAMomentIsNotGone has one of two bots that are down not be listed by some polls, and then for
// longer than a blip.
func TestBotThatIsNotListedForAMomentIsNotGone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		s.second, s.ahead = true, -60*interval
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 2)
		looks := func(later time.Duration, change func(*service)) {
			s.set(func(s *service) { s.ahead += later; change(s) })
			s.wait(t, "1", 3)
		}
		looks(interval, func(s *service) { s.status = "CRASHED" })
		o.wait(t, 4)
		looks(interval, func(s *service) { s.alone = true })
		looks(8*interval, func(*service) {})
		looks(interval, func(s *service) { s.alone = false })
		if o.count() != 4 {
			t.Errorf("of a bot that was not listed for a moment was told %+v", o.changes[4:])
		}
		looks(interval, func(s *service) { s.status = "RUNNING" })
		if back := o.wait(t, 6); back.From != hostapi.StateCrashed {
			t.Errorf("it is back as %+v", back)
		}
		looks(interval, func(s *service) { s.alone = true })
		looks(hostapi.Blip, func(*service) {})
		looks(interval, func(*service) {})
		if gone := o.wait(t, 7); gone.To != history.Gone || gone.From != hostapi.StateRunning || gone.ServerID != "bot" || o.count() != 7 {
			t.Errorf("once it has not been listed for long, it is %+v; %d changes were told", gone, o.count())
		}
		looks(interval, func(s *service) { s.alone = false })
		if c := o.wait(t, 8); c.From != history.Gone {
			t.Errorf("a bot that is there again is %+v", c)
		}
		w.NoteAction(t.Context(), "1", "bot", "delete")
		looks(59*interval-s.ahead-60*interval, func(s *service) { s.alone = true }) // until a minute ago
		if gone := o.wait(t, 9); gone.To != history.Gone {
			t.Errorf("a bot that was deleted is %+v", gone)
		}
	})
}

// A record that cannot be read for a while is no bot that was deleted.
func TestBotThatTheListLacksIsNotGone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s, o := newService(), newTold()
		s.second, s.count = true, 2
		w, _ := start(t, url, s, o, nil)
		hurry(t, url, w)
		watch(t, w, "1")
		o.wait(t, 2)
		s.set(func(s *service) { s.second = false })
		s.wait(t, "1", 3)
		if n := o.count(); n != 2 {
			t.Errorf("%d changes were told", n)
		}
		w.NoteAction(t.Context(), "1", "other", "delete") // otherwise that is told after a blip
		s.set(func(s *service) { s.count = 1 })
		if c := o.wait(t, 3); c.ServerID != "other" || c.To != history.Gone {
			t.Errorf("a bot that was deleted is %+v", c)
		}
	})
}

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

func (s *service) of(userID string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks[userID]
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
