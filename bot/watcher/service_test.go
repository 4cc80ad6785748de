package watcher_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// looker is a service of a test's own.
type looker func(ctx context.Context, userID string) (accounts.Snapshot, error)

func (l looker) Look(ctx context.Context, userID string) (accounts.Snapshot, error) {
	return l(ctx, userID)
}

// until waits until something is so.
func until(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(30 * time.Second); !isSo(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("waited in vain until ", what)
		}
	}
}

// TestLookIsOneRequest has the bot's own client look at accounts of a service that wants
// to be left alone: the watcher learns of that from the first answer.
func TestLookIsOneRequest(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer server.Close()
		client, err := hostapi.New(hostapi.Config{
			BaseURL: server.URL, Secret: "secret", Timeout: 5 * time.Second,
			Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		cache := accounts.New(accounts.Config{
			Redis: connect(t, url), Source: client, TTL: time.Second, MaxStale: time.Hour, Patience: 30 * time.Second, OnGarbage: func(err error) { t.Error(err) },
		})
		defer cache.Close()
		w, kill := start(t, url, nil, nil, func(c *watcher.Config) { c.Accounts, c.Interval = cache, 20*time.Second })
		defer kill()
		watch(t, w, "1")
		until(t, "a look has failed", func() bool { return w.Status().Failed == 1 })
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests were sent", n)
		}
		until(t, "it is reported for how long the account has been due", func() bool { return w.Status().Lag > 500*time.Millisecond })
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests were sent while the service had asked for none", n)
		}
	})
}
