package hostapi_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
)

// fickle is a service whose requests all end as step says, and are counted.
type fickle struct {
	mu       sync.Mutex
	step     func(*http.Request) (*http.Response, error)
	requests []*http.Request
	times    []time.Time
}

func (f *fickle) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.times = append(f.times, time.Now())
	step := f.step
	f.mu.Unlock()
	return step(r)
}

func (f *fickle) becomes(step func(*http.Request) (*http.Response, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.step = step
}

// sent returns how many requests there were since the last time.
func (f *fickle) sent() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.requests)
	f.requests, f.times = nil, nil
	return n
}

// told is what a client tells of the service's state.
type told struct {
	mu   sync.Mutex
	down []error
	up   []time.Duration
}

func (n *told) take() (down []error, up []time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	down, up = n.down, n.up
	n.down, n.up = nil, nil
	return down, up
}

// fickleClient returns a service and a client of it, to be used in a bubble.
func fickleClient(t *testing.T, step func(*http.Request) (*http.Response, error)) (*fickle, *hostapi.Client, *told) {
	t.Helper()
	service, said := &fickle{step: step}, &told{}
	client := newClient(t, "https://hosting.example", func(c *hostapi.Config) {
		c.Transport = service
		c.Timeout = 3 * time.Second
		c.OnDown = func(reason error) { said.mu.Lock(); said.down = append(said.down, reason); said.mu.Unlock() }
		c.OnUp = func(after time.Duration) { said.mu.Lock(); said.up = append(said.up, after); said.mu.Unlock() }
	})
	return service, client, said
}

// pass lets the bubble's time pass.
func pass(d time.Duration) { <-time.After(d) }

// broken makes the client take the service to be away.
func broken(t *testing.T, client *hostapi.Client, service *fickle) {
	t.Helper()
	for range 4 {
		if _, err := client.List(t.Context(), "42"); err == nil {
			t.Fatal("the service is well")
		}
	}
	if client.Health().DownSince.IsZero() {
		t.Fatal("the service is not taken to be away")
	}
	service.sent()
}

func TestAServiceThatIsAwayIsLeftAlone(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"no connection": fails(errRefused), "broken off": fails(errBroken), "hangs": hangs, "500": answers(500, ""), "503": answers(503, ""),
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client, said := fickleClient(t, step)
			for range 4 {
				_, err := client.List(t.Context(), "42")
				var failure *hostapi.Error
				if !errors.As(err, &failure) || failure.Code != hostapi.CodeUnavailable || failure.NotSent {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n := service.sent(); n != 10 {
				t.Errorf("%s: %d requests, and with the tenth it should be enough", name, n)
			}
			if down, _ := said.take(); len(down) != 1 || hostapi.CodeOf(down[0]) != hostapi.CodeUnavailable {
				t.Errorf("%s: told that it is away by %v", name, down)
			}

			asked := time.Now()
			for _, op := range operations() {
				_, err := op.call(t.Context(), client)
				var failure *hostapi.Error
				if !errors.As(err, &failure) || failure.Code != hostapi.CodeUnavailable || !failure.NotSent || failure.Uncertain || failure.Attempts != 0 {
					t.Errorf("%s: %s ends with %#v", name, op.name, err)
				}
			}
			if took := time.Since(asked); took != 0 { // by the bubble's clock
				t.Errorf("%s: it takes %v to say so", name, took)
			}
			if n := service.sent(); n != 0 {
				t.Errorf("%s: %d requests to a service that is away", name, n)
			}
			health := client.Health()
			if health.DownSince.IsZero() || health.Reason == nil || !health.RetryAt.After(time.Now()) {
				t.Errorf("%s: %+v", name, health)
			}
		})
	}
}

