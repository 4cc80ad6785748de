//go:build integration

package processes_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/elapse"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
)

// TestKillOfTheLeaderRepeatsNoScheduledRestart kills the replica that leads while the service works on restarts whose time has come. The
// other one makes those that were not begun, and repeats none.
func TestKillOfTheLeaderRepeatsNoScheduledRestart(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	watching := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=5"} // restarts a second
	first := w.start(t, watching...)
	w.waitServing(t, first)
	who := w.customers("scheduled", 12)
	for _, c := range who {
		form := c.Types(t, "/bot show", discordtest.Options{"bot": "Shop"}).Press(t, "More…").Press(t, "Restart daily…")
		form.Submit(t, discordtest.Fields{"Restart every day at": "04:30", "Your time zone": "UTC"}).WaitFor(t, "on schedule whenever")
	}
	w.start(t, watching...)
	for _, c := range who {
		if _, err := elapse.Schedule(t.Context(), w.redisClient(t), keyspace.Of(secret.Text(w.discord.Token())), c.ID, c.bot); err != nil {
			t.Fatal(err)
		}
	}
	w.service.WaitFor(t, hostapitest.OpRestart, 3)
	first.kill()
	eventually(t, "all bots are restarted, and staff know", func() bool {
		for _, c := range who {
			if w.sentOn(c.bot) == 0 || w.logged(c.bot) == 0 {
				return false
			}
		}
		return true
	})
	w.silence(t, 15*time.Second)
	for _, c := range who {
		if sent := w.sentOn(c.bot); sent != 1 {
			t.Errorf("the service was sent the restart of %s %d times", c.bot, sent)
		}
	}
	if read := texts(w.actions); strings.Count(read, "🕓 scheduled") == 0 {
		t.Errorf("staff read %q", read)
	}
}
