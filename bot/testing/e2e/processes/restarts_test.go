//go:build integration

package processes_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestKillOfTheLeaderRepeatsNoAutomaticRestart kills the replica that leads while the service works on a restart. The other one tells
// staff of it, and does not begin it again.
func TestKillOfTheLeaderRepeatsNoAutomaticRestart(t *testing.T) {
	t.Parallel()
	w := newScene(t, time.Minute, discordtest.Config{})
	watching := []string{"WATCH_INTERVAL=10s", "HOSTAPI_TIMEOUT=2m"}
	first := w.start(t, watching...)
	w.waitServing(t, first)
	anna := w.customers("anna", 1)[0]
	anna.Types(t, "/alerts").Choose(t, "Turn a bot's automatic restarts on or off", "Shop").WaitFor(t, "I'll restart it")
	w.start(t, watching...)
	w.service.WaitFor(t, hostapitest.OpList, w.service.Count(hostapitest.OpList)+2) // as the bot is now
	w.service.SetStatus(anna.ID, anna.bot, hostapitest.Crashed)
	w.service.WaitFor(t, hostapitest.OpRestart, 1)
	first.kill()
	eventually(t, "staff know of the restart", func() bool { return w.logged(anna.bot) > 0 })
	if read := texts(w.actions); !strings.Contains(read, "🔁 automatic") || !strings.Contains(read, "Not confirmed · the process running it crashed") {
		t.Errorf("staff read %q", read)
	}
	w.silence(t, 15*time.Second)
	if sent := w.sentOn(anna.bot); sent != 1 {
		t.Errorf("the service was sent it %d times", sent)
	}
}
