package turns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/bot/turns"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func connect(t *testing.T, address string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	options.ContextTimeoutEnabled, options.DialerRetries = true, 1 // as the program has it
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// claims numbers interactions.
type claims struct {
	mu sync.Mutex
	n  int
}

func (c *claims) next(userID, serverID, action string) turns.Claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return turns.Claim{InteractionID: fmt.Sprint(c.n), UserID: userID, CustomerID: userID, ServerID: serverID, Action: action}
}

func must(t *testing.T, p *turns.Turns, c turns.Claim) (end func()) {
	t.Helper()
	end, err := p.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func refused[E error](t *testing.T, p *turns.Turns, c turns.Claim) (refusal E) {
	t.Helper()
	_, err := p.Begin(t.Context(), c)
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a %T", err, refusal)
	}
	return refusal
}

// eachKind runs a test on a process that decides alone, and on two that share a Redis.
func eachKind(t *testing.T, test func(t *testing.T, one, other *turns.Turns)) {
	t.Run("in one process", func(t *testing.T) {
		p := turns.New(nil)
		test(t, p, p)
	})
	redistest.Each(t, func(t *testing.T, address string) {
		process := func() *turns.Turns {
			return turns.New(connect(t, address))
		}
		test(t, process(), process())
	})
}

func TestOneActionAtATime(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *turns.Turns) {
		var c claims
		began := time.Now()
		end := must(t, one, c.next("42", "shop", "restart"))
		busy := refused[*turns.BusyError](t, other, c.next("42", "shop", "reinstall"))
		if busy.Turn.Action != "restart" || busy.Turn.Since.Before(began.Add(-time.Second)) || busy.Turn.Since.After(time.Now()) {
			t.Errorf("running is %+v", busy.Turn)
		}
		if turn, ok := one.Current("42", "shop"); !ok || turn.Action != "restart" {
			t.Errorf("current is %+v, %v", turn, ok)
		}
		must(t, other, c.next("42", "radio", "restart"))()
		must(t, other, c.next("43", "shop", "restart"))()
		end()
		if _, ok := one.Current("42", "shop"); ok {
			t.Error("it is over, and yet current")
		}
		second := must(t, other, c.next("42", "shop", "reinstall"))
		end() // again, which must not end the second
		_ = refused[*turns.BusyError](t, one, c.next("42", "shop", "stop"))
		second()
	})
}

func TestOfManyAtOnceOneActs(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *turns.Turns) {
		var c claims
		var acting sync.WaitGroup
		ends := make(chan func(), 50)
		for i := range 50 {
			acting.Go(func() {
				end, err := []*turns.Turns{one, other}[i%2].Begin(t.Context(), c.next("42", "shop", "restart"))
				if err == nil {
					ends <- end
				}
			})
		}
		acting.Wait()
		if n := len(ends); n != 1 {
			t.Errorf("%d act", n)
		}
		for range len(ends) {
			(<-ends)()
		}
	})
}

func TestAUserHasSoManyAMinute(t *testing.T) {
	eachKind(t, func(t *testing.T, one, other *turns.Turns) {
		var c claims
		began := time.Now()
		for i := range turns.PerWindow {
			p := one
			if i%2 == 1 && one != other {
				p = other
			}
			must(t, p, c.next("42", fmt.Sprint("bot ", i), "restart"))()
		}
		limit := refused[*turns.LimitError](t, one, c.next("42", "shop", "restart"))
		if wait := limit.Until.Sub(began); wait < turns.Window-time.Second || wait > turns.Window+time.Minute {
			t.Errorf("the next is allowed after %v", wait)
		}
		must(t, one, c.next("43", "shop", "restart"))()
	})
}

func TestAnInteractionActsInOneProcess(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		process := func() *turns.Turns { return turns.New(connect(t, address)) }
		claim := turns.Claim{InteractionID: "1", UserID: "42", CustomerID: "42", ServerID: "shop", Action: "restart"}
		end := must(t, process(), claim)
		if _, err := process().Begin(t.Context(), claim); !errors.Is(err, turns.ErrTaken) {
			t.Errorf("while it runs: %v", err)
		}
		end()
		if _, err := process().Begin(t.Context(), claim); !errors.Is(err, turns.ErrTaken) {
			t.Errorf("after it has ended: %v", err)
		}
	})
}

func TestTheTurnOfADeadProcessEnds(t *testing.T) {
	server := miniredis.RunT(t)
	living := turns.New(connect(t, "redis://"+server.Addr()))
	dying := connect(t, "redis://"+server.Addr())
	var c claims
	end, err := turns.New(dying).Begin(t.Context(), c.next("42", "shop", "restart"))
	if err != nil {
		t.Fatal(err)
	}
	_ = dying.Close()
	end() // reaches nobody
	_ = refused[*turns.BusyError](t, living, c.next("42", "shop", "stop"))
	server.FastForward(31 * time.Second)
	must(t, living, c.next("42", "shop", "stop"))()
}

