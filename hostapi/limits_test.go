package hostapi_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
)

// meetsLimit has an account be answered 429, and everybody be served after that.
func (g *guarded) meetsLimit(t *testing.T, userID, retryAfter string) {
	t.Helper()
	g.becomes(answers(429, "", retryAfter), works)
	if err := g.Delete(t.Context(), userID, "s"); hostapi.CodeOf(err) != hostapi.CodeRateLimited {
		t.Fatalf("account %s: %v", userID, err)
	}
	g.sent()
}

// served reports that a call for an account is answered at once.
func (g *guarded) served(t *testing.T, userID string) bool {
	t.Helper()
	began := time.Now()
	_, err := g.Restart(t.Context(), userID, "s")
	return err == nil && time.Since(began) == 0
}

// TestLimitHoldsItsAccount for as long as the service says, within bounds.
func TestLimitHoldsItsAccount(t *testing.T) {
	for retryAfter, held := range map[string]time.Duration{"20": 20 * time.Second, "600": 600 * time.Second, "3600": 600 * time.Second, "11.5": 11500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, works)
			g.meetsLimit(t, "42", retryAfter)
			until := time.Now().Add(held)
			if !g.served(t, "7") {
				t.Errorf("%q: another account is not served", retryAfter)
			}
			g.sent()
			if at := g.WaitsUntil(); !at.Equal(until) {
				t.Errorf("%q: the client waits until %v, want %v", retryAfter, at, until)
			}
			pass(held - 11*time.Second)
			_, err := g.List(t.Context(), "42") // which would be repeated
			failure := asError(t, err)
			if failure.Code != hostapi.CodeRateLimited || failure.Attempts != 0 || failure.RetryAfter != 11*time.Second || g.sent() != 0 {
				t.Errorf("%q: %#v", retryAfter, err)
			}
			pass(time.Second)
			if _, err := g.Restart(t.Context(), "42", "s"); err != nil || g.sent() != 1 || time.Now().Before(until) || time.Since(until) > time.Second {
				t.Errorf("%q: a call that can wait ends after %v: %v", retryAfter, time.Since(until), err)
			}
			if g.isOpen() || len(g.down)+len(g.up) != 0 {
				t.Errorf("%q: told down by %v", retryAfter, g.down)
			}
		})
	}
}

// TestLimitOfSeveralAccountsHoldsAll if the second one meets it while the first one waits, for 30 s
// at most.
func TestLimitOfSeveralAccountsHoldsAll(t *testing.T) {
	for _, test := range []struct {
		retryAfter string
		apart      time.Duration
		holds      time.Duration // 0: not all
	}{
		{"3600", 29 * time.Second, 30 * time.Second},
		{"3600", 30 * time.Second, 0},
		{"20", 19 * time.Second, 20 * time.Second},
		{"20", 20 * time.Second, 0},
		{"", 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, works)
			g.meetsLimit(t, "1", test.retryAfter)
			pass(test.apart)
			g.meetsLimit(t, "2", test.retryAfter)
			if test.holds > 0 {
				_, err := g.List(t.Context(), "3")
				if failure := asError(t, err); failure.Code != hostapi.CodeRateLimited || failure.RetryAfter != test.holds || g.sent() != 0 {
					t.Errorf("%+v: another account gets %v", test, err)
				}
				pass(test.holds)
				if !g.served(t, "1") || !g.served(t, "2") {
					t.Errorf("%+v: accounts wait for longer than all", test)
				}
			}
			if !g.served(t, "3") {
				t.Errorf("%+v: another account is not served", test)
			}
		})
	}
}

// TestLimitOfAPollHoldsNobody: calls that nobody waits for meet the limit, and customers' calls, also
// for the same accounts, are made.
func TestLimitOfAPollHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(t, answers(429, "", "20"))
		for _, userID := range []string{"0", "1", "2"} {
			if _, err := g.List(hostapi.Once(t.Context()), userID); hostapi.CodeOf(err) != hostapi.CodeRateLimited {
				t.Fatal(err)
			}
		}
		g.becomes(works)
		for i := range 20 {
			if !g.served(t, strconv.Itoa(i)) {
				t.Errorf("the customer of account %d is not served", i)
			}
		}
		g.meetsLimit(t, "0", "20") // of which polls hear
		if _, err := g.List(hostapi.Once(t.Context()), "0"); asError(t, err).RetryAfter != 20*time.Second || g.sent() != 0 {
			t.Errorf("a poll of an account that waits: %v", err)
		}
	})
}

// TestCallsWaitAsTheServiceSays has twenty customers press at once where the service takes eight
// requests a second: all are served within a few seconds.
func TestCallsWaitAsTheServiceSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(t, perSecond(8))
		began := time.Now()
		var customers sync.WaitGroup
		for i := range 20 {
			customers.Go(func() {
				if _, err := g.Restart(t.Context(), strconv.Itoa(i), "s"); err != nil {
					t.Errorf("account %d: %v", i, err)
				}
			})
		}
		customers.Wait()
		if took := time.Since(began); took > 5*time.Second { // by the bubble's clock
			t.Errorf("it took %v", took)
		}
	})
}

// perSecond serves so many requests in each second, and answers 429 to others.
func perSecond(most int) step {
	var mu sync.Mutex
	var second int64
	taken := 0
	return func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now().Unix(); now != second {
			second, taken = now, 0
		}
		if taken++; taken > most {
			return answers(429, "", "1")(r)
		}
		return works(r)
	}
}