func TestNonsenseMeansAwayAsWell(t *testing.T) {
	for name, answer := range map[string]string{"no JSON": "<html>", "wrong type": `{"servers":7}`, "empty": ""} {
		var client *hostapi.Client
		synctest.Test(t, func(t *testing.T) {
			var service *fickle
			service, client, _ = fickleClient(t, says(200, answer))
			for range 10 {
				if _, err := client.List(t.Context(), "42"); hostapi.CodeOf(err) != hostapi.CodeMalformed {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := client.List(t.Context(), "42"); hostapi.CodeOf(err) != hostapi.CodeUnavailable || service.sent() != 10 {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// The page is a gateway's, unless it is about the path of one operation.
func TestAPageInThePlaceOfTheListMeansAway(t *testing.T) {
	const page = "<!DOCTYPE html><title>404 Not Found</title>"
	synctest.Test(t, func(t *testing.T) {
		service, client, _ := fickleClient(t, says(404, page))
		broken(t, client, service)
	})
	synctest.Test(t, func(t *testing.T) {
		_, client, _ := fickleClient(t, says(404, page))
		for range 20 {
			if _, err := client.Restart(t.Context(), "42", "s"); hostapi.CodeOf(err) != hostapi.CodeUnavailable {
				t.Error(err)
			}
		}
		if !client.Health().DownSince.IsZero() {
			t.Error("taken to be away because of one operation")
		}
	})
}

func TestAnswersThatARequestDeservesMeanNothing(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 409, 418, 422, 429, 501} {
		synctest.Test(t, func(t *testing.T) {
			_, client, said := fickleClient(t, says(status, "no"))
			for range 20 {
				if _, err := client.Restart(t.Context(), "42", "s"); err == nil {
					t.Fatal("a success")
				}
			}
			if down, _ := said.take(); len(down) != 0 || client.Health() != (hostapi.Health{}) {
				t.Errorf("%d: taken to be away: %+v", status, client.Health())
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		_, client, _ := fickleClient(t, hangs)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := client.List(ctx, "42"); hostapi.CodeOf(err) != hostapi.CodeCanceled {
				t.Error(err)
			}
		}
		if !client.Health().DownSince.IsZero() {
			t.Error("taken to be away because customers left")
		}
	})
}

func TestAnAnswerEndsARunOfFailures(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{200, `{"ok":true}`}, {404, ""}, {409, "busy"}, {429, ""}, {200, `{"ok":false,"error":"busy"}`}} {
		synctest.Test(t, func(t *testing.T) {
			service, client, said := fickleClient(t, nil)
			for range 10 {
				service.becomes(answers(500, ""))
				for range 9 {
					_ = client.Delete(t.Context(), "42", "s")
				}
				service.becomes(says(answer.status, answer.body))
				_ = client.Delete(t.Context(), "42", "s")
			}
			if down, _ := said.take(); len(down) != 0 {
				t.Errorf("%d %s: taken to be away: %v", answer.status, answer.body, down)
			}
		})
	}
}

func TestAServiceThatIsAwayIsProbedUntilItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, client, said := fickleClient(t, answers(503, ""))
		broken(t, client, service)
		since := client.Health().DownSince
		pass(5 * time.Minute)
		service.mu.Lock()
		times, requests := append([]time.Time{since}, service.times...), service.requests
		service.mu.Unlock()
		least, most := time.Second/2, 3*time.Second/2
		for i, r := range requests {
			if r.Method != http.MethodGet || r.URL.Path != "/api/bot/servers" || r.URL.Query().Get("chatUserId") != "42" {
				t.Errorf("probed with %s %s", r.Method, r.URL)
			}
			if pause := times[i+1].Sub(times[i]); pause < least || pause > most {
				t.Errorf("pause %d is %v, want %v to %v", i+1, pause, least, most)
			}
			least, most = min(2*least, 15*time.Second), min(2*most, 45*time.Second)
		}
		if n := len(requests); n < 10 {
			t.Errorf("%d probes in 5 minutes", n)
		}
		if down, up := said.take(); len(down) != 1 || len(up) != 0 {
			t.Errorf("meanwhile it was told down by %v, up after %v", down, up)
		}

		service.becomes(answers(200, ""))
		pass(time.Minute)
		if _, up := said.take(); len(up) != 1 || up[0] < 5*time.Minute || up[0] > 6*time.Minute {
			t.Errorf("told up after %v", up)
		}
		if client.Health() != (hostapi.Health{}) {
			t.Errorf("%+v", client.Health())
		}
		service.sent()
		if _, err := client.Restart(t.Context(), "42", "s"); err != nil || service.sent() != 1 {
			t.Errorf("once it is back: %v", err)
		}
		pass(time.Hour)
		if n := service.sent(); n != 0 {
			t.Errorf("%d probes of a service that is well", n)
		}
	})
}

// The account that is probed with may be closed meanwhile.
func TestARefusalShowsThatTheServiceIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, client, said := fickleClient(t, answers(503, ""))
		broken(t, client, service)
		service.becomes(answers(404, ""))
		pass(2 * time.Second)
		if _, up := said.take(); len(up) != 1 {
			t.Errorf("told up after %v", up)
		}
	})
}

