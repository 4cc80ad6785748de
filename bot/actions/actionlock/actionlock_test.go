package actionlock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/bot/actions/actionlock"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.WithCluster(m)) }

// claims numbers interactions.
type claims struct{ n atomic.Int64 }

func (c *claims) next(userID, serverID, action string) actionlock.Claim {
	id := fmt.Sprint(c.n.Add(1))
	return actionlock.Claim{InteractionID: id, UserID: userID, CustomerID: userID, ServerID: serverID, Action: action}
}

func acquire(t *testing.T, locks *actionlock.Locks, c actionlock.Claim) *actionlock.Lock {
	t.Helper()
	lock, err := locks.Acquire(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func refused[E error](t *testing.T, locks *actionlock.Locks, c actionlock.Claim) (refusal E) {
	t.Helper()
	_, err := locks.Acquire(t.Context(), c)
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a %T", err, refusal)
	}
	return refusal
}

// eachKind runs a test on a process that decides alone, and on two that share a Redis.
func eachKind(t *testing.T, test func(t *testing.T, one, other *actionlock.Locks)) {
	t.Run("in one process", func(t *testing.T) {
		locks := actionlock.New(nil)
		test(t, locks, locks)
	})
	redistest.Each(t, func(t *testing.T, address string) {
		test(t, actionlock.New(redistest.Connect(t, address)), actionlock.New(redistest.Connect(t, address)))
	})
}

func TestBotTakesOneActionAtATime(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *actionlock.Locks) {
		var c claims
		before := time.Now()
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		if lock.Local != (one == other) {
			t.Errorf("granted by the process alone: %t", lock.Local)
		}
		busy := refused[*actionlock.BusyError](t, other, c.next("42", "shop", "reinstall")).Running
		if busy.Action != "restart" || busy.Since.Before(before.Add(-time.Second)) || busy.Since.After(time.Now()) {
			t.Errorf("running is %+v", busy)
		}
		if running := one.Running("42", "shop"); running == nil || running.Action != "restart" {
			t.Errorf("running is %+v", running)
		}
		acquire(t, other, c.next("42", "radio", "restart")).Release()
		acquire(t, other, c.next("43", "shop", "restart")).Release()
		lock.Release()
		if running := one.Running("42", "shop"); running != nil {
			t.Errorf("after the end %+v is running", running)
		}
		second := acquire(t, other, c.next("42", "shop", "reinstall"))
		lock.Release() // again, which must not release the second
		_ = refused[*actionlock.BusyError](t, one, c.next("42", "shop", "stop"))
		second.Release()
	})
}

// TestOfManyPressesAtOnceOneActs has each of 50 presses come to both processes.
func TestOfManyPressesAtOnceOneActs(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *actionlock.Locks) {
		var c claims
		var granted atomic.Int64
		var pressing sync.WaitGroup
		for range 50 {
			press := c.next("42", "shop", "restart")
			for _, locks := range []*actionlock.Locks{one, other} {
				pressing.Go(func() {
					if lock, err := locks.Acquire(t.Context(), press); err == nil {
						granted.Add(1)
						t.Cleanup(lock.Release) // which another press would get
					}
				})
			}
		}
		pressing.Wait()
		if n := granted.Load(); n != 1 {
			t.Errorf("%d of the presses may act", n)
		}
	})
}

func TestUserStartsSoManyActionsAMinute(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *actionlock.Locks) {
		var c claims
		before := time.Now()
		for i := range actionlock.PerWindow {
			acquire(t, []*actionlock.Locks{one, other}[i%2], c.next("42", fmt.Sprint("bot ", i), "restart")).Release()
		}
		limit := refused[*actionlock.LimitError](t, one, c.next("42", "shop", "restart"))
		if wait := limit.Until.Sub(before); wait < actionlock.Window-time.Second || wait > actionlock.Window+time.Minute {
			t.Errorf("the next is allowed after %v", wait)
		}
		acquire(t, one, c.next("43", "shop", "restart")).Release()
	})
}

func TestHoldBackKeepsTheSameActionFromBeingRepeated(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *actionlock.Locks) {
		var c claims
		before := time.Now()
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		lock.HoldBack()
		lock.Release() // which changes nothing any more
		for _, locks := range []*actionlock.Locks{one, other} {
			until := refused[*actionlock.HeldError](t, locks, c.next("42", "shop", "restart")).Until
			if wait := until.Sub(before); wait < actionlock.HeldBack-time.Second || wait > actionlock.HeldBack+time.Minute {
				t.Errorf("the next is allowed after %v", wait)
			}
		}
		acquire(t, other, c.next("42", "shop", "stop")).Release()
		acquire(t, other, c.next("42", "radio", "restart")).Release()
		acquire(t, other, c.next("43", "shop", "restart")).Release()
	})
}

func TestHoldBackEnds(t *testing.T) {
	t.Run("in one process", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var c claims
			locks := actionlock.New(nil)
			acquire(t, locks, c.next("42", "shop", "restart")).HoldBack()
			time.Sleep(actionlock.HeldBack)
			acquire(t, locks, c.next("42", "shop", "restart")).Release()
		})
	})
	t.Run("among several", func(t *testing.T) {
		server := miniredis.RunT(t)
		one, other := actionlock.New(redistest.Connect(t, "redis://"+server.Addr())), actionlock.New(redistest.Connect(t, "redis://"+server.Addr()))
		var c claims
		acquire(t, one, c.next("42", "shop", "restart")).HoldBack()
		server.FastForward(actionlock.HeldBack)
		acquire(t, other, c.next("42", "shop", "restart")).Release()
	})
}

