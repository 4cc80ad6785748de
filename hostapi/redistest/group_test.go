package redistest_test

import (
	"testing"
	"time"

	"hostbot/hostapi/redistest"
)

func TestGroupFailsOver(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *redistest.Group{"sentinels": redistest.StartSentinels, "cluster": redistest.StartCluster} {
		t.Run(name, func(t *testing.T) {
			group := start(t)
			before := group.Master(t, "{a}1")
			client := redistest.Connect(t, "redis://"+before)
			if err := client.Set(t.Context(), "{a}1", "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if n, _ := client.Do(t.Context(), "WAIT", 1, 3000).Int(); n == 0 {
				t.Fatal("there is no replica")
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
