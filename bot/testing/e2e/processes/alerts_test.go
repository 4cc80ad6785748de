//go:build integration

package processes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// alertsOf returns how many messages tell a customer of the crash. Where many crash, it is said to be no customer's doing.
func alertsOf(c customer) (n int) {
	for _, m := range c.InDM().Messages() {
		n += strings.Count(m.Text(), "Shop has crashed") + strings.Count(m.Text(), "Shop has stopped")
	}
	return n
}

// TestKillsLoseNoAlert kills each replica while crashes are being told, by whichever of
// them that is.
func TestKillsLoseNoAlert(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	watching := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=100"}
	first, second := w.start(t, watching...), w.start(t, watching...)
	who := w.customers("watched", 24)
	for _, c := range who {
		c.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	}
	w.service.WaitFor(t, hostapitest.OpList, w.service.Count(hostapitest.OpList)+len(who)) // as they are now
	for _, c := range who {
		w.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	untold := slices.Clone(who)
	told := func() int {
		untold = slices.DeleteFunc(untold, func(c customer) bool { return alertsOf(c) > 0 })
		return len(who) - len(untold)
	}
	eventually(t, "some crashes are told", func() bool { return told() > 0 })
	first.kill()
	w.start(t, watching...)
	early := told()
	eventually(t, "another one goes on", func() bool { return told() > early || told() == len(who) })
	second.kill()
	eventually(t, "all crashes are told", func() bool { return told() == len(who) })
	w.silence(t, 2*time.Second)
	for _, c := range who {
		if n := alertsOf(c); n != 1 {
			t.Errorf("%s reads of the crash %d times", c.Name, n)
		}
	}
}