func TestLockOfADeadProcessExpires(t *testing.T) {
	server := miniredis.RunT(t)
	living, dying := actionlock.New(redistest.Connect(t, "redis://"+server.Addr())), redistest.Connect(t, "redis://"+server.Addr())
	var c claims
	lock := acquire(t, actionlock.New(dying), c.next("42", "shop", "restart"))
	_ = dying.Close()
	lock.Release() // does not reach Redis
	_ = refused[*actionlock.BusyError](t, living, c.next("42", "shop", "stop"))
	server.FastForward(31 * time.Second)
	acquire(t, living, c.next("42", "shop", "stop")).Release()
}

func TestLockThatRedisLostIsSetAgain(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		locks, other := actionlock.New(client), actionlock.New(redistest.Connect(t, address))
		locks.RenewEvery(time.Millisecond)
		var c claims
		lock := acquire(t, locks, c.next("42", "shop", "restart"))
		key := keys(t, client, "*:bot:*")[0]
		client.Del(t.Context(), keys(t, client, "*")...)
		eventually(t, "the lock is set again", func() bool { return client.PTTL(t.Context(), key).Val() > 0 })
		_ = refused[*actionlock.BusyError](t, other, c.next("42", "shop", "stop"))
		lock.Release()
		if n := client.Exists(t.Context(), key).Val(); n != 0 {
			t.Error("the lock is held after its release")
		}
	})
}

func TestLockReleasedWithoutRedisIsFreeWhenRedisIsBack(t *testing.T) {
	server := miniredis.RunT(t)
	one, other := actionlock.New(redistest.Connect(t, "redis://"+server.Addr())), actionlock.New(redistest.Connect(t, "redis://"+server.Addr()))
	var c claims
	lock := acquire(t, one, c.next("42", "shop", "restart"))
	server.SetError("LOADING")
	lock.Release()
	server.SetError("")
	becomesFree(t, other, &c)
}

// keys returns those that a Redis holds.
func keys(t *testing.T, client redis.UniversalClient, pattern string) []string {
	t.Helper()
	found, err := redistest.Keys(t.Context(), client, pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// eventually waits until something is so, for less time than a lock lives in Redis.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !world.Eventually(ctx, isSo) {
		t.Fatal("it does not come that " + what)
	}
}

// becomesFree waits until another process may act on the bot "shop".
func becomesFree(t *testing.T, other *actionlock.Locks, c *claims) {
	t.Helper()
	eventually(t, "the lock is free", func() bool {
		lock, err := other.Acquire(t.Context(), c.next("42", "shop", "stop"))
		if err == nil {
			lock.Release()
		}
		return err == nil
	})
}

func TestProcessDecidesWithoutRedis(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		locks := actionlock.New(redistest.Connect(t, server.URL()))
		var c claims
		acquire(t, locks, c.next("42", "shop", "restart")).Release()
		server.Stop()
		lock := acquire(t, locks, c.next("42", "shop", "restart"))
		if !lock.Local {
			t.Error("a Redis that is down has granted the lock")
		}
		_ = refused[*actionlock.BusyError](t, locks, c.next("42", "shop", "stop"))
		lock.Release()
	})
}

func TestLockIsReleasedWhereItsGrantWasNotHeard(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		var deaf atomic.Bool // Redis runs the scripts, and their answers are lost
		client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			err := next(ctx, cmd)
			if err == nil && deaf.Load() && strings.HasPrefix(cmd.Name(), "eval") {
				err = context.DeadlineExceeded
				cmd.SetErr(err)
			}
			return err
		}))
		locks, other := actionlock.New(client), actionlock.New(redistest.Connect(t, address))
		var c claims
		deaf.Store(true)
		lock := acquire(t, locks, c.next("42", "shop", "restart"))
		if !lock.Local {
			t.Error("the grant was heard")
		}
		deaf.Store(false)
		_ = refused[*actionlock.BusyError](t, other, c.next("42", "shop", "stop"))
		lock.Release()
		acquire(t, other, c.next("42", "shop", "stop")).Release()
	})
}

// TestClaimIsGrantedOnce, also where the client sends it to Redis again.
func TestClaimIsGrantedOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			_ = next(ctx, cmd) // the answer is lost
			return next(ctx, cmd)
		}))
		locks, other := actionlock.New(client), actionlock.New(redistest.Connect(t, address))
		var c claims
		claim := c.next("42", "shop", "restart")
		lock := acquire(t, locks, claim)
		if _, err := other.Acquire(t.Context(), claim); !errors.Is(err, actionlock.ErrDuplicate) {
			t.Errorf("another process: %v", err)
		}
		_ = refused[*actionlock.BusyError](t, other, c.next("42", "shop", "stop"))
		_ = refused[*actionlock.BusyError](t, locks, c.next("42", "shop", "stop")) // and not a duplicate
		lock.Release()
		if _, err := other.Acquire(t.Context(), claim); !errors.Is(err, actionlock.ErrDuplicate) {
			t.Errorf("another process, after it has ended: %v", err)
		}
		for range actionlock.PerWindow - 1 {
			acquire(t, locks, c.next("42", "shop", "restart")).Release()
		}
		_ = refused[*actionlock.LimitError](t, locks, c.next("42", "shop", "restart"))
	})
}
