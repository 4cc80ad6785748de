package hostapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
)

func TestAttempts(t *testing.T) {
	list := func(ctx context.Context, c *hostapi.Client) error { _, err := c.List(ctx, "42"); return err }
	restart := func(ctx context.Context, c *hostapi.Client) error { _, err := c.Restart(ctx, "42", "s"); return err }
	get := func(ctx context.Context, c *hostapi.Client) error { _, err := c.Get(ctx, "42", "s"); return err }
	remove := func(ctx context.Context, c *hostapi.Client) error { return c.Delete(ctx, "42", "s") }
	answer := func(status int, retryAfter string) step { return answers(status, "", retryAfter) }
	for _, test := range []struct {
		name      string
		call      func(context.Context, *hostapi.Client) error
		steps     []step
		deadline  time.Duration // 0: none
		attempts  int
		code      hostapi.Code
		uncertain bool
	}{
		{"a read is repeated after 503", list, []step{answer(503, ""), works}, 0, 2, "", false},
		{"a read is repeated after a broken connection", list, []step{breaksOff, breaksOff, works}, 0, 3, "", false},
		{"a read is given up", list, []step{answer(500, "")}, 0, 3, hostapi.CodeUnavailable, false},
		{"a read is not repeated after 404", list, []step{answer(404, "")}, 0, 1, hostapi.CodeNotFound, false},
		{"nor after a page that says so where a service may have no such read", get, []step{page()}, 0, 1, hostapi.CodeNotFound, false},
		{"a read is not repeated after 501", list, []step{answer(501, "")}, 0, 1, hostapi.CodeInternal, false},
		{"a read is not repeated after nonsense", list, []step{answer(200, "")}, 0, 1, hostapi.CodeMalformed, false},
		{"a read is repeated after 429", list, []step{answer(429, "2"), works}, 5 * time.Second, 2, "", false},
		{"not where the wait does not fit the deadline", list, []step{answer(429, "10")}, 5 * time.Second, 1, hostapi.CodeRateLimited, false},
		{"nor where the wait fits, and the spread does not", list, []step{answer(429, "2"), works}, 2 * time.Second, 1, hostapi.CodeRateLimited, false},
		{"not where the wait is endless", list, []step{answer(503, "3600")}, 0, 1, hostapi.CodeUnavailable, false},
		{"a read that hangs is repeated", list, []step{hangs, works}, 0, 2, "", false},
		{"a read that hangs ends with its deadline", list, []step{hangs}, 5 * time.Second, 1, hostapi.CodeUnavailable, false},
		{"an action is repeated where there is no connection", restart, []step{refuses, refuses, works}, 0, 3, "", false},
		{"an action is given up where there is no connection", restart, []step{refuses}, 0, 3, hostapi.CodeUnavailable, false},
		{"an action is not repeated after a broken connection", restart, []step{breaksOff}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor after 503", restart, []step{answer(503, "1")}, 0, 1, hostapi.CodeUnavailable, true},
		{"but after 429, as the service says", remove, []step{answer(429, "1"), works}, 0, 2, "", false},
		{"not where it does not say when", remove, []step{answer(429, "")}, 0, 1, hostapi.CodeRateLimited, false},
		{"nor where that is too late", remove, []step{answer(429, "11")}, 0, 1, hostapi.CodeRateLimited, false},
		{"nor after 502", remove, []step{answer(502, "")}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor where it hangs", restart, []step{hangs}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor where its deadline ends", restart, []step{hangs}, time.Second, 1, hostapi.CodeUnavailable, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: test.steps}
				client := newClient(t, "https://hosting.example", s.with)
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				err := test.call(ctx, client)
				if hostapi.CodeOf(err) != test.code || hostapi.IsUncertain(err) != test.uncertain {
					t.Errorf("%v, uncertain %v; want %q, %v", err, hostapi.IsUncertain(err), test.code, test.uncertain)
				}
				if n := s.sent(); n != test.attempts {
					t.Errorf("%d attempts, want %d", n, test.attempts)
				}
			})
		})
	}
}

func TestOnceIsOneAttempt(t *testing.T) {
	for name, failure := range map[string]step{"429": answers(429, "", "2"), "503": answers(503, "", ""), "broken": breaksOff} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: []step{failure, works}}
				client := newClient(t, "https://hosting.example", s.with)
				began := time.Now()
				_, err := client.List(hostapi.Once(t.Context()), "42")
				if e := asError(t, err); e.Attempts != 1 || s.sent() != 1 || time.Since(began) != 0 {
					t.Errorf("%v after %v and %d attempts", err, time.Since(began), e.Attempts)
				}
			})
		})
	}
}

func TestPausesBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{answers(503, "", ""), answers(429, "", "7"), works}}
		if _, err := newClient(t, "https://hosting.example", s.with).List(t.Context(), "42"); err != nil {
			t.Fatal(err)
		}
		if first := s.times[1].Sub(s.times[0]); first < 50*time.Millisecond || first > 150*time.Millisecond {
			t.Errorf("the first pause is %v", first)
		}
		if second := s.times[2].Sub(s.times[1]); second < 7*time.Second || second > 8*time.Second {
			t.Errorf("the second pause is %v, and the service asked for 7s", second)
		}
	})
}

func TestTimeoutBoundsARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{hangs}}
		client := newClient(t, "https://hosting.example", s.with, func(c *hostapi.Config) { c.Timeout = 3 * time.Second })
		started := time.Now()
		err := client.Reinstall(t.Context(), "42", "s")
		if took := time.Since(started); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if hostapi.CodeOf(err) != hostapi.CodeUnavailable || !strings.Contains(err.Error(), "no answer within 3s") {
			t.Error(err)
		}
	})
}

func TestCanceledCallsEnd(t *testing.T) {
	for name, uncertain := range map[string]bool{"under way": true, "between two attempts": false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s := &script{steps: []step{func(r *http.Request) (*http.Response, error) {
				if !uncertain {
					time.AfterFunc(time.Millisecond, cancel)
					return refuses(r)
				}
				cancel()
				return hangs(r)
			}}}
			client := newClient(t, "https://hosting.example", s.with)
			_, err := client.Restart(ctx, "42", "s")
			if n := s.sent(); hostapi.CodeOf(err) != hostapi.CodeCanceled || hostapi.IsUncertain(err) != uncertain || n != 1 {
				t.Errorf("%s: %v, uncertain %v, %d attempts", name, err, hostapi.IsUncertain(err), n)
			}
			if _, err := client.Restart(ctx, "42", "s"); hostapi.IsUncertain(err) || asError(t, err).Attempts != 0 || s.sent() != 0 {
				t.Errorf("%s: sent although it was canceled before: %v", name, err)
			}
		})
	}
}
