//go:build integration

package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

// A server that took the place of another is used soon after, also where nothing
// but silence or a refused connection tells of it.
func TestFailover(t *testing.T) {
	for name, test := range map[string]struct {
		start func(testing.TB) *redistest.Group
		fail  func(t *testing.T, g *redistest.Group, master string)
	}{
		"sentinels, killed": {redistest.StartSentinels, kill},
		"sentinels, hangs":  {redistest.StartSentinels, hang},
		"sentinels, a host": {redistest.StartSentinels, hangWithSentinel},
		"cluster, killed":   {redistest.StartCluster, kill},
		"cluster, hangs":    {redistest.StartCluster, hang},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group := test.start(t)
			client := open(t, group.URL()).Client
			if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
			before := group.Master(t, "key")
			test.fail(t, group, before)
			failed, longest := time.Now(), time.Duration(0)
			use := func() bool {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err := client.Set(ctx, "key", "value", 0).Err()
				longest = max(longest, time.Since(began))
				return err == nil
			}
			patience.Until(t, "another server is the master", func() bool { use(); return group.Master(t, "key") != before })
			t.Logf("another server is the master after %v", time.Since(failed))
			promoted := time.Now()
			patience.Until(t, "it is used", use)
			if took := time.Since(promoted); took > 5*time.Second || longest > 3*time.Second {
				t.Errorf("it is used after %v; a command took %v", took, longest)
			} else {
				t.Logf("it is used after %v; a command took %v", took, longest)
			}
		})
	}
}

func kill(_ *testing.T, g *redistest.Group, master string) { g.Kill(master) }

func hang(t *testing.T, g *redistest.Group, master string) { t.Helper(); g.Hang(t, master) }

// hangWithSentinel has the Sentinel hang as well that the client listens to.
func hangWithSentinel(t *testing.T, g *redistest.Group, master string) {
	t.Helper()
	hung := 0
	for _, addr := range g.Seeds() {
		sentinel := redistest.Connect(t, "redis://"+addr)
		if strings.Contains(sentinel.Do(t.Context(), "CLIENT", "LIST").String(), "sub=2 psub=0") {
			g.Hang(t, addr)
			hung++
		}
	}
	if hung != 1 {
		t.Fatalf("the client listens to %d Sentinels", hung)
	}
	g.Hang(t, master)
}
