package actions_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// TestMain runs the tests, which wait for most of the time, so several run at once.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing())
}

// claims numbers interactions.
type claims struct{ n atomic.Int64 }

func (c *claims) next(userID, serverID, action string) actions.Claim {
	id := fmt.Sprint(c.n.Add(1))
	return actions.Claim{
		Request: &interaction.Request{ID: id, UserID: userID, CustomerID: userID, ReceivedAt: time.Now()},
		Action:  interaction.Action{Name: action, BotID: serverID},
	}
}

func acquire(t *testing.T, a *actions.Actions, c actions.Claim) *actions.Lock {
	t.Helper()
	lock, err := a.Acquire(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// end ends an action as it went.
func end(lock *actions.Lock, outcome interaction.Outcome) {
	_ = lock.Sent() // which is what another process decides, and that is tested by itself
	lock.End(interaction.Action{Outcome: outcome})
	lock.Logged()
	lock.Close()
}

func refused[E error](t *testing.T, a *actions.Actions, c actions.Claim) (refusal E) {
	t.Helper()
	_, err := a.Acquire(t.Context(), c)
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a %T", err, refusal)
	}
	return refusal
}

// sharing returns the actions of a process that shares a Redis, and renews nothing.
func sharing(client redis.UniversalClient) *actions.Actions {
	return actions.New(actions.Config{Redis: client, Timing: actions.DefaultTiming()})
}

// eachKind runs a test on a process that decides alone, and on two that share a Redis.
func eachKind(t *testing.T, test func(t *testing.T, one, other *actions.Actions)) {
	t.Run("in one process", func(t *testing.T) {
		locks := actions.New(actions.Config{})
		test(t, locks, locks)
	})
	redistest.Each(t, func(t *testing.T, address string) {
		test(t, sharing(redistest.Connect(t, address)), sharing(redistest.Connect(t, address)))
	})
}

func TestBotTakesOneActionAtATime(t *testing.T) {
	redistest.Parallel(t)
	eachKind(t, func(t *testing.T, one, other *actions.Actions) {
		var c claims
		before := time.Now()
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		if lock.Shared() == (one == other) {
			t.Errorf("granted by Redis: %t", lock.Shared())
		}
		busy := refused[*actions.BusyError](t, other, c.next("42", "shop", "reinstall")).Running
		if busy.Action != "restart" || busy.Since.Before(before.Add(-time.Second)) || busy.Since.After(time.Now()) {
			t.Errorf("running is %+v", busy)
		}
		if running := one.Running("42", "shop"); running == nil || running.Action != "restart" {
			t.Errorf("running is %+v", running)
		}
		acquire(t, other, c.next("42", "radio", "restart")).Close()
		acquire(t, other, c.next("43", "shop", "restart")).Close()
		lock.End(interaction.Action{Outcome: interaction.Done})
		if running := one.Running("42", "shop"); running != nil {
			t.Errorf("after the end %+v is running", running)
		}
		if one != other { // which staff would not know if the process died now
			_ = refused[*actions.BusyError](t, other, c.next("42", "shop", "reinstall"))
		}
		lock.Logged()
		second := acquire(t, other, c.next("42", "shop", "reinstall"))
		lock.Close() // which must not release the second
		_ = refused[*actions.BusyError](t, one, c.next("42", "shop", "stop"))
		second.Close()
	})
}

// TestOfManyPressesAtOnceOneActs has each of 20 presses come to both processes. A process that
// waits for Redis for too long decides alone, so that is tried again.
func TestOfManyPressesAtOnceOneActs(t *testing.T) {
	redistest.Parallel(t)
	eachKind(t, func(t *testing.T, one, other *actions.Actions) {
		var c claims
		for try := 0; ; try++ {
			var granted, alone atomic.Int64
			var pressing sync.WaitGroup
			for range 20 {
				press := c.next("42", fmt.Sprint("shop ", try), "restart")
				for _, locks := range []*actions.Actions{one, other} {
					pressing.Go(func() {
						if lock, err := locks.Acquire(t.Context(), press); err == nil {
							granted.Add(1)
							if one != other && !lock.Shared() {
								alone.Add(1)
							}
							t.Cleanup(lock.Close) // which another press would get
						}
					})
				}
			}
			pressing.Wait()
			if alone.Load() > 0 {
				continue
			}
			if n := granted.Load(); n != 1 {
				t.Errorf("%d of the presses may act", n)
			}
			return
		}
	})
}

func TestUserStartsSoManyActionsAMinute(t *testing.T) {
	redistest.Parallel(t)
	eachKind(t, func(t *testing.T, one, other *actions.Actions) {
		var c claims
		before := time.Now()
		for i := range actions.PerWindow {
			end(acquire(t, []*actions.Actions{one, other}[i%2], c.next("42", fmt.Sprint("bot ", i), "restart")), interaction.Done)
		}
		limit := refused[*actions.LimitError](t, one, c.next("42", "shop", "restart"))
		if wait := limit.Until.Sub(before); wait < actions.Window-time.Second || wait > actions.Window+time.Minute {
			t.Errorf("the next is allowed after %v", wait)
		}
		acquire(t, one, c.next("43", "shop", "restart")).Close()
	})
}

// TestStaffHaveOneLimitInAProcess has one member of staff act for many customers, who keep their own.
func TestStaffHaveOneLimitInAProcess(t *testing.T) {
	t.Parallel()
	locks := actions.New(actions.Config{})
	var c claims
	forCustomer := func(i int) actions.Claim {
		claim := c.next(fmt.Sprint(100+i), "shop", "restart")
		claim.Request.UserID = "7"
		return claim
	}
	for i := range actions.PerWindow {
		end(acquire(t, locks, forCustomer(i)), interaction.Done)
	}
	_ = refused[*actions.LimitError](t, locks, forCustomer(actions.PerWindow))
	acquire(t, locks, c.next("100", "shop", "restart")).Close()
}

// TestWhatWasNotCarriedOutDoesNotCount closes locks of which no action has ended.
func TestWhatWasNotCarriedOutDoesNotCount(t *testing.T) {
	redistest.Parallel(t)
	eachKind(t, func(t *testing.T, one, other *actions.Actions) {
		var c claims
		for range 2 {
			var many []actions.Claim
			for i := range actions.PerWindow + 1 {
				many = append(many, c.next("42", fmt.Sprint("bot ", i), "restart"))
			}
			got := one.AcquireAll(t.Context(), many)
			if _, limited := errors.AsType[*actions.LimitError](got[actions.PerWindow].Refusal); !limited {
				t.Errorf("one too many: %v", got[actions.PerWindow].Refusal)
			}
			for i, g := range got[:actions.PerWindow] {
				if g.Refusal != nil {
					t.Fatalf("bot %d: %v", i, g.Refusal)
				}
				g.Lock.Close()
			}
		}
		end(acquire(t, other, c.next("42", "shop", "restart")), interaction.Done)
	})
}

// TestRedisIsAskedOnceForManyLocks, so that one that does not answer is waited for once.
func TestRedisIsAskedOnceForManyLocks(t *testing.T) {
	redistest.Parallel(t)
	client := redistest.Connect(t, redistest.StartMiniredis(t).URL())
	var asked atomic.Int32
	client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
		asked.Add(1)
		return next(ctx, cmds)
	}))
	locks := sharing(client)
	var c claims
	acquire(t, locks, c.next("42", "first", "restart")) // has Redis know the script
	asked.Store(0)
	var many []actions.Claim
	for i := range 20 {
		many = append(many, c.next("42", fmt.Sprint("bot ", i), "restart"))
	}
	for _, g := range locks.AcquireAll(t.Context(), many) {
		if g.Refusal != nil || !g.Lock.Shared() {
			t.Errorf("%v", g.Refusal)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("Redis was asked %d times", n)
	}
}

