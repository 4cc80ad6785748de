//go:build integration

package store_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/redistest"
)

// TestMemoryUsed has one server have a limit, of a Cluster one of its masters.
func TestMemoryUsed(t *testing.T) {
	for name, url := range map[string]string{"one server": redistest.StartRedis(t).URL(), "a Cluster": redistest.StartCluster(t).URL()} {
		conn := open(t, url)
		used := func() float64 {
			share, err := conn.MemoryUsed(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return share
		}
		if share := used(); share != 0 {
			t.Errorf("%s, without a limit: %v", name, share)
		}
		one := conn.Client
		if cluster, ok := conn.Client.(*redis.ClusterClient); ok {
			master, err := cluster.MasterForKey(t.Context(), "key")
			if err != nil {
				t.Fatal(err)
			}
			one = master
		}
		if err := one.ConfigSet(t.Context(), "maxmemory", "100mb").Err(); err != nil {
			t.Fatal(err)
		}
		if share := used(); share < 0.001 || share > 0.2 {
			t.Errorf("%s, with a limit that is far: %v", name, share)
		}
	}
}
