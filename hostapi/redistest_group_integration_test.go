//go:build integration

package hostapi_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/redistest"
)

func TestGroupFailsOver(t *testing.T) {
	for name, kind := range map[string]struct {
		start    func(testing.TB) *redistest.Group
		replicas int // of each master: any of them may take its place
	}{
		"sentinels": {redistest.StartSentinels, 2},
		"cluster":   {redistest.StartCluster, 1},
	} {
		t.Run(name, func(t *testing.T) {
			group := kind.start(t)
			before := group.Master(t, "{a}1")
			client := redistest.Connect(t, "redis://"+before)
			if err := client.Set(t.Context(), "{a}1", "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if n, err := client.(*redis.Client).Wait(t.Context(), kind.replicas, 2*time.Minute).Result(); n < int64(kind.replicas) {
				t.Fatalf("%d replicas have the key, want %d; error %v", n, kind.replicas, err)
			}
			group.Lag(t, before)
			if err := client.Set(t.Context(), "{a}2", "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			group.Kill(before)
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for late := time.After(2 * time.Minute); group.Master(t, "{a}1") == before; {
				select {
				case <-tick.C:
				case <-late:
					t.Fatal("no other server took the master's place")
				}
			}
			client = redistest.Connect(t, "redis://"+group.Master(t, "{a}1"))
			for key, want := range map[string]int64{"{a}1": 1, "{a}2": 0} {
				if n, err := client.Exists(t.Context(), key).Result(); n != want || err != nil {
					t.Errorf("key %s is there %d times, want %d; error %v", key, n, want, err)
				}
			}
		})
	}
}