func TestHoldBackKeepsTheSameActionFromBeingRepeated(t *testing.T) {
	redistest.Parallel(t)
	eachKind(t, func(t *testing.T, one, other *actions.Actions) {
		var c claims
		before := time.Now()
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		end(lock, interaction.Unconfirmed)
		for _, locks := range []*actions.Actions{one, other} {
			until := refused[*actions.PausedError](t, locks, c.next("42", "shop", "restart")).Until
			if wait := until.Sub(before); wait < actions.Pause-time.Second || wait > actions.Pause+time.Minute {
				t.Errorf("the next is allowed after %v", wait)
			}
		}
		acquire(t, other, c.next("42", "shop", "stop")).Close()
		acquire(t, other, c.next("42", "radio", "restart")).Close()
		acquire(t, other, c.next("43", "shop", "restart")).Close()
	})
}

func TestHoldBackEnds(t *testing.T) {
	t.Parallel()
	t.Run("in one process", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var c claims
			locks := actions.New(actions.Config{})
			end(acquire(t, locks, c.next("42", "shop", "restart")), interaction.Unconfirmed)
			time.Sleep(actions.Pause)
			acquire(t, locks, c.next("42", "shop", "restart")).Close()
		})
	})
	t.Run("among several", func(t *testing.T) {
		server := miniredis.RunT(t)
		one, other := sharing(redistest.Connect(t, "redis://"+server.Addr())), sharing(redistest.Connect(t, "redis://"+server.Addr()))
		var c claims
		end(acquire(t, one, c.next("42", "shop", "restart")), interaction.Unconfirmed)
		server.FastForward(actions.Pause)
		acquire(t, other, c.next("42", "shop", "restart")).Close()
	})
}

