//go:build integration

package processes_test

import (
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestAFailoverSendsNothingTwice takes the master of a Redis behind Sentinels away while customers restart
// their bots. What Redis confirmed in the last second before is lost with the master. Each customer reads
// how the restart ended, and the service is sent none twice; lines of log of that second may be missing.
func TestAFailoverSendsNothingTwice(t *testing.T) {
	t.Parallel()
	const n, perSecond = 200, 20
	w, group := newScene(t, time.Second, discordtest.Config{}), redistest.StartSentinels(t)
	for range 2 {
		w.start(t, "REDIS_URL="+group.URL())
	}
	who := w.customers("c", n)
	master := group.Master(t, "")
	var replies []*discordtest.Reply
	pace := time.NewTicker(time.Second / perSecond)
	defer pace.Stop()
	for i := range who {
		<-pace.C
		switch i {
		case n/3 - perSecond:
			group.Lag(t, master)
		case n / 3:
			group.Kill(master)
		}
		replies = append(replies, allRestart(t, who[i:i+1])...)
	}
	settled(replies)
	w.silence(t, 10*time.Second) // by then what Redis took back would have been told again
	failures := make(map[string]int)
	for i, c := range who {
		if w.sentOn(c.bot) > 1 {
			failures["were sent twice"]++
		}
		if v := replies[i].View(); !isSettled(v) {
			failures["have no end that the customer reads"]++
			t.Logf("%v %.100q", v.State, v.Text())
		}
	}
	for what, count := range failures {
		t.Errorf("of %d restarts %d %s", n, count, what)
	}
}
