//go:build integration

package processes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestWhatAKilledReplicaBeganIsKnown kills the replica while the service works
// on a restart. Another one is there then, or comes.
func TestWhatAKilledReplicaBeganIsKnown(t *testing.T) {
	t.Parallel()
	for name, isThere := range map[string]bool{"another one comes": false, "another one is there": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, time.Minute, discordtest.Config{})
			first := w.start(t, "HOSTAPI_TIMEOUT=2m") // or it ends by itself where the machine is slow
			if isThere {
				w.start(t)
			}
			who := w.customers("anna", 1)
			anna, card := who[0], allRestart(t, who)[0]
			card.WaitFor(t, "Restarting **")
			w.service.WaitFor(t, hostapitest.OpRestart, 1)
			first.kill()
			if !isThere {
				w.start(t)
			}
			known := func() bool { return w.logged(anna.bot) > 0 && isSettled(card.View()) }
			eventually(t, "staff and the customer know of the restart", known)
			if read := texts(w.actions); !strings.Contains(read, "Not confirmed · the process running it crashed") {
				t.Errorf("staff do not read that it is not confirmed, and why: %q", read)
			}
			if v := card.View(); !v.Contains("don't know yet whether") {
				t.Errorf("the customer reads: %.150q", v.Text())
			}
			if sent := w.sentOn(anna.bot); sent != 1 {
				t.Errorf("the service was sent it %d times", sent)
			}
		})
	}
}

// TestManyKillsLeaveNothingUnsaid replaces replicas by kill -9 while customers
// restart their bots all the time. The replicas run side by side, as each has another
// number of shards.
func TestManyKillsLeaveNothingUnsaid(t *testing.T) {
	t.Parallel()
	const kills, each = 6, 12
	w := newScene(t, time.Second, discordtest.Config{})
	var replicas []*replica
	startNext := func() {
		replicas = append(replicas, w.start(t, fmt.Sprint("DISCORD_SHARDS=", len(replicas)%3+1)))
		w.waitServing(t, replicas[len(replicas)-1])
	}
	for range 3 {
		startNext()
	}
	var all []customer
	var replies []*discordtest.Reply
	for i := range kills {
		who, sent := w.customers(fmt.Sprintf("round%d-", i), each), w.service.Count(hostapitest.OpRestart)
		all, replies = append(all, who...), append(replies, allRestart(t, who)...)
		w.service.WaitFor(t, hostapitest.OpRestart, sent+each/2)
		replicas[i].kill()
		startNext()
	}
	views := settled(replies)
	wait(func() bool {
		return !slices.ContainsFunc(all, func(c customer) bool { return w.sentOn(c.bot) > 0 && w.logged(c.bot) == 0 })
	})
	failures := make(map[string]int)
	for i, c := range all {
		sent, v := w.sentOn(c.bot), views[i]
		if sent > 0 && w.logged(c.bot) == 0 {
			failures["were not logged"]++
		}
		if sent > 1 {
			failures["were sent twice"]++
		}
		if sent > 0 && !isSettled(v) {
			failures["have no end that the customer reads"]++
		}
		if sent == 0 && v.Contains("✅") || sent > 0 && v.Contains("couldn't be restarted") {
			failures["did not end as the customer reads"]++
		}
	}
	for what, n := range failures {
		t.Errorf("of %d restarts under %d kills %d %s", len(all), kills, n, what)
	}
}
