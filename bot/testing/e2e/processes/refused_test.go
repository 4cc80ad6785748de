//go:build integration

package processes_test

import (
	"slices"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestARedisThatRefusesWritesHasNothingToldTwice has Redis refuse writes for a while, as one does
// that has lost its replicas (min-replicas-to-write), while customers restart their bots. Some
// actions end in that moment: what the process wrote of them may or may not be in Redis.
func TestARedisThatRefusesWritesHasNothingToldTwice(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it takes a minute, of which most is waiting
	}
	t.Parallel()
	const n, perSecond, refuses = 200, 20, 15 * time.Second
	w := newScene(t, time.Second, discordtest.Config{})
	for range 2 {
		w.start(t)
	}
	who := w.customers("c", n)
	var replies []*discordtest.Reply
	pace := time.NewTicker(time.Second / perSecond)
	defer pace.Stop()
	over := make(<-chan time.Time)
	for i := range who {
		<-pace.C
		if i == n/3 {
			w.order(t, "CONFIG SET min-replicas-to-write 1")
			over = time.After(refuses)
		}
		replies = append(replies, allRestart(t, who[i:i+1])...)
	}
	<-over
	w.order(t, "CONFIG SET min-replicas-to-write 0")
	views := settled(replies)
	wait(func() bool {
		return !slices.ContainsFunc(who, func(c customer) bool { return w.logged(c.bot) == 0 })
	})
	w.silence(t, 10*time.Second) // by then what Redis took back would have been told again
	failures := make(map[string]int)
	for i, c := range who {
		if w.sentOn(c.bot) != 1 {
			failures["were not sent once"]++
		}
		if !views[i].Contains("✅ Restarted") {
			failures["were not done, as the customer reads"]++
			t.Logf("%.100q", views[i].Text())
		}
		switch told := w.logged(c.bot); {
		case told == 0:
			failures["were not logged"]++
		case told > 1:
			failures["were logged more than once"]++
		}
	}
	for what, count := range failures {
		t.Errorf("of %d restarts %d %s", n, count, what)
	}
}
