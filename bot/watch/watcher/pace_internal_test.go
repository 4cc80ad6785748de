package watcher

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"hostbot/hostapi"
)

// polling polls accounts as the leader does, for use in a bubble.
type polling struct {
	pace     *pace
	interval time.Duration
	ask      func(userID string) (limited bool)
	polled   map[string]int
	slowed   bool // by the latest 429
}

// run polls so many accounts for a time, which are all due at first.
func (p *polling) run(watched int, d time.Duration) {
	p.polled = make(map[string]int)
	due := make([]time.Time, watched)
	var mu sync.Mutex
	var polls sync.WaitGroup
	for end := time.Now().Add(d); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		for {
			first := 0
			for i := range due {
				if due[i].Before(due[first]) {
					first = i
				}
			}
			if due[first].After(time.Now()) || !p.pace.admit(time.Now(), p.interval) {
				break
			}
			due[first] = time.Now().Add(p.interval)
			userID := strconv.Itoa(first)
			p.polled[userID]++
			polls.Go(func() {
				began := time.Now()
				limited := p.ask(userID)
				mu.Lock()
				defer mu.Unlock()
				if limited {
					p.slowed = p.pace.refused(userID, began, time.Now(), time.Now(), p.interval).All
				} else {
					p.pace.succeeded(userID, time.Now())
				}
			})
		}
	}
	polls.Wait()
}

// bounded is a transport to a service that takes eight requests a second, and answers 429 to others.
type bounded struct{ allow func() bool }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(20 * time.Millisecond)
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"ok":true,"servers":[],"account":{}}`)), Request: r}
	if !b.allow() {
		answer.StatusCode = http.StatusTooManyRequests
		answer.Header.Set("Retry-After", "1")
	}
	return answer, nil
}

// bucket and window are the usual ways in which requests are counted.
func bucket() func() bool { return rate.NewLimiter(8, 8).Allow }

func window() func() bool {
	var mu sync.Mutex
	taken := make(map[int64]int) // by second
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now().Unix()
		taken[now]++
		return taken[now] <= 8
	}
}

// TestPollsLeaveRoomForCustomers has twenty customers restart bots at the same moment, at a service
// that takes eight requests a second, of which polls would take five or nine.
func TestPollsLeaveRoomForCustomers(t *testing.T) {
	for name, count := range map[string]func() func() bool{"bucket": bucket, "window": window} {
		for _, watched := range []int{300, 540} {
			t.Run(fmt.Sprint(name, " ", watched), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { leavesRoom(t, bounded{count()}, watched) })
			})
		}
	}
}

func leavesRoom(t *testing.T, service http.RoundTripper, watched int) {
	client, err := hostapi.New(hostapi.Config{
		BaseURL: "https://hosting.example", Secret: "secret", Timeout: 10 * time.Second, Transport: service,
		Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &polling{pace: newPace(10), interval: time.Minute, ask: func(userID string) bool {
		_, err := client.List(hostapi.Once(t.Context()), userID)
		return hostapi.CodeOf(err) == hostapi.CodeRateLimited
	}}
	var polls, customers sync.WaitGroup
	polls.Go(func() { p.run(watched, 10*p.interval) })
	for range 5 {
		<-time.After(time.Minute)
		for i := range 20 {
			customers.Go(func() {
				if _, err := client.Restart(t.Context(), "customer"+strconv.Itoa(i), "s"); err != nil {
					t.Errorf("customer %d: %v", i, err)
				}
			})
		}
		customers.Wait()
	}
	polls.Wait()
	for i := range watched {
		if n := p.polled[strconv.Itoa(i)]; n < 2 {
			t.Errorf("account %d was polled %d times within ten intervals", i, n)
		}
	}
}

// TestAccountLimitedByItselfSlowsNoOther has three accounts of a hundred always be answered 429.
func TestAccountLimitedByItselfSlowsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &polling{pace: newPace(2), interval: time.Minute}
		p.ask = func(userID string) bool { return userID == "7" || userID == "8" || userID == "50" }
		p.run(100, 20*p.interval)
		for userID, n := range p.polled {
			if n < 17 { // the first intervals are longer
				t.Errorf("account %s was polled %d times within twenty intervals", userID, n)
			}
		}
		if p.slowed {
			t.Error("polls of all accounts are fewer")
		}
	})
}

// TestPollsOfAllAreFewButDoNotEnd has the service answer 429 to all for an hour, and then to none.
func TestPollsOfAllAreFewButDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := true
		p := &polling{pace: newPace(10), interval: time.Minute, ask: func(string) bool { return limits }}
		polls := func(d time.Duration) (n int) {
			p.run(300, d)
			for _, times := range p.polled {
				n += times
			}
			return n
		}
		polls(10 * time.Minute)
		if n := polls(50 * time.Minute); n < 50 || n > 50*60 || !p.slowed {
			t.Errorf("%d polls within fifty intervals, slower: %v; want one in an interval at least, and one a second at most", n, p.slowed)
		}
		limits = false
		polls(recovery * time.Minute)
		if n := polls(time.Minute); n < 300 {
			t.Errorf("%d accounts of 300 are polled within an interval, some time after the limit", n)
		}
	})
}
