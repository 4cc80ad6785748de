package hostapi_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
)

// guarded is a client of a script, with what it says of the service.
type guarded struct {
	*script
	*hostapi.Client
	down []error
	up   []time.Duration
}

// guard returns a client of a service whose requests end as the steps say, for
// use in a bubble.
func guard(t *testing.T, steps ...step) *guarded {
	t.Helper()
	g := &guarded{script: &script{steps: steps}}
	var mu sync.Mutex
	g.Client = newClient(t, "https://hosting.example", g.with, func(c *hostapi.Config) {
		c.Timeout = 3 * time.Second
		c.OnDown = func(reason error) { mu.Lock(); defer mu.Unlock(); g.down = append(g.down, reason) }
		c.OnUp = func(after time.Duration) { mu.Lock(); defer mu.Unlock(); g.up = append(g.up, after) }
	})
	return g
}

func (g *guarded) isOpen() bool { return !g.DownSince().IsZero() }

// fails has accounts from first to last asked for, with an answer that shows the
// service to be away.
func (g *guarded) fails(t *testing.T, first, last int) {
	t.Helper()
	for i := first; i <= last; i++ {
		_, err := g.List(t.Context(), strconv.Itoa(i))
		if failure := asError(t, err); failure.Attempts == 0 || failure.Code != hostapi.CodeUnavailable && failure.Code != hostapi.CodeMalformed {
			t.Fatalf("account %d: %v", i, err)
		}
	}
}

// refused reports whether a call for an account fails without a request.
func (g *guarded) refused(t *testing.T, userID string) bool {
	t.Helper()
	g.sent()
	_, err := g.List(t.Context(), userID)
	var failure *hostapi.Error
	notSent := errors.As(err, &failure) && failure.Attempts == 0
	if n := g.sent(); notSent != (n == 0) {
		t.Errorf("%d requests, and %v", n, err)
	}
	return notSent
}

// pass lets the bubble's time pass.
func pass(d time.Duration) { <-time.After(d) }

// page is what a gateway answers where it does not find the service.
func page() step { return answers(404, "<!DOCTYPE html><title>404 Not Found</title>", "") }

// TestWhatAnOutcomeTellsTheBreaker: after four accounts that fail, one more that shows the
// service to be away opens the breaker. An answer has it count anew.
func TestWhatAnOutcomeTellsTheBreaker(t *testing.T) {
	list := func(ctx context.Context, c *hostapi.Client) error { _, err := c.List(ctx, "42"); return err }
	restart := func(ctx context.Context, c *hostapi.Client) error { _, err := c.Restart(ctx, "42", "s"); return err }
	leave := func(ctx context.Context, c *hostapi.Client) error {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		return list(ctx, c)
	}
	late := func(ctx context.Context, c *hostapi.Client) error {
		ctx, cancel := context.WithDeadline(ctx, time.Now().Add(-time.Second))
		defer cancel()
		return list(ctx, c)
	}
	const away, well, nothing = "away", "well", "nothing"
	type outcome struct {
		step  step
		call  func(context.Context, *hostapi.Client) error
		tells string
	}
	outcomes := map[string]outcome{
		"no connection":    {refuses, list, away},
		"broken off":       {breaksOff, list, away},
		"hangs":            {hangs, list, away},
		"500":              {answers(500, "", ""), list, away},
		"503":              {answers(503, "", ""), list, away},
		"a gateway's page": {page(), list, away},
		"no JSON":          {answers(200, "<html>", ""), list, away},
		"wrong type":       {answers(200, `{"servers":7}`, ""), list, away},
		"empty":            {answers(200, "", ""), list, away},
		"says so":          {answers(200, `{"ok":false,"code":"MAINTENANCE"}`, ""), list, away},

		"works":      {works, restart, well},
		"is refused": {answers(200, `{"ok":false,"error":"busy"}`, ""), restart, well},

		"a customer leaves":         {hangs, leave, nothing},
		"too late to be sent":       {works, late, nothing},
		"an operation is not there": {page(), restart, nothing},
		"a gateway's 404":           {answers(404, "404 page not found", ""), restart, nothing},
		"a stranger's 404":          {answers(404, "404 page not found", ""), list, nothing},
		"no such account":           {answers(404, `{"code":"account_not_found"}`, ""), list, well},
	}
	outcomes["429"] = outcome{answers(429, "", ""), restart, nothing}
	for _, status := range []int{400, 401, 403, 409, 418, 501} {
		outcomes[strconv.Itoa(status)] = outcome{answers(status, "", ""), restart, well}
	}
	for name, test := range outcomes {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, answers(500, "", ""))
			g.fails(t, 1, 4)
			g.becomes(test.step)
			err := test.call(t.Context(), g.Client)
			tells := away
			if !g.isOpen() {
				g.becomes(answers(500, "", ""))
				g.fails(t, 5, 5)
				tells = map[bool]string{true: nothing, false: well}[g.isOpen()]
			}
			if tells != test.tells {
				t.Errorf("%s (%v) tells that it is %s, want %s", name, err, tells, test.tells)
			}
		})
	}
}

func TestOpenBreakerRefusesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(t, answers(503, "", ""))
		g.fails(t, 38, 42)
		if !g.isOpen() || len(g.down) != 1 || g.down[0] == nil {
			t.Fatalf("open %v after five accounts, told of %v", g.isOpen(), g.down)
		}
		g.sent()
		asked := time.Now()
		for _, op := range operations() {
			_, err := op.call(t.Context(), g.Client) // for account 42
			failure := asError(t, err)
			if failure.Code != hostapi.CodeUnavailable || failure.Uncertain || failure.Attempts != 0 || failure.RetryAfter != time.Second {
				t.Errorf("%s ends with %#v", op.name, err)
			}
		}
		if n, took := g.sent(), time.Since(asked); n != 0 || took != 0 { // by the bubble's clock
			t.Errorf("%d requests to a service that is away, in %v", n, took)
		}
	})
}

func TestBreakerIsClosedByAnAccountThatIsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := make(map[string]bool)
		g := guard(t, func(r *http.Request) (*http.Response, error) {
			if failing[r.URL.Query().Get("chatUserId")] {
				return answers(500, "", "")(r)
			}
			return works(r)
		})
		for i := range 10 {
			failing[strconv.Itoa(i)] = true
		}
		g.fails(t, 0, 4) // the others are not asked for yet
		for i := range 5 {
			if !g.refused(t, strconv.Itoa(i)) {
				t.Errorf("the failing account %d is asked for at once", i)
			}
		}
		g.fails(t, 5, 9) // which are not known to fail
		if g.refused(t, "well") || g.isOpen() || len(g.up) != 1 {
			t.Fatalf("open %v, told up after %v", g.isOpen(), g.up)
		}
		for range 10 {
			g.fails(t, 0, 8)
			if g.refused(t, "well") {
				t.Fatal("open again because of accounts that go on failing")
			}
		}
	})
}

func TestBreakerTriesFailingAccountsEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(t, answers(503, "", ""))
		g.fails(t, 1, 5)
		since := time.Now()
		for i := range 3 {
			pass(time.Second - time.Millisecond)
			if !g.refused(t, "5") {
				t.Errorf("try %d comes too early", i)
			}
			pass(time.Millisecond)
			g.fails(t, 1+i, 1+i)
		}
		pass(time.Second)
		if len(g.down) != 1 || len(g.up) != 0 {
			t.Errorf("told down by %v, up after %v", g.down, g.up)
		}
		g.becomes(answers(403, "", "")) // a refusal shows that the service works
		if g.refused(t, "5") || g.isOpen() || len(g.up) != 1 || g.up[0] < time.Since(since) {
			t.Errorf("open %v, told up after %v", g.isOpen(), g.up)
		}
		g.becomes(works)
		if _, err := g.Restart(t.Context(), "1", "s"); err != nil {
			t.Errorf("once it is back: %v", err)
		}
		g.becomes(answers(503, "", ""))
		g.fails(t, 1, 1) // which succeeded meanwhile
		g.fails(t, 21, 24)
		if !g.isOpen() || !g.refused(t, "21") {
			t.Error("it does not begin anew")
		}
	})
}

func TestBreakerLetsOneCallThroughAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(t, answers(503, "", ""))
		g.fails(t, 1, 5)
		g.becomes(hangs)
		ctx, leave := context.WithCancel(t.Context())
		var probe sync.WaitGroup
		probe.Go(func() { _, _ = g.Restart(ctx, "probe", "s") })
		synctest.Wait()
		if began := time.Now(); !g.refused(t, "other") || time.Since(began) != time.Second {
			t.Errorf("refused after %v beside a call that hangs, want 1 s", time.Since(began))
		}
		leave()
		probe.Wait()
		g.becomes(works)
		if g.refused(t, "other") || g.isOpen() {
			t.Error("a call that was left is waited for")
		}
	})
}

// Calls of ten accounts come while the one is under way that decides.
func TestBreakerServesThoseWhoCameMeanwhile(t *testing.T) {
	for name, test := range map[string]struct {
		end    step
		served bool
	}{"it works": {works, true}, "it is away": {answers(503, "", ""), false}} {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, answers(503, "", ""))
			g.fails(t, 1, 5)
			g.sent()
			g.becomes(func(r *http.Request) (*http.Response, error) {
				pass(200 * time.Millisecond)
				return test.end(r)
			})
			var callers sync.WaitGroup
			var served atomic.Int32
			for i := range 10 {
				callers.Go(func() {
					if _, err := g.Restart(t.Context(), strconv.Itoa(100+i), "s"); err == nil {
						served.Add(1)
					}
				})
			}
			callers.Wait()
			if n := g.sent(); test.served != (served.Load() == 10) || !test.served && n != 1 {
				t.Errorf("%s: %d of 10 were served, by %d requests", name, served.Load(), n)
			}
		})
	}
}

// TestProbeIsGivenBack has the call that is to decide end in ways that decide nothing, and another
// one be made at once.
func TestProbeIsGivenBack(t *testing.T) {
	for name, end := range map[string]step{
		"panic":  func(*http.Request) (*http.Response, error) { panic("a transport that is broken") },
		"goexit": func(*http.Request) (*http.Response, error) { runtime.Goexit(); return nil, nil },
		"429":    answers(429, "", "9"), // which the call waits for
	} {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, answers(503, "", ""))
			g.fails(t, 1, 5)
			g.becomes(end, works)
			var probe sync.WaitGroup
			probe.Go(func() {
				defer func() { _ = recover() }()
				_, _ = g.List(t.Context(), "probe")
			})
			synctest.Wait()
			if began := time.Now(); g.refused(t, "other") || time.Since(began) != 0 || g.isOpen() {
				t.Errorf("%s: another call is refused, or made after %v; open %v", name, time.Since(began), g.isOpen())
			}
			probe.Wait()
		})
	}
}
