package leader_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/leader"
	"hostbot/bot/store/record"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

// redisOfProcess is the variable with the address of the Redis of a process that these tests start.
const redisOfProcess = "LEADER_TEST_REDIS"

// TestProcess is a process that leads until the work on "bad" ends it, or until nothing is due now.
// Others run it.
func TestProcess(t *testing.T) {
	url := os.Getenv(redisOfProcess)
	if url == "" {
		t.Skip("it is a process of another test")
	}
	r := start(t, url, "process", func(c *leader.Config) {
		c.Timing.Lease, c.Timing.Read = 200*time.Millisecond, 10*time.Millisecond
		c.OnDead = func(l leader.Letter) { r := redistest.Connect(t, url); r.RPush(t.Context(), "told", l.ID) }
	}, func(ctx context.Context, id string) (time.Duration, error) {
		client := redistest.Connect(t, url)
		client.HIncrBy(ctx, "begun", id, 1)
		if id == "bad" {
			for client.HLen(ctx, "begun").Val() < 2 && client.ZCard(ctx, dueKey).Val() > 1 { // until a neighbour is there
			}
			os.Exit(3)
		}
		return 0, nil
	})
	eventually(t, "all is done", func() bool {
		n, err := r.redis.ZCount(t.Context(), dueKey, "-inf", strconv.FormatInt(time.Now().UnixMilli(), 10)).Result()
		return err == nil && n == 0
	})
}

// TestOnlyTheOneAtFaultDies has work on one of 21 end its process, again and again.
func TestOnlyTheOneAtFaultDies(t *testing.T) {
	url := redistest.StartMiniredis(t).URL()
	client := redistest.Connect(t, url)
	due := []redis.Z{{Member: "bad", Score: 1}}
	for i := range 20 {
		due = append(due, redis.Z{Member: "good" + strconv.Itoa(i), Score: 2})
	}
	if err := client.ZAdd(t.Context(), dueKey, due...).Err(); err != nil {
		t.Fatal(err)
	}
	deaths := 0
	for deaths < 20 {
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcess$")
		process.Env = append(os.Environ(), redisOfProcess+"="+url)
		out, err := process.CombinedOutput()
		if err == nil {
			break
		}
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 3 {
			t.Fatalf("%v: %s", err, out)
		}
		deaths++
		// The lease of the dead ends by time, which stands still here.
		client.Del(t.Context(), "hostbot:{leader}:lease")
	}
	if deaths != 6 {
		t.Errorf("it ended %d processes", deaths)
	}
	if begun := client.HLen(t.Context(), "begun").Val(); begun != 21 {
		t.Errorf("%d were begun", begun)
	}
	if left := client.ZRange(t.Context(), dueKey, 0, -1).Val(); len(left) != 1 || left[0] != "bad" {
		t.Errorf("%q are left", left)
	}
	letters, err := leader.New(leader.Config{Redis: client, Timing: timing()}).Letters(t.Context())
	if err != nil || len(letters) != 1 || letters[0].ID != "bad" || letters[0].Kind != "things" {
		t.Errorf("the dead letters are %+v, %v", letters, err)
	}
	if told := client.LRange(t.Context(), "told", 0, -1).Val(); len(told) != 1 || told[0] != "bad" {
		t.Errorf("%q are told of", told)
	}
	tries := make(map[string]int)
	for _, list := range client.HGetAll(t.Context(), "hostbot:{leader}:inflight").Val() {
		for name := range strings.Lines(list) {
			if name = strings.TrimSpace(name); tries[name] == 2 || name == nameOf("bad") { // a neighbour may end beside it twice
				t.Errorf("too many attempts count of %s", name)
			}
			tries[name]++
		}
	}
}

// told has a configuration tell of dead letters.
func told(letters chan leader.Letter, change func(*leader.Config)) func(*leader.Config) {
	return func(c *leader.Config) {
		c.OnDead = func(l leader.Letter) { letters <- l }
		c.Timing.Read = 5 * time.Millisecond
		if change != nil {
			change(c)
		}
	}
}

