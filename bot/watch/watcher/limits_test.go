package watcher_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// TestLimitedAccountWaitsAlone has the service answer 429 to one account of two.
func TestLimitedAccountWaitsAlone(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var wait time.Duration
		s := newService()
		limited := looker(func(ctx context.Context, userID string) (accounts.Snapshot, error) {
			if userID == "limited" {
				return accounts.Snapshot{}, &hostapi.Error{Code: hostapi.CodeRateLimited, RetryAfter: wait}
			}
			return s.Look(ctx, userID)
		})
		w, look := still(t, url, limited, time.Hour, 100)
		for _, userID := range []string{"limited", "other"} {
			watch(t, w, userID)
			look(userID)
		}
		turn := look("limited")
		for _, test := range []struct{ says, waits time.Duration }{ // 0: until its next turn
			{0, 0}, {time.Millisecond, 0}, {90 * time.Minute, 90 * time.Minute}, {10 * time.Hour, 2 * time.Hour},
		} {
			wait = test.says
			before, looks := time.Now().Truncate(time.Millisecond), len(s.of("other"))
			due := time.UnixMilli(look("limited"))
			after := time.Now()
			switch {
			case test.waits > 0 && (due.Before(before.Add(test.waits)) || due.After(after.Add(test.waits))):
				t.Errorf("the service says %v: it is due in %v", test.says, due.Sub(after))
			case test.waits == 0 && (due.UnixMilli()-turn)%time.Hour.Milliseconds() != 0:
				t.Errorf("the service says %v: it is due out of turn", test.says)
			}
			look("other")
			if len(s.of("other")) != looks+1 || !w.Work().Admit() {
				t.Errorf("the service says %v: another account waits", test.says)
			}
		}
	})
}

// TestLimitsAreToldOnceByEachProcess: of some accounts, of all, and that they are over.
func TestLimitsAreToldOnceByEachProcess(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newService()
		var mu sync.Mutex
		var heard []string
		hear := func(c *watcher.Config) {
			c.OnLimits = func(before, now watcher.Limits) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, fmt.Sprint(now.Accounts, " ", now.All, " ", now.Since.IsZero(), " ", before.Since.IsZero()))
			}
		}
		w, look := still(t, url, s, time.Hour, 100, hear)
		other, _ := still(t, url, s, time.Hour, 100, hear)
		refresh := func() {
			t.Helper()
			for _, w := range []*watcher.Watcher{w, other, w} {
				if err := w.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(what string, status watcher.Limits) {
			t.Helper()
			refresh()
			if len(heard) != 2 || heard[0] != what || heard[1] != what {
				t.Errorf("heard %q, want twice %q", heard, what)
			}
			if got := other.Status().Limits; got.Accounts != status.Accounts || got.All != status.All {
				t.Errorf("another process shows %+v, want %+v", got, status)
			}
			heard = nil
		}
		for _, userID := range []string{"1", "2", "3"} {
			watch(t, w, userID)
			look(userID)
		}
		s.set(func(s *service) { s.err = &hostapi.Error{Code: hostapi.CodeRateLimited, RetryAfter: 10 * time.Hour} })
		look("1")
		want("1 false false true", watcher.Limits{Accounts: 1})
		look("1")
		look("2")
		want("2 true false false", watcher.Limits{Accounts: 2, All: true})
		look("3")
		refresh()
		if len(heard) > 0 {
			t.Errorf("heard again: %q", heard)
		}
		client := redistest.Connect(t, url)
		const key = "hostbot:{watch}:limited"
		if left := client.PTTL(t.Context(), key).Val(); left <= 4*time.Hour || left > 5*time.Hour {
			t.Errorf("it is over in %v", left)
		}
		client.Del(t.Context(), key) // that time goes by
		want("0 false true false", watcher.Limits{})
	})
}
