//go:build integration

package redistest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/redis/go-redis/v9"
)

// clusterVariable is the variable by which the tests of a package know their Cluster.
const clusterVariable = "REDISTEST_CLUSTER"

// servers are the kinds of a single Redis, by the names of their subtests.
func servers() map[string]func(testing.TB) *Server {
	return map[string]func(testing.TB) *Server{"miniredis": StartMiniredis, "redis": StartRedis}
}

// Run runs the tests beside a Cluster, and returns the status with which the process should end.
func (r Tests) Run() (status int) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "redistest")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		var g *Group
		if err = attempt(func() (err error) { g, err = startCluster(path, dir, masters); return err }); err == nil {
			defer g.close()
			err = os.Setenv(clusterVariable, g.url)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return r.m.Run()
}

// Parallel has a test that calls Each run beside others, unless the package's tests have a Cluster
// to share.
func Parallel(t *testing.T) {
	t.Helper()
	if os.Getenv(clusterVariable) == "" {
		t.Parallel()
	}
}

// eachCluster runs a test on the package's Cluster, if it has one, as the subtest "cluster".
func eachCluster(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	address := os.Getenv(clusterVariable)
	if address == "" {
		return
	}
	t.Run("cluster", func(t *testing.T) {
		emptyCluster(t, address)
		run(t, address)
	})
}

// emptyCluster waits until the Cluster serves, and takes away what an earlier test
// left there.
func emptyCluster(t *testing.T, address string) {
	t.Helper()
	client, ok := Connect(t, address).(*redis.ClusterClient)
	if !ok {
		t.Fatalf("%s is not that of a Cluster", address)
	}
	if err := (&Group{seeds: client.Options().Addrs}).awaitCluster(); err != nil {
		t.Fatal(err)
	}
	err := client.ForEachMaster(t.Context(), func(ctx context.Context, c *redis.Client) error { return c.FlushAll(ctx).Err() })
	if err != nil {
		t.Fatal(err)
	}
}
