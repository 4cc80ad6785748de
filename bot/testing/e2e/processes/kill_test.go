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
// on a restart, or on four of six that were asked for together. Another one is there then,
// or comes.
func TestWhatAKilledReplicaBeganIsKnown(t *testing.T) {
	t.Parallel()
	const atOnce = 4 // of those that are asked for together
	for name, test := range map[string]struct {
		bots    int
		isThere bool
		reads   string
	}{
		"another one comes": {1, false, "don't know yet whether"}, "another one is there": {1, true, "don't know yet whether"},
		"several bots": {6, true, "This was interrupted before it finished"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, time.Minute, discordtest.Config{})
			first := w.start(t, "HOSTAPI_TIMEOUT=2m") // or it ends by itself where the machine is slow
			if test.isThere {
				w.start(t)
			}
			who := w.customers("anna", 1)
			bots, sent := []string{who[0].bot}, min(test.bots, atOnce)
			var reply *discordtest.Reply
			if test.bots == 1 {
				reply = allRestart(t, who)[0]
			} else {
				bots = append(bots, w.more(who[0], test.bots-1)...)
				reply = restartChosen(t, who[0], test.bots-1)
			}
			reply.WaitFor(t, "Restarting ")
			w.service.WaitFor(t, hostapitest.OpRestart, sent)
			first.kill()
			if !test.isThere {
				w.start(t)
			}
			unknown := func(bot string) bool { return w.logged(bot) == 0 }
			known := func() bool { return !slices.ContainsFunc(bots, unknown) && reply.View().Contains(test.reads) }
			eventually(t, "staff and the customer know of each restart", known)
			if read := texts(w.actions); strings.Count(read, "Not confirmed · the process running it crashed") < sent {
				t.Errorf("staff do not read that %d are not confirmed, and why: %q", sent, read)
			}
			for _, bot := range bots {
				if n := w.sentOn(bot); n > 1 {
					t.Errorf("the service was sent %s %d times", bot, n)
				}
			}
			if n := w.service.Count(hostapitest.OpRestart); n != sent {
				t.Errorf("the service was sent %d restarts, not %d", n, sent)
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
