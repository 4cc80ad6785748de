package redistest_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is a limit for what takes milliseconds.
const patience = 20 * time.Second

func TestEach(t *testing.T) {
	for range 2 { // the second finds nothing of the first
		redistest.Each(t, func(t *testing.T, url string) {
			client, ctx := connect(t, url)
			if n, err := client.DBSize(ctx).Result(); err != nil || n != 0 {
				t.Fatalf("DBSize() = %d, %v; want an empty Redis", n, err)
			}
			if err := client.Set(ctx, "brief", "x", 20*time.Millisecond).Err(); err != nil {
				t.Fatal(err)
			}
			if err := client.Set(ctx, "lasting", "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, ctx, func() bool { return client.Exists(ctx, "brief").Val() == 0 })
			if got, err := client.Get(ctx, "lasting").Result(); err != nil || got != "x" {
				t.Errorf("Get(lasting) = %q, %v", got, err)
			}
		})
	}
}

func TestEachServer(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		client, ctx := connect(t, server.URL())
		addr := server.Addr()
		if err := client.Set(ctx, "key", "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		server.Stop()
		if err := client.Ping(ctx).Err(); err == nil {
			t.Error("a stopped server answers")
		}
		server.Restart()
		if server.Addr() != addr {
			t.Errorf("the address went from %s to %s", addr, server.Addr())
		}
		waitFor(t, ctx, func() bool { return client.Ping(ctx).Err() == nil })
		if n, err := client.DBSize(ctx).Result(); err != nil || n != 0 {
			t.Errorf("after a restart DBSize() = %d, %v; want an empty Redis", n, err)
		}
		server.Stop()
		server.Stop()
	})
}

func connect(t *testing.T, url string) (*redis.Client, context.Context) {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(func() {
		cancel()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client, ctx
}

// waitFor asks again and again until the answer is yes.
func waitFor(t *testing.T, ctx context.Context, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not happen in time")
		case <-tick.C:
		}
	}
}
