package leader_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/leader"
	"hostbot/bot/store/lease"
	"hostbot/bot/store/record"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, redistest.Dialing())
}

const dueKey = "due"

// replica is a leader and what it has reconciled.
type replica struct {
	*leader.Leader
	redis redis.UniversalClient
	seen  chan string
	stop  func() // as SIGTERM does; it may be called twice
}

// timing is that of these tests. A reading of what is due is rare, so that each test says
// whether it counts on one.
func timing() leader.Timing {
	return leader.Timing{
		Lease: 2 * time.Second, Renew: 20 * time.Millisecond, Read: time.Hour, Window: time.Hour, Retry: 20 * time.Millisecond,
		DeadFor: time.Hour, DeadPause: time.Hour, Resign: time.Millisecond, ResignMost: time.Millisecond, Away: time.Hour,
	}
}

// start starts a replica, which reconciles by do after change has changed its configuration.
func start(t *testing.T, url, name string, change func(*leader.Config), do func(ctx context.Context, id string) (time.Duration, error)) *replica {
	t.Helper()
	r := &replica{redis: redistest.Connect(t, url), seen: make(chan string, 100)}
	c := leader.Config{Redis: r.redis, Name: name, Log: zerolog.Nop(), Timing: timing()}
	if change != nil {
		change(&c)
	}
	r.Leader = leader.New(c)
	r.Add(leader.Kind{
		Name: "things", Due: dueKey, AtOnce: 2, Limit: 10 * time.Second,
		Reconcile: func(ctx context.Context, id string) (again time.Duration, err error) {
			if do != nil {
				again, err = do(ctx, id)
			}
			if !errors.Is(err, record.ErrUnreadable) {
				_ = r.redis.ZRem(ctx, dueKey, id).Err()
			}
			r.seen <- id
			return again, err
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	r.stop = func() { cancel(); running.Wait() }
	t.Cleanup(r.stop)
	return r
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for limit := time.After(2 * time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not even after two minutes: %s", what)
		}
	}
}

func (r *replica) want(t *testing.T, id string) {
	t.Helper()
	select {
	case got := <-r.seen:
		if got != id {
			t.Fatalf("%s is reconciled, not %s", got, id)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s is not reconciled within two minutes", id)
	}
}

func makeDue(t *testing.T, url, id string) {
	t.Helper()
	if err := redistest.Connect(t, url).ZAdd(t.Context(), dueKey, redis.Z{Member: id}).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestOneLeads(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		makeDue(t, url, "first")
		one := start(t, url, "one", nil, nil)
		one.want(t, "first")
		other := start(t, url, "other", nil, nil)
		eventually(t, "the other one knows who leads", func() bool {
			holder, err := other.Holder(t.Context())
			return err == nil && holder == "one"
		})
		// Whoever calls, the leader works.
		makeDue(t, url, "second")
		eventually(t, "it listens", func() bool {
			other.Wake(t.Context(), "things", "second")
			return len(one.seen) > 0
		})
		one.want(t, "second")
		if other.Leading() || len(other.seen) > 0 {
			t.Error("two lead")
		}
		makeDue(t, url, "third")
		one.stop()
		other.want(t, "third")
		eventually(t, "the other one leads", other.Leading)
	})
}

// TestWorkWaitsForItsTime: what a Reconcile asks for, and what failed, comes again.
func TestWorkWaitsForItsTime(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		makeDue(t, url, "a")
		times := 0
		r := start(t, url, "one", nil, func(context.Context, string) (time.Duration, error) {
			times++ // one at a time
			switch times {
			case 1:
				return 10 * time.Millisecond, nil
			case 2:
				return 0, errors.New("not now")
			}
			return 0, nil
		})
		for range 3 {
			r.want(t, "a")
		}
	})
}

// TestPanicKeepsNothingElseBack, and ends no process.
func TestPanicKeepsNothingElseBack(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		makeDue(t, url, "a")
		times := 0
		r := start(t, url, "one", nil, func(context.Context, string) (time.Duration, error) {
			if times++; times == 1 { // one at a time
				panic("it makes no sense")
			}
			return 0, nil
		})
		r.want(t, "a")
		makeDue(t, url, "b")
		r.Wake(t.Context(), "things", "b")
		r.want(t, "b")
	})
}

