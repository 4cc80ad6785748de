package rest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/discord/rest"
)

// TestRetry: a 429 is waited for as long as it says, and no longer than is allowed.
func TestRetry(t *testing.T) {
	limited := func(wait time.Duration) error {
		return &rest.Error{Status: http.StatusTooManyRequests, RetryAfter: wait}
	}
	other := errors.New("something else")
	for name, test := range map[string]struct {
		answers []error
		within  time.Duration // of the context; 0 for no bound
		asked   int
		took    time.Duration
		want    error
	}{
		"no limit":             {[]error{nil}, 0, 1, 0, nil},
		"another error":        {[]error{other}, 0, 1, 0, other},
		"once":                 {[]error{limited(3 * time.Second), nil}, 0, 2, 3 * time.Second, nil},
		"the longest":          {[]error{limited(10 * time.Second), nil}, 0, 2, 10 * time.Second, nil},
		"too long":             {[]error{limited(time.Minute)}, 0, 1, 0, limited(time.Minute)},
		"too long in all":      {[]error{limited(6 * time.Second), limited(5 * time.Second)}, 0, 2, 6 * time.Second, limited(5 * time.Second)},
		"the context is short": {[]error{limited(3 * time.Second)}, 2 * time.Second, 1, 0, limited(3 * time.Second)},
		"then another error":   {[]error{limited(time.Second), other}, 0, 2, time.Second, other},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if test.within > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.within)
				}
				defer cancel()
				began, asked := time.Now(), 0
				err := rest.Retry(ctx, rest.Retries{Limit: 10 * time.Second, Again: rest.IsLimited}, func(context.Context) error {
					asked++
					return test.answers[asked-1]
				})
				if took := time.Since(began); took != test.took || asked != test.asked {
					t.Errorf("%d calls in %v, want %d in %v", asked, took, test.asked, test.took)
				}
				if (err == nil) != (test.want == nil) || err != nil && err.Error() != test.want.Error() {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestRetryEndsWithItsContext: who gives up does not wait.
func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		err := rest.Retry(ctx, rest.Retries{Limit: 10 * time.Second, Again: rest.IsLimited}, func(context.Context) error {
			return &rest.Error{Status: http.StatusTooManyRequests, RetryAfter: 5 * time.Second}
		})
		if err == nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestRetryPauses: what Discord may take later is sent again after pauses that double, and each
// failure but the last is told.
func TestRetryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var sent []time.Time
		told := 0
		away := &rest.Error{Status: http.StatusServiceUnavailable}
		policy := rest.Retries{First: time.Second, Longest: 4 * time.Second, OnRetry: func(err error) {
			if told++; !errors.Is(err, away) {
				t.Errorf("told of %v", err)
			}
		}}
		err := rest.Retry(ctx, policy, func(context.Context) error {
			sent = append(sent, time.Now())
			return away
		})
		if !errors.Is(err, away) || ctx.Err() != nil || told != len(sent)-1 || len(sent) < 4 {
			t.Fatalf("%v after %d attempts, %d told", err, len(sent), told)
		}
		for i, about := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			if pause := sent[i+1].Sub(sent[i]); pause < about/2 || pause > about*3/2 {
				t.Errorf("pause %d is %v, want about %v", i, pause, about)
			}
		}
	})
}