func TestATurnThatEndsWhileRedisIsAwayIsOverWhenItIsBack(t *testing.T) {
	server := miniredis.RunT(t)
	one, other := turns.New(connect(t, "redis://"+server.Addr())), turns.New(connect(t, "redis://"+server.Addr()))
	var c claims
	end := must(t, one, c.next("42", "shop", "restart"))
	server.SetError("LOADING")
	end()
	server.SetError("")
	becomesFree(t, other, &c)
}

// becomesFree waits until somebody else may act on the bot "shop". It is less
// patient than a lease is long.
func becomesFree(t *testing.T, other *turns.Turns, c *claims) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		end, err := other.Begin(t.Context(), c.next("42", "shop", "stop"))
		if err == nil {
			end()
			return
		}
		select {
		case <-late:
			t.Fatal(err)
		default:
		}
	}
}

func TestWithoutRedisTheProcessDecides(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		p := turns.New(connect(t, server.URL()))
		var c claims
		must(t, p, c.next("42", "shop", "restart"))()
		server.Stop()
		end := must(t, p, c.next("42", "shop", "restart"))
		_ = refused[*turns.BusyError](t, p, c.next("42", "shop", "stop"))
		end()
		must(t, p, c.next("42", "radio", "restart"))()
		server.Restart()
		other := turns.New(connect(t, server.URL()))
		for late := time.After(20 * time.Second); ; {
			end := must(t, p, c.next(fmt.Sprint("user ", c.n), "radio", "restart"))
			another, err := other.Begin(t.Context(), turns.Claim{InteractionID: "x" + fmt.Sprint(c.n), UserID: "43", CustomerID: fmt.Sprint("user ", c.n-1), ServerID: "radio"})
			end()
			if err != nil {
				return // the two see each other again
			}
			another()
			select {
			case <-late:
				t.Fatal("it is not noticed that redis is back")
			default:
			}
		}
	})
}

// deaf hears no answer to the scripts that it sends, though Redis has run them.
type deaf struct{ on atomic.Bool }

func (d *deaf) DialHook(next redis.DialHook) redis.DialHook { return next }

func (d *deaf) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (d *deaf) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err == nil && d.on.Load() && strings.HasPrefix(cmd.Name(), "eval") {
			err = context.DeadlineExceeded
			cmd.SetErr(err)
		}
		return err
	}
}

func TestATurnIsGivenBackAlsoWhereItsGrantWasNotHeard(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client, hearing := connect(t, address), &deaf{}
		client.AddHook(hearing)
		p, other := turns.New(client), turns.New(connect(t, address))
		var c claims
		hearing.on.Store(true)
		end := must(t, p, c.next("42", "shop", "restart"))
		hearing.on.Store(false)
		_ = refused[*turns.BusyError](t, other, c.next("42", "shop", "stop"))
		end()
		must(t, other, c.next("42", "shop", "stop"))()

		end = must(t, p, c.next("42", "shop", "restart"))
		client.Del(t.Context(), client.Keys(t.Context(), "*").Val()...) // a Redis that has lost it
		hearing.on.Store(true)
		_ = refused[*turns.BusyError](t, p, c.next("42", "shop", "stop")) // by the process, though Redis granted it
		hearing.on.Store(false)
		end()
		becomesFree(t, other, &c)
	})
}

// repeating sends each script twice, as a client does that hears no answer to the
// first, though Redis has run it.
type repeating struct{}

func (repeating) DialHook(next redis.DialHook) redis.DialHook { return next }

func (repeating) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (repeating) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		_ = next(ctx, cmd)
		return next(ctx, cmd)
	}
}

func TestAClaimThatIsSentAgainIsTheSame(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := connect(t, address)
		client.AddHook(repeating{})
		p, other := turns.New(client), turns.New(connect(t, address))
		var c claims
		claim := c.next("42", "shop", "restart")
		end := must(t, p, claim)
		if _, err := other.Begin(t.Context(), claim); !errors.Is(err, turns.ErrTaken) {
			t.Errorf("another process: %v", err)
		}
		_ = refused[*turns.BusyError](t, other, c.next("42", "shop", "stop"))
		_ = refused[*turns.BusyError](t, p, c.next("42", "shop", "stop")) // and not that it was taken
		end()
		for range turns.PerWindow - 1 {
			must(t, p, c.next("42", "shop", "restart"))()
		}
		_ = refused[*turns.LimitError](t, p, c.next("42", "shop", "restart"))
	})
}
