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

// WithCluster runs a package's tests beside a Cluster of three masters, on which Each
// runs them as well. One after the other uses it, so none that calls Each may be
// parallel.
// Where there is no redis-server, there is no Cluster.
func WithCluster(m *testing.M) Tests { return Tests{m} }

// Tests are those of a package.
type Tests struct{ m *testing.M }

// Run runs them, and returns the status with which the process should end.
func (r Tests) Run() (status int) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return r.m.Run()
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
