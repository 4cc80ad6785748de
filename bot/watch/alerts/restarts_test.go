package alerts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// restarter is a leader that restarts bots, at a time that the test sets.
type restarter struct {
	*alerts.Restarts
	redis     redis.UniversalClient
	now       time.Time
	down      bool // the service
	included  func(time.Time) bool
	senseless bool     // the bots have not crashed any more
	refusal   error    // of each attempt
	made      []string // IDs of attempts
	decided   []string
	killed    context.CancelFunc // if set, the leader dies in the next attempt
	watched   watched
}

func newRestarter(t *testing.T, url string) *restarter {
	r := &restarter{now: time.Now(), redis: redistest.Connect(t, url), included: func(time.Time) bool { return false }}
	r.Restarts = alerts.NewRestarts(alerts.RestartsConfig{
		Redis: r.redis, Watching: &r.watched, Pause: alerts.DefaultRestartPause, Steady: func() time.Duration { return time.Minute },
		Included: func(at time.Time) bool { return r.included(at) }, ServiceDown: func() bool { return r.down },
		Wake: func(context.Context, string, ...string) {}, Now: func() time.Time { return r.now }, Log: zerolog.Nop(),
		Count: func(decision string) { r.decided = append(r.decided, decision) },
		Restart: func(_ context.Context, id, _, _ string) (bool, error) {
			if r.refusal != nil || r.senseless {
				return false, r.refusal
			}
			r.made = append(r.made, id)
			if r.killed != nil {
				r.killed()
			}
			return true, nil
		},
	})
	return r
}

// poll is a poll that shows a bot in a state.
func (r *restarter) poll(customer, server, status string, changes ...watcher.Change) watcher.Poll {
	return watcher.Poll{CustomerID: customer, At: r.now, List: hostapi.List{Servers: []hostapi.Server{{ID: server, Status: status}}}, Changes: changes}
}

// sees has a poll be seen, twice.
func (r *restarter) sees(t *testing.T, p watcher.Poll) {
	t.Helper()
	for range 2 {
		if err := r.Observe(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

// runs has polls see that a bot runs.
func (r *restarter) runs(t *testing.T, customer, server string) {
	t.Helper()
	r.sees(t, r.poll(customer, server, "RUNNING", watcher.Change{CustomerID: customer, ServerID: server, To: hostapi.StateRunning, At: r.now}))
}

// falls has polls see that a bot ran and then crashed.
func (r *restarter) falls(t *testing.T, customer, server string) {
	t.Helper()
	r.runs(t, customer, server)
	c := watcher.Change{CustomerID: customer, ServerID: server, From: hostapi.StateRunning, To: hostapi.StateCrashed, Since: r.now.Add(-time.Second), At: r.now, Unexpected: true}
	r.sees(t, r.poll(customer, server, "CRASHED", c))
}

// works has the leader work on all that is due by the test's time.
func (r *restarter) works(ctx context.Context, t *testing.T) {
	t.Helper()
	due := r.Work().Due
	soon := fmt.Sprint(time.Now().Add(24 * time.Hour).UnixMilli()) // the others are only counted
	all, err := r.redis.ZRangeByScore(t.Context(), due, &redis.ZRangeBy{Min: "-inf", Max: soon}).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range all {
		if err := r.redis.ZAdd(t.Context(), due, redis.Z{Member: id}).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Work().Reconcile(ctx, id); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
	}
}

// after has the leader work on what is due after a time.
func (r *restarter) after(t *testing.T, d time.Duration) {
	t.Helper()
	r.now = r.now.Add(d)
	r.works(t.Context(), t)
}

func (r *restarter) turnOn(t *testing.T, customer, server string) {
	t.Helper()
	if err := r.TurnOn(t.Context(), customer, server, false); err != nil {
		t.Fatal(err)
	}
}

func (r *restarter) wantMade(t *testing.T, n int, when string) {
	t.Helper()
	if len(r.made) != n {
		t.Errorf("%d restarts %s, want %d", len(r.made), when, n)
	}
}

// TestCrashLoopIsRestartedThreeTimesInTenMinutes, whether a poll sees the bot run between its crashes or not, and again once the
// first of them is that long ago.
func TestCrashLoopIsRestartedThreeTimesInTenMinutes(t *testing.T) {
	for name, seen := range map[string]bool{"seen to run": true, "never seen to run": false} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				r := newRestarter(t, url)
				r.turnOn(t, "1", "my shop")
				r.falls(t, "1", "other") // for which it is off
				r.falls(t, "1", "my shop")
				if r.after(t, 9*time.Second); len(r.made) > 0 {
					t.Error("a bot is restarted before it is known how many fall")
				}
				for range 9 {
					r.after(t, time.Second)
					r.after(t, 59*time.Second)
					if seen {
						r.falls(t, "1", "my shop")
					} else {
						r.sees(t, r.poll("1", "my shop", "CRASHED"))
					}
				}
				r.wantMade(t, alerts.MostRestarts, "in ten minutes")
				r.after(t, 10*time.Second)
				autoRestarts, err := r.Of(t.Context(), "1")
				if is := autoRestarts["my shop"]; err != nil || !is.StaysDown || is.Pending > 0 {
					t.Errorf("the bot is %+v (%v)", is, err)
				}
				if want := []string{"restarted", "given_up"}; !slices.Equal(slices.Compact(slices.Clone(r.decided)), want) {
					t.Errorf("%q is counted, want %q", r.decided, want)
				}
				if r.after(t, time.Hour); len(r.made) != alerts.MostRestarts {
					t.Error("a bot is restarted that was to stay down")
				}
				r.falls(t, "1", "my shop") // somebody has started it
				r.after(t, 10*time.Second)
				r.wantMade(t, alerts.MostRestarts+1, "an hour later")
			})
		})
	}
}

