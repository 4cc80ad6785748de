package rest_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/discord/rest"
)

// TestOnBack has Discord answer again after it did not.
func TestOnBack(t *testing.T) {
	const away, limited, fine = http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusOK
	for name, test := range map[string]struct {
		answers []int
		pause   time.Duration // between two of them
		want    int32
	}{
		"never away":          {[]int{fine, fine}, 3 * time.Second, 0},
		"one is lost":         {[]int{fine, away, fine}, 100 * time.Millisecond, 0},
		"away for long":       {[]int{away, away, away, fine, fine}, 1100 * time.Millisecond, 1},
		"then it limits":      {[]int{away, away, away, limited, limited}, 1100 * time.Millisecond, 0},
		"and takes again":     {[]int{away, away, away, limited, fine}, 1100 * time.Millisecond, 1},
		"it refuses":          {[]int{away, away, away, http.StatusNotFound}, 1100 * time.Millisecond, 1},
		"only one asks":       {[]int{away, fine}, 2200 * time.Millisecond, 0},
		"away a second time":  {[]int{away, away, away, fine, away, away, away, fine}, 1100 * time.Millisecond, 2},
		"away now and then":   {[]int{away, fine, away, fine, away, fine, away, fine}, 400 * time.Millisecond, 0},
		"away, and not again": {[]int{away, away, away}, 1100 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked, back atomic.Int32
				client := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
					answer(test.answers[asked.Add(1)-1], `{"retry_after":0.001}`)(w, r)
				})
				defer client.OnBack(func() { back.Add(1) })()
				for i := range test.answers {
					if i > 0 {
						<-time.After(test.pause) // of the bubble's time
					}
					_ = client.Get(t.Context(), "interactions/1", nil)
				}
				<-time.After(time.Second)
				if synctest.Wait(); back.Load() != test.want {
					t.Errorf("told %d times, want %d", back.Load(), test.want)
				}
			})
		})
	}
}

// TestRetryIsWoken: an answer of Discord's ends a pause, but for one that Discord has asked for.
func TestRetryIsWoken(t *testing.T) {
	away := &rest.Error{Status: http.StatusServiceUnavailable}
	for name, test := range map[string]struct {
		failure     error
		least, most time.Duration
	}{
		"Discord was away":      {away, 20 * time.Second, 21 * time.Second},
		"Discord asked to wait": {&rest.Error{Status: http.StatusTooManyRequests, RetryAfter: time.Hour}, time.Hour, 90 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var wake atomic.Pointer[func()]
				stopped := 0
				r := rest.Retries{First: time.Hour, Longest: time.Hour, Again: func(error) bool { return true }, OnBack: func(f func()) func() {
					wake.Store(&f)
					return func() { stopped++ }
				}}
				time.AfterFunc(20*time.Second, func() { (*wake.Load())() })
				began, asked := time.Now(), 0
				err := rest.Retry(t.Context(), r, func(context.Context) error {
					if asked++; asked == 1 {
						return test.failure
					}
					return nil
				})
				if took := time.Since(began); err != nil || asked != 2 || took < test.least || took > test.most {
					t.Errorf("%v after %d attempts in %v", err, asked, took)
				}
				if stopped == 0 {
					t.Error("it is still told of answers")
				}
			})
		})
	}
}

// TestRetryIsNotWokenPastItsLimit: who is woken again and again gives up as well.
func TestRetryIsNotWokenPastItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wake atomic.Pointer[func()]
		ticks := time.NewTicker(2 * time.Second)
		ended := make(chan struct{})
		go func() {
			for {
				select {
				case <-ticks.C:
					(*wake.Load())()
				case <-ended:
					return
				}
			}
		}()
		r := rest.Retries{First: 4 * time.Second, Limit: 30 * time.Second, OnBack: func(f func()) func() { wake.Store(&f); return func() {} }}
		began := time.Now()
		err := rest.Retry(t.Context(), r, func(context.Context) error { return &rest.Error{Status: http.StatusServiceUnavailable} })
		if took := time.Since(began); err == nil || took > 30*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		close(ended)
	})
}
