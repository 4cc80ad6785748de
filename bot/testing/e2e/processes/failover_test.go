//go:build integration

package processes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestAFailoverLosesNothing takes the master of a Redis with replicas away while customers
// restart their bots, and others ask for theirs all the time. What Redis confirmed in
// the last second before is lost with the master.
func TestAFailoverLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start func(testing.TB) *redistest.Group
		key   string // whose slot the master holds
		hangs bool   // and is not killed
	}{
		"sentinels":                      {redistest.StartSentinels, "", false},
		"sentinels, hanging":             {redistest.StartSentinels, "", true},
		"cluster, where records are":     {redistest.StartCluster, "{actions}", false},
		"cluster, hanging":               {redistest.StartCluster, "{actions}", true},
		"cluster, where log entries are": {redistest.StartCluster, "{logs}", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n, perSecond = 200, 20
			w, group := newScene(t, time.Second, discordtest.Config{}), test.start(t)
			for range 2 {
				w.start(t, "REDIS_URL="+group.URL())
			}
			asked := w.stream(t, 10, 0)
			who := w.customers("c", n)
			master := group.Master(t, test.key)
			var replies []*discordtest.Reply
			pace := time.NewTicker(time.Second / perSecond)
			defer pace.Stop()
			for i := range who {
				<-pace.C
				switch i {
				case n/3 - perSecond:
					group.Lag(t, master)
				case n / 3:
					asked.mark()
					if test.hangs {
						group.Hang(t, master)
					} else {
						group.Kill(master)
					}
				}
				replies = append(replies, allRestart(t, who[i:i+1])...)
			}
			views := settled(replies)
			wait(func() bool {
				return !slices.ContainsFunc(who, func(c customer) bool { return w.logged(c.bot) == 0 })
			})
			_, unanswered := asked.end(t)
			w.silence(t, 10*time.Second) // by then what Redis took back would have been told again
			failures, twice := make(map[string]int), 0
			for i, c := range who {
				if sent := w.sentOn(c.bot); sent != 1 {
					failures["were not sent once"]++
				}
				if !views[i].Contains("✅ Restarted") || !replies[i].View().Contains("✅ Restarted") {
					failures["were not done, as the customer reads"]++
					t.Logf("%.100q, in the end %.100q", views[i].Text(), replies[i].View().Text())
				}
				switch told := w.logged(c.bot); {
				case told == 0:
					failures["were not logged"]++
				case told > 1: // as Redis has lost that they were delivered
					twice++
				}
			}
			t.Logf("of %d restarts %d were logged more than once", n, twice)
			if unanswered > 0 {
				t.Errorf("%d questions were not answered", unanswered)
			}
			for _, f := range w.discord.Failures() {
				if strings.Contains(f.Reason, "no first response within") {
					failures["or of the questions were not answered within 3 s"]++
				}
			}
			for what, count := range failures {
				t.Errorf("of %d restarts %d %s", n, count, what)
			}
		})
	}
}