// TestFallsOfAnOutageRestartNone of 500 bots, as polls see them fall over an interval.
func TestFallsOfAnOutageRestartNone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		r := newRestarter(t, url)
		many := outages.New(outages.Config{
			Redis: r.redis, Interval: func() time.Duration { return time.Minute }, Leading: func() bool { return true }, Term: func() uint64 { return 1 },
			Tell: func(outages.Outage) {}, Began: func(context.Context, []string) error { return nil },
		})
		r.included = func(at time.Time) bool { return many.Current().Includes(at) }
		for second := range 70 {
			for i := range 8 {
				if customer := second*8 + i; customer < 500 {
					id := fmt.Sprint(customer)
					r.turnOn(t, id, "shop")
					c := watcher.Change{CustomerID: id, ServerID: "shop", From: hostapi.StateRunning, To: hostapi.StateCrashed, At: r.now, Unexpected: true}
					p := r.poll(id, "shop", "CRASHED", c)
					if err := errors.Join(r.Observe(t.Context(), p), many.Observe(t.Context(), p)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if r.now = r.now.Add(time.Second); second%10 == 9 {
				r.works(t.Context(), t)
			}
		}
		r.after(t, time.Minute)
		r.wantMade(t, 0, "of an outage")
		if n := len(r.decided); n != 500 {
			t.Errorf("%d bots are left down", n)
		}
	})
}

// TestNothingIsRestartedThatMayNotBe: while the service is away, after somebody has stopped the bot, when it is too late, or once
// the bot is gone.
func TestNothingIsRestartedThatMayNotBe(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		r := newRestarter(t, url)
		r.turnOn(t, "1", "shop")
		r.down = true
		r.falls(t, "1", "shop")
		for range 12 {
			r.after(t, 10*time.Second)
		}
		r.wantMade(t, 0, "while the service is away")
		r.down, r.refusal = false, errors.New("busy")
		r.after(t, 10*time.Second)
		r.refusal = nil
		r.after(t, 10*time.Second)
		r.wantMade(t, 1, "once it is back")

		stopped := watcher.Change{CustomerID: "1", ServerID: "shop", From: hostapi.StateRunning, To: hostapi.StateCrashed, At: r.now}
		r.runs(t, "1", "shop")
		r.sees(t, r.poll("1", "shop", "CRASHED", stopped)) // as it ignored a stop
		r.after(t, time.Minute)
		r.falls(t, "1", "shop")
		r.sees(t, r.poll("1", "shop", "STOPPED", watcher.Change{CustomerID: "1", ServerID: "shop", To: hostapi.StateStopped, At: r.now}))
		r.after(t, time.Minute)
		r.falls(t, "1", "shop")
		r.senseless = true
		r.after(t, time.Minute)
		r.senseless = false
		r.sees(t, r.poll("1", "shop", "CRASHED"))
		r.after(t, time.Minute)
		r.wantMade(t, 1, "of a bot that was stopped")
		r.falls(t, "1", "shop")
		r.after(t, time.Hour)
		r.wantMade(t, 1, "an hour late")

		gone := watcher.Change{CustomerID: "1", ServerID: "shop", To: history.Gone, At: r.now}
		r.sees(t, watcher.Poll{CustomerID: "1", At: r.now, Changes: []watcher.Change{gone}})
		r.falls(t, "1", "shop")
		r.after(t, time.Minute)
		r.wantMade(t, 1, "of a bot that was gone")
		if _, on := r.watched.Load("1"); on {
			t.Error("the account is watched for nothing")
		}
	})
}

// TestNextLeaderMakesTheSameAttempt, so that the lock under its ID tells that it was made, and no fourth one.
func TestNextLeaderMakesTheSameAttempt(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		one, other := newRestarter(t, url), newRestarter(t, url)
		one.turnOn(t, "1", "shop")
		for i := range alerts.MostRestarts {
			term, kill := context.WithCancel(t.Context())
			one.killed = kill
			one.falls(t, "1", "shop")
			one.now = one.now.Add(10 * time.Second)
			one.works(term, t)
			other.now = one.now
			other.works(t.Context(), t)
			if len(one.made) != i+1 || len(other.made) != i+1 || one.made[i] != other.made[i] {
				t.Fatalf("%v, then %v", one.made, other.made)
			}
			one.now = one.now.Add(time.Minute)
		}
		if one.made[0] == one.made[1] {
			t.Error("two attempts have one name")
		}
		one.falls(t, "1", "shop")
		one.after(t, 10*time.Second)
		one.wantMade(t, alerts.MostRestarts, "under two leaders")
	})
}