// TestPanicsMakeADeadLetter of what panics six times. It is told of once, though it dies again.
func TestPanicsMakeADeadLetter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		letters, works := make(chan leader.Letter, 10), make(chan bool, 1)
		works <- false
		calls := make(chan string, 100)
		do := func(_ context.Context, id string) (time.Duration, error) {
			well := <-works
			works <- well
			if calls <- id; id == "bad" && !well {
				panic("it makes no sense")
			}
			return 0, nil
		}
		makeDue(t, url, "bad")
		r := start(t, url, "one", told(letters, func(c *leader.Config) { c.Timing.DeadPause = 0 }), do)
		if l := <-letters; l.ID != "bad" || l.Kind != "things" || len(calls) != 6 {
			t.Errorf("%+v is a dead letter after %d calls", l, len(calls))
		}
		makeDue(t, url, "good")
		r.want(t, "good")
		for range 7 {
			<-calls
		}
		makeDue(t, url, "bad") // as its owner does
		if id := <-calls; id != "bad" {
			t.Errorf("%s comes back", id)
		}
		client := redistest.Connect(t, url)
		eventually(t, "it is put off again", func() bool {
			score := client.ZScore(t.Context(), dueKey, "bad").Val()
			return score > float64(time.Now().UnixMilli())
		})
		<-works
		works <- true
		makeDue(t, url, "bad")
		r.want(t, "bad")
		eventually(t, "it is none any more", func() bool {
			now, err := r.Letters(t.Context())
			return err == nil && len(now) == 0
		})
		r.stop()
		if lists := client.HGetAll(t.Context(), "hostbot:{leader}:inflight").Val(); len(lists) > 0 {
			t.Errorf("attempts still count: %q", lists)
		}
		if len(letters) > 0 || len(calls) != 1 {
			t.Errorf("it is told of again %d times, after %d calls more", len(letters), len(calls))
		}
	})
}

// TestUnreadableIsADeadLetterAtOnce, which comes back by another version, and not at once by whoever
// makes it due. It is forgotten with what it was of.
func TestUnreadableIsADeadLetterAtOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		letters := make(chan leader.Letter, 10)
		do := func(_ context.Context, id string) (time.Duration, error) {
			if id == "bad" {
				return 0, fmt.Errorf("%w: no JSON", record.ErrUnreadable)
			}
			return 0, nil
		}
		makeDue(t, url, "bad")
		one := start(t, url, "one", told(letters, func(c *leader.Config) { c.Version = "1" }), do)
		one.want(t, "bad")
		if l := <-letters; !strings.Contains(l.Reason, "no JSON") {
			t.Errorf("the reason is %q", l.Reason)
		}
		makeDue(t, url, "bad")
		client := redistest.Connect(t, url)
		eventually(t, "it is put off", func() bool {
			return client.ZScore(t.Context(), dueKey, "bad").Val() > float64(time.Now().UnixMilli())
		})
		if err := one.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
		one.want(t, "bad")
		eventually(t, "it is put off again", func() bool {
			queues, dead, err := one.Queues(t.Context())
			return err == nil && len(dead) == 1 && dead[0].Version == "1" && queues[0] == leader.Queue{Kind: "things", Dead: 1}
		})
		one.stop()
		other := start(t, url, "other", told(letters, func(c *leader.Config) { c.Version = "2" }), do)
		other.want(t, "bad")
		eventually(t, "it was tried by the other version", func() bool {
			now, err := other.Letters(t.Context())
			return err == nil && len(now) == 1 && now[0].Version == "2"
		})
		if len(letters) > 0 || len(one.seen) > 0 {
			t.Errorf("it is told of %d times more, and tried %d times more", len(letters), len(one.seen))
		}
		if err := errors.Join(client.ZRem(t.Context(), dueKey, "bad").Err(), other.Tidy(t.Context())); err != nil {
			t.Fatal(err)
		}
		if now, err := other.Letters(t.Context()); err != nil || len(now) != 0 {
			t.Errorf("after it was removed there are %+v, %v", now, err)
		}
	})
}

// TestTroubleCountsNothing: errors, and a term that ends in the middle of work.
func TestTroubleCountsNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		letters := make(chan leader.Letter, 10)
		client := redistest.Connect(t, url)
		count := 0
		makeDue(t, url, "a")
		one := start(t, url, "one", told(letters, func(c *leader.Config) { c.Timing.Retry = time.Millisecond }), func(context.Context, string) (time.Duration, error) {
			if count++; count < 10 { // one at a time
				return 0, errors.New("not now")
			}
			return 0, nil
		})
		for range 10 {
			one.want(t, "a")
		}
		one.stop()
		for range 8 {
			makeDue(t, url, "a")
			begun := make(chan bool)
			next := start(t, url, "next", told(letters, nil), func(ctx context.Context, _ string) (time.Duration, error) {
				close(begun)
				<-ctx.Done()
				return 0, ctx.Err()
			})
			<-begun
			next.stop()
		}
		if n := client.Exists(t.Context(), "hostbot:{leader}:inflight", "hostbot:{leader}:dead").Val(); n > 0 || len(letters) > 0 {
			t.Errorf("%d keys are left, and %d dead letters were told of", n, len(letters))
		}
	})
}

