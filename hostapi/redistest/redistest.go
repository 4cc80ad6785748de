// Package redistest runs a test on every kind of Redis that the program meets: miniredis, which
// is always there, and with the build tag "integration" a real redis-server, alone, as a Cluster or
// behind Sentinels. With the tag, a test that finds no redis-server in PATH fails.
package redistest

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
)

// Dialing has goleak ignore a goroutine of go-redis's that notices within a second that
// its client was closed.
func Dialing() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial")
}

// Each runs a test on miniredis and, with the build tag, on a real Redis and, where the package's
// tests run by way of WithCluster, on a Cluster, as the subtests "miniredis", "redis" and "cluster".
// The Redis is empty. TTLs run with the machine's clock on all of them. The first two run
// side by side, once the test's own function has returned: they mostly wait.
func Each(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	EachServer(t, func(t *testing.T, server *Server) { run(t, server.URL()) })
	eachCluster(t, run)
}

// EachServer is Each for tests in which the Redis goes away and comes back. None of
// them is a Cluster.
func EachServer(t *testing.T, run func(t *testing.T, server *Server)) {
	t.Helper()
	for name, start := range servers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, start(t))
		})
	}
}

// WithCluster runs a package's tests, with the build tag beside a Cluster of three masters, on
// which Each runs them as well. One after the other uses it, so none that calls Each may be
// parallel but by Parallel.
func WithCluster(m *testing.M) Tests { return Tests{m} }

// Tests are those of a package.
type Tests struct{ m *testing.M }

// patience is how long a client waits for a Redis that is there.
const patience = time.Minute

// Connect returns a client of the Redis at a URL. Like the program's it heeds the
// deadlines of contexts; unlike the program's it sends nothing again, and it has
// no limits of its own: a test under the race detector on a busy machine takes seconds.
func Connect(t testing.TB, address string) redis.UniversalClient {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: append([]string{u.Host}, u.Query()["addr"]...), MasterName: u.Query().Get("master_name"),
		ContextTimeoutEnabled: true, MaxRetries: -1, DialerRetries: 1, Protocol: 2, PipelinePoolSize: -1,
		DialTimeout: patience, ReadTimeout: patience, WriteTimeout: patience, PoolTimeout: patience,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Keys returns the keys of a pattern, whichever server of a Cluster holds them.
func Keys(ctx context.Context, client redis.UniversalClient, pattern string) ([]string, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return client.Keys(ctx, pattern).Result()
	}
	var mu sync.Mutex
	var all []string
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error {
		keys, err := c.Keys(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		all = slices.Concat(all, keys)
		return err
	})
	return all, err
}
