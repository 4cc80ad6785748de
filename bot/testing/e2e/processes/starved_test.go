//go:build integration

package processes_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/testclock"
)

// otherClock is a clock that is wrong by some time.
type otherClock struct {
	testclock.Real
	by time.Duration
}

func (c otherClock) Now() time.Time { return c.Real.Now().Add(c.by) }

// TestAStarvedProcessShows stops a process for a while, in which interactions wait to be read, as one is
// whose container has used up its time on the processor. Its first responses are late by that, and
// by nothing else: Discord's clock, which makes the IDs, may be another than the process's.
func TestAStarvedProcessShows(t *testing.T) {
	t.Parallel()
	const n, starved = 10, 2300 * time.Millisecond
	for name, by := range map[string]time.Duration{"same clock": 0, "ours is behind": 10 * time.Second, "ours is ahead": -10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{Clock: otherClock{by: by}})
			r := w.start(t)
			ask := func(who []customer) (wait func()) {
				var replies []*discordtest.Reply
				for _, c := range who {
					reply, err := c.Start("/bot list", nil)
					if err != nil {
						t.Fatal(err)
					}
					replies = append(replies, reply)
				}
				return func() { settled(replies) }
			}
			ask(w.customers("before", n))()
			before, all := r.later(t, n)
			if before > n/2 { // a few are on a machine that is busy
				t.Errorf("%d of %d first responses took more than 2 s before anything happened", before, all)
			}
			_ = r.cmd.Process.Signal(syscall.SIGSTOP)
			wait := ask(w.customers("during", n))
			<-time.After(starved)
			_ = r.cmd.Process.Signal(syscall.SIGCONT)
			wait()
			during, all := r.later(t, 2*n)
			if during -= before; during < n*8/10 {
				t.Errorf("%d of %d first responses took more than 2 s while it was stopped, want %d", during, all, n)
			}
			ask(w.customers("after", n))()
			if after, all := r.later(t, 3*n); after-during-before > n/2 {
				t.Errorf("%d of %d first responses took more than 2 s afterwards", after-during-before, all)
			}
		})
	}
}

// later returns how many first responses of a replica took more than 2 s, once there are so many in
// all.
func (r *replica) later(t *testing.T, of int) (late, all int) {
	t.Helper()
	const series = "hostbot_first_response_seconds"
	eventually(t, "the replica has counted its answers", func() bool { return r.figure(series+"_count", "") >= of })
	all = r.figure(series+"_count", "")
	_, page := r.get("/metrics")
	if !strings.Contains(page, `le="2"`) {
		t.Fatal("there is no bucket for 2 s")
	}
	return all - r.figure(series+"_bucket", `le="2"`), all
}
