package redistest_test

import (
	"testing"
	"time"

	"hostbot/hostapi/redistest"
)

func TestGroupFailsOver(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *redistest.Group{"sentinels": redistest.StartSentinels, "cluster": redistest.StartCluster} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			group := start(t)
			t.Logf("started within %v", time.Since(began))
			before := group.Master(t, "key")
			group.Kill(before)
			began = time.Now()
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for late := time.After(20 * time.Second); group.Master(t, "key") == before; {
				select {
				case <-tick.C:
				case <-late:
					t.Fatal("no other server took the master's place")
				}
			}
			t.Logf("another master is there after %v", time.Since(began))
		})
	}
}