// lossy has Redis carry out what it is asked, and loses the answers while it is slow. The lease is well.
type lossy struct {
	slow  atomic.Bool
	lists atomic.Int64 // how many answers about what is in flight were lost
}

func (l *lossy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l *lossy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if args := fmt.Sprint(cmd.Args()...); l.slow.Load() && !strings.Contains(args, "lease") {
			if strings.Contains(args, "inflight") {
				l.lists.Add(1)
			}
			cmd.SetErr(context.DeadlineExceeded)
			return context.DeadlineExceeded
		}
		return err
	}
}

func (l *lossy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if l.slow.Load() {
			for _, cmd := range cmds {
				cmd.SetErr(context.DeadlineExceeded)
			}
			return context.DeadlineExceeded
		}
		return err
	}
}

// TestASlowRedisMakesNoDeadLetter: Redis carries out everything, and no answer comes in time, for more
// attempts than make a dead letter, by one leader after the other.
func TestASlowRedisMakesNoDeadLetter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		letters, client := make(chan leader.Letter, 10), redistest.Connect(t, url)
		for term := range 8 {
			makeDue(t, url, "a")
			var redisOfTerm lossy
			begun := make(chan bool, 1000)
			r := start(t, url, "replica"+strconv.Itoa(term), told(letters, func(c *leader.Config) {
				c.Redis.AddHook(&redisOfTerm)
				c.Timing.Retry = time.Millisecond
			}), func(context.Context, string) (time.Duration, error) {
				begun <- true
				redisOfTerm.slow.Store(true)
				return 0, context.DeadlineExceeded
			})
			<-begun
			eventually(t, "it has tried in vain", func() bool { return redisOfTerm.lists.Load() > 8 })
			r.stop()
		}
		makeDue(t, url, "a")
		last := start(t, url, "last", told(letters, nil), nil)
		last.want(t, "a")
		last.stop()
		if n := client.Exists(t.Context(), "hostbot:{leader}:dead").Val(); n > 0 || len(letters) > 0 {
			t.Errorf("%d dead letters", len(letters))
		}
	})
}

// nameOf is the name of an ID in what is in flight.
func nameOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "things " + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// TestAlone: what has ended a process twice is worked when nothing else is.
func TestAlone(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		client := redistest.Connect(t, url)
		dead := nameOf("a") + "\n" + nameOf("b")
		for _, token := range []string{"one", "two"} {
			if err := client.HSet(t.Context(), "hostbot:{leader}:inflight", token, dead).Err(); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"a", "b", "c", "d"} {
			makeDue(t, url, id)
		}
		working := make(chan string, 10)
		r := start(t, url, "one", nil, func(_ context.Context, id string) (time.Duration, error) {
			working <- id
			if n := len(working); (id == "a" || id == "b") && n > 1 {
				t.Errorf("%s is worked with %d others", id, n-1)
			}
			<-working
			return 0, nil
		})
		for range 4 {
			<-r.seen
		}
		r.stop()
		if lists := client.HGetAll(t.Context(), "hostbot:{leader}:inflight").Val(); len(lists) > 0 {
			t.Errorf("attempts still count: %q", lists)
		}
	})
}

// TestAFullReadingIsFollowedByTheNext: a backlog does not wait for the time between two readings.
func TestAFullReadingIsFollowedByTheNext(t *testing.T) {
	url := redistest.StartMiniredis(t).URL()
	client := redistest.Connect(t, url)
	const many = 12_000
	due := make([]redis.Z, many)
	for i := range due {
		due[i] = redis.Z{Member: strconv.Itoa(i), Score: float64(i)}
	}
	if err := client.ZAdd(t.Context(), dueKey, due...).Err(); err != nil {
		t.Fatal(err)
	}
	l := leader.New(leader.Config{Redis: client, Name: "one", Log: zerolog.Nop(), Timing: timing()})
	done := make(chan string, many)
	l.Add(leader.Kind{Name: "things", Due: dueKey, AtOnce: 64, Limit: time.Minute, Reconcile: func(ctx context.Context, id string) (time.Duration, error) {
		if err := client.ZRem(ctx, dueKey, id).Err(); err != nil {
			return 0, err
		}
		done <- id
		return 0, nil
	}})
	end := patience.Run(l.Run)
	for range many {
		<-done
	}
	end()
}
