package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

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
		acts(t, url, w, "1", "bot", "stop")
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
		acts(t, url, w, "1", "bot", "stop")
		s.set(func(s *service) { s.status = "exited (137)" }) // it did not heed that, and was killed
		if c := o.wait(t, 7); c.Unexpected || !c.To.Broken() {
			t.Errorf("a stop that had to kill the bot is %+v", c)
		}
		s.set(func(s *service) { s.status = "RUNNING" })
		o.wait(t, 8)
		acts(t, url, w, "1", "bot", "restart") // on whose way the bot is stopped for a moment
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
		acts(t, url, w, "1", "bot", "stop")
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
		acts(t, url, w, "1", "bot", "delete")
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
		acts(t, url, w, "1", "other", "delete") // otherwise that is told after a blip
		s.set(func(s *service) { s.count = 1 })
		if c := o.wait(t, 3); c.ServerID != "other" || c.To != history.Gone {
			t.Errorf("a bot that was deleted is %+v", c)
		}
	})
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
