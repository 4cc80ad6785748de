//go:build integration

package processes_test

import (
	"net/url"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// TestALeaderThatDiscordDoesNotAnswerResigns has the replica that leads lose its way to Discord's API, and a
// bot crash then. Another replica, whose way is another, tells its customer.
func TestALeaderThatDiscordDoesNotAnswerResigns(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	api, err := url.Parse(w.discord.URL())
	if err != nil {
		t.Fatal(err)
	}
	way := faultproxy.RunT(t, api.Host)
	api.Host = way.Addr()
	watching := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=100"}
	first := w.start(t, append(watching, "DISCORD_API_URL="+api.String())...)
	eventually(t, "the first replica leads", first.leads)
	second := w.start(t, watching...)
	anna := w.customers("anna", 1)[0]
	w.alerted(t, []customer{anna})
	w.looksAt(t, anna) // as it is now
	if !first.leads() || second.leads() {
		t.Fatal("the first replica does not lead alone")
	}
	way.Set(faultproxy.Refusing)
	w.service.SetStatus(anna.ID, anna.bot, hostapitest.Crashed)
	eventually(t, "the crash is told", func() bool { return alertsOf(anna) > 0 })
	eventually(t, "the second replica leads alone", func() bool { return second.leads() && !first.leads() })
	w.silence(t, 5*time.Second)
	if n := alertsOf(anna); n != 1 {
		t.Errorf("%s reads of the crash %d times", anna.Name, n)
	}
	if !first.alive() {
		t.Error("the first replica has ended")
	}
}

// leads reports whether a replica leads.
func (r *replica) leads() bool { return r.figure("hostbot_leader", "") == 1 }
