package processes_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// takeover is within what time another process finishes what a killed one left.
const takeover = 15 * time.Second

// TestWhatAKilledReplicaBeganIsKnown kills the replica while the service works
// on a restart. Another one is there then, or comes.
func TestWhatAKilledReplicaBeganIsKnown(t *testing.T) {
	t.Parallel()
	for name, isThere := range map[string]bool{"another one comes": false, "another one is there": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, 3*time.Second, discordtest.Config{})
			first := w.start(t)
			who := w.customers("anna", 1)
			anna, card := who[0], allRestart(t, who)[0]
			card.WaitFor(t, "Restarting **")
			w.service.WaitFor(t, hostapitest.OpRestart, 1)
			if isThere {
				w.start(t)
			}
			first.kill()
			if !isThere {
				w.start(t)
			}
			known := func() bool { return w.logged(anna.bot) > 0 && isSettled(card.View()) }
			eventually(t, takeover, "staff and the customer know of the restart", known)
			if read := texts(w.actions); !strings.Contains(read, "Not confirmed · the process that ran it has died") {
				t.Errorf("staff do not read that it is not confirmed, and why: %q", read)
			}
			if v := card.View(); !v.Contains("not confirmed") {
				t.Errorf("the customer reads: %.150q", v.Text())
			}
			if sent := w.sentOn(anna.bot); sent != 1 {
				t.Errorf("the service was sent it %d times", sent)
			}
		})
	}
}