// TestReadingFindsWhatNobodyCalledFor: a call that is lost delays, and loses nothing.
func TestReadingFindsWhatNobodyCalledFor(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		r := start(t, url, "one", func(c *leader.Config) { c.Timing.Read = 10 * time.Millisecond }, nil)
		eventually(t, "it leads", r.Leading)
		makeDue(t, url, "a")
		r.want(t, "a")
	})
}

// TestManyOfOneDelayNoOther: a line that is long has no more than its turn.
func TestManyOfOneDelayNoOther(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		client := redistest.Connect(t, url)
		for i := range 50 {
			if err := client.ZAdd(t.Context(), dueKey, redis.Z{Member: "many" + strconv.Itoa(i), Score: float64(i)}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.ZAdd(t.Context(), dueKey, redis.Z{Member: "one", Score: 99}).Err(); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		l := leader.New(leader.Config{Redis: client, Name: "one", Log: zerolog.Nop(), Timing: timing()})
		done := make(chan struct{})
		l.Add(leader.Kind{
			Name: "things", Due: dueKey, AtOnce: 1, Limit: time.Second,
			Line: func(id string) string { return id[:3] },
			Reconcile: func(_ context.Context, id string) (time.Duration, error) {
				mu.Lock()
				defer mu.Unlock()
				if order = append(order, id); len(order) == 51 {
					close(done)
				}
				return 0, nil
			},
		})
		end := patience.Run(l.Run)
		<-done
		end()
		for i, id := range order[:4] {
			if id == "one" {
				return
			}
			_ = i
		}
		t.Errorf("the other one's turn came late: %q", order)
	})
}

// TestLeaderThatDiscordDoesNotAnswerResigns, and another goes on.
func TestLeaderThatDiscordDoesNotAnswerResigns(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		released := make(chan struct{})
		cut := start(t, url, "cut", func(c *leader.Config) {
			c.Silence = func() (from, until time.Time) {
				<-released
				return time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
			}
		}, nil)
		eventually(t, "it leads", cut.Leading)
		other := start(t, url, "other", nil, nil)
		close(released)
		eventually(t, "the other one leads", other.Leading)
		makeDue(t, url, "a")
		eventually(t, "the other one listens", func() bool {
			cut.Wake(t.Context(), "things", "a")
			return len(other.seen) > 0
		})
	})
}

// TestResignedLeaderLeadsAgain if nobody else does, rather than to stay away.
func TestResignedLeaderLeadsAgain(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		var answers atomic.Bool
		r := start(t, url, "one", func(c *leader.Config) {
			c.Silence = func() (from, until time.Time) {
				if answers.Load() {
					return time.Time{}, time.Time{}
				}
				return time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
			}
		}, nil)
		eventually(t, "it has resigned", func() bool { return r.Term() > 0 && !r.Leading() })
		answers.Store(true)
		eventually(t, "it leads again", r.Leading)
		makeDue(t, url, "a")
		r.Wake(t.Context(), "things", "a")
		r.want(t, "a")
	})
}

// TestSilenceOfAnEarlierTermCountsNoMore: while nobody asks Discord anything, a request that once
// failed says nothing.
func TestSilenceOfAnEarlierTermCountsNoMore(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		asked := make(chan struct{}, 1000)
		r := start(t, url, "one", func(c *leader.Config) {
			until := time.Now()
			c.Silence = func() (time.Time, time.Time) {
				asked <- struct{}{}
				return until.Add(-time.Hour), until
			}
		}, nil)
		for range 5 {
			<-asked
		}
		if term := r.Term(); term != 1 || !r.Leading() {
			t.Errorf("it leads: %v, in its term %d", r.Leading(), term)
		}
	})
}

// TestWorkEndsWithTheLease: a leader whose lease another has, as after a pause of its machine,
// writes nothing any more.
func TestWorkEndsWithTheLease(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		makeDue(t, url, "a")
		checked := make(chan error, 1)
		r := start(t, url, "one", nil, func(ctx context.Context, _ string) (time.Duration, error) {
			if err := lease.Check(ctx); err != nil {
				checked <- err
				return 0, nil
			}
			client := redistest.Connect(t, url)
			if err := client.Set(context.WithoutCancel(ctx), "hostbot:{leader}:lease", "other x", time.Hour).Err(); err != nil {
				checked <- err
				return 0, nil
			}
			<-ctx.Done()
			checked <- lease.Check(ctx)
			return 0, nil
		})
		if err := <-checked; !errors.Is(err, lease.ErrLost) {
			t.Errorf("after the lease was lost: %v", err)
		}
		eventually(t, "it leads no more", func() bool { return !r.Leading() })
	})
}