// TestRestartsAreForgotten of a customer, and counted until then.
func TestRestartsAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		r := newRestarter(t, url)
		r.turnOn(t, "1", "shop")
		r.turnOn(t, "1", "radio")
		r.turnOn(t, "2", "shop")
		if err := r.TurnOff(t.Context(), "1", "radio"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			customer string
			bots     int
		}{{"1", 2}, {"2", 1}} {
			if n, err := r.Bots(t.Context()); err != nil || n != want.bots {
				t.Errorf("%d bots are restarted, want %d (%v)", n, want.bots, err)
			}
			if known, err := r.Forget(t.Context(), want.customer); err != nil || !known {
				t.Errorf("nothing is known of %s (%v)", want.customer, err)
			}
		}
		if keys, err := r.redis.Keys(t.Context(), "*restarts*").Result(); err != nil || len(keys) > 0 {
			t.Errorf("%q are left (%v)", keys, err)
		}
	})
}

// looping starts alerts and restarts of anna's bot that is on for both. tell has a poll be seen that shows the bot in a state.
func looping(t *testing.T, url string, steady time.Duration) (anna *discordtest.User, discord *discordtest.Server, restarted func(times int), tell func(status string, c watcher.Change)) {
	discord = discordtest.RunT(t)
	attempts := make(chan string, 10)
	var r *alerts.Restarts
	a, _ := start(t, discord, url, &watched{}, func(s *setup) {
		r = alerts.NewRestarts(alerts.RestartsConfig{
			Redis: s.Redis, Watching: &watched{}, Pause: 20 * time.Millisecond, Steady: func() time.Duration { return steady },
			Included: func(time.Time) bool { return false }, ServiceDown: func() bool { return false },
			Wake: s.Wake, Now: time.Now, Log: zerolog.Nop(), Count: func(string) {},
			Restart: func(_ context.Context, id, _, _ string) (bool, error) { attempts <- id; return true, nil },
		})
		s.Restarts = r
	})
	anna = discord.User("anna")
	turnOn(t, a, anna)
	if err := r.TurnOn(t.Context(), anna.ID, "shop", false); err != nil {
		t.Fatal(err)
	}
	restarted = func(times int) {
		t.Helper()
		<-attempts
		eventually(t, func() bool {
			autoRestarts, err := r.Of(t.Context(), anna.ID)
			return err == nil && len(autoRestarts["shop"].Tried) == times
		})
	}
	return anna, discord, restarted, func(status string, c watcher.Change) {
		t.Helper()
		p := watcher.Poll{CustomerID: anna.ID, At: time.Now(), List: hostapi.List{Servers: []hostapi.Server{{ID: "shop", Status: status}}}, Changes: []watcher.Change{c}}
		if err := errors.Join(r.Observe(t.Context(), p), a.Observe(t.Context(), p)); err != nil {
			t.Fatal(err)
		}
	}
}

// silentPosts counts the messages that were posted without a notification.
func silentPosts(discord *discordtest.Server) (n int) {
	for _, c := range discord.Calls() {
		if c.Method == "POST" && c.Route == discordtest.RouteMessages && bytes.Contains(c.Request, []byte(`"flags":4096`)) {
			n++
		}
	}
	return n
}

// TestRestartThatHelpedIsToldSilently, once.
func TestRestartThatHelpedIsToldSilently(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		anna, discord, restarted, tell := looping(t, url, 20*time.Millisecond)
		now := time.Now()
		tell("CRASHED", fell(anna, "shop", now))
		restarted(1)
		tell("RUNNING", back(anna, "shop", now.Add(6*time.Second)))
		anna.InDM().Sees(t, "shop c fell 1 times, back after 6s, ran 1h0m0s, restarted 1 times")
		wantAlerts(t, anna, "shop c fell 1 times, back after 6s, ran 1h0m0s, restarted 1 times")
		if silentPosts(discord) != 1 {
			t.Error("the customer is notified of what was mended")
		}
	})
}

// TestCrashLoopIsOneMessage, which notifies the customer that the bot stays down.
func TestCrashLoopIsOneMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		anna, discord, restarted, tell := looping(t, url, time.Hour)
		for i := range alerts.MostRestarts + 1 {
			f := fell(anna, "shop", time.Now())
			f.Since = f.Since.Add(time.Duration(i) * time.Second) // which names it
			tell("CRASHED", f)
			if i < alerts.MostRestarts {
				restarted(i + 1)
				tell("RUNNING", back(anna, "shop", time.Now()))
			}
		}
		anna.InDM().Sees(t, "stays down")
		texts := 0
		for _, m := range anna.InDM().Messages() {
			if strings.Contains(m.Text(), "shop c fell") {
				texts++
			}
		}
		if texts != 1 || silentPosts(discord) != 0 || calls(discord, "POST", discordtest.RouteMessages) != 2 { // the first says that alerts are on
			t.Errorf("%d messages tell of a crash loop, after %d posts", texts, calls(discord, "POST", discordtest.RouteMessages)-1)
		}
	})
}