func TestProcessDecidesWithoutRedis(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		locks := sharing(redistest.Connect(t, server.URL()))
		var c claims
		acquire(t, locks, c.next("42", "shop", "restart")).Close()
		server.Stop()
		lock := acquire(t, locks, c.next("42", "shop", "restart"))
		if lock.Shared() {
			t.Error("a Redis that is down has granted the lock")
		}
		_ = refused[*actions.BusyError](t, locks, c.next("42", "shop", "stop"))
		lock.Close()
	})
}

func TestLockIsReleasedWhereItsGrantWasNotHeard(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		var deaf atomic.Bool // Redis runs the scripts, and their answers are lost
		client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			err := next(ctx, cmds)
			if err == nil && deaf.Load() && strings.HasPrefix(cmds[0].Name(), "eval") {
				err = context.DeadlineExceeded
				for _, cmd := range cmds {
					cmd.SetErr(err)
				}
			}
			return err
		}))
		locks, other := sharing(client), sharing(redistest.Connect(t, address))
		var c claims
		deaf.Store(true)
		lock := acquire(t, locks, c.next("42", "shop", "restart"))
		if lock.Shared() {
			t.Error("the grant was heard")
		}
		deaf.Store(false)
		_ = refused[*actions.BusyError](t, other, c.next("42", "shop", "stop"))
		lock.Close()
		acquire(t, other, c.next("42", "shop", "stop")).Close()
	})
}

// TestClaimIsGrantedOnce, also where the client sends it to Redis again.
func TestClaimIsGrantedOnce(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			_ = next(ctx, cmds) // the answer is lost
			return next(ctx, cmds)
		}))
		locks, other := sharing(client), sharing(redistest.Connect(t, address))
		var c claims
		claim := c.next("42", "shop", "restart")
		lock := acquire(t, locks, claim)
		if _, err := other.Acquire(t.Context(), claim); !errors.Is(err, actions.ErrDuplicate) {
			t.Errorf("another process: %v", err)
		}
		_ = refused[*actions.BusyError](t, other, c.next("42", "shop", "stop"))
		_ = refused[*actions.BusyError](t, locks, c.next("42", "shop", "stop")) // and not a duplicate
		lock.Close()
		if _, err := other.Acquire(t.Context(), claim); !errors.Is(err, actions.ErrDuplicate) {
			t.Errorf("another process, after it has ended: %v", err)
		}
		for range actions.PerWindow {
			end(acquire(t, locks, c.next("42", "shop", "restart")), interaction.Done)
		}
		_ = refused[*actions.LimitError](t, locks, c.next("42", "shop", "restart"))
	})
}