// While nobody else asks, one account for which the service fails looks like a
// service that is away.
func TestAServiceThatFailsForOneAccountIsBackForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, client, said := fickleClient(t, func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("chatUserId") == "42" {
				return answers(503, "")(r)
			}
			return answers(404, "")(r)
		})
		broken(t, client, service)
		pass(time.Minute)
		if _, up := said.take(); len(up) != 0 {
			t.Errorf("told up after %v", up)
		}
		if _, err := client.List(t.Context(), "43"); hostapi.CodeOf(err) != hostapi.CodeUnavailable {
			t.Errorf("error %v of a service that is taken to be away", err)
		}
		pass(time.Minute)
		if _, up := said.take(); len(up) != 1 {
			t.Errorf("told up after %v", up)
		}
		if _, err := client.List(t.Context(), "43"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
			t.Errorf("error %v, want that of no account", err)
		}
	})
}

func TestManyFailuresAtOnceAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, client, said := fickleClient(t, hangs)
		var calling sync.WaitGroup
		for range 100 {
			calling.Go(func() { _, _ = client.Restart(t.Context(), "42", "s") })
		}
		calling.Wait()
		if down, _ := said.take(); len(down) != 1 {
			t.Errorf("told %d times", len(down))
		}
		if n := service.sent(); n != 100 {
			t.Errorf("%d requests, want one for each call and no probe yet", n)
		}
	})
}

func TestCloseEndsProbing(t *testing.T) {
	for name, wait := range map[string]time.Duration{"between two": time.Second / 4, "under way": 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			service, client, said := fickleClient(t, answers(503, ""))
			broken(t, client, service)
			service.becomes(hangs)
			pass(wait)
			client.Close()
			service.sent()
			pass(time.Hour)
			if _, up := said.take(); service.sent() != 0 || len(up) != 0 {
				t.Errorf("%s: it goes on", name)
			}
		})
	}
}

func TestAServiceThatAsksForAPauseGetsIt(t *testing.T) {
	for _, test := range []struct {
		retryAfter string
		held       time.Duration
	}{{"7", 7 * time.Second}, {"3600", 30 * time.Second}, {"", 0}} {
		synctest.Test(t, func(t *testing.T) {
			service, client, said := fickleClient(t, answers(429, test.retryAfter))
			if err := client.Delete(t.Context(), "42", "s"); hostapi.CodeOf(err) != hostapi.CodeRateLimited {
				t.Fatal(err)
			}
			service.becomes(answers(200, ""))
			service.sent()
			if test.held > 0 {
				pass(test.held - time.Second)
				_, err := client.List(t.Context(), "7") // which would be repeated
				var failure *hostapi.Error
				if !errors.As(err, &failure) || failure.Code != hostapi.CodeRateLimited || !failure.NotSent || failure.RetryAfter != time.Second || service.sent() != 0 {
					t.Errorf("%q: %#v", test.retryAfter, err)
				}
				if want := time.Now().Add(time.Second); !client.Health().RetryAt.Equal(want) || !client.Health().DownSince.IsZero() {
					t.Errorf("%q: %+v", test.retryAfter, client.Health())
				}
				pass(time.Second)
			}
			if _, err := client.Restart(t.Context(), "42", "s"); err != nil || service.sent() != 1 {
				t.Errorf("%q: afterwards %v", test.retryAfter, err)
			}
			if down, up := said.take(); len(down)+len(up) != 0 {
				t.Errorf("%q: told down by %v", test.retryAfter, down)
			}
		})
	}
}
