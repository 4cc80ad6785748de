//go:build integration

package processes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestOneCustomersCrashesDelayNobodyElse has a customer's 300 bots crash at once, and then other
// customers' bots while the first customer is being told, by one of two replicas.
func TestOneCustomersCrashesDelayNobodyElse(t *testing.T) {
	t.Parallel()
	const bots = 300
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t, "WATCH_INTERVAL=10s", "WATCH_RATE=100")
	w.start(t, "WATCH_INTERVAL=10s", "WATCH_RATE=100")
	who := w.customers("c", 11)
	large, others := who[0], who[1:]
	for i := range bots - 1 {
		w.service.AddServer(large.ID, hostapitest.Server{ID: fmt.Sprintf("large%d", i), Name: "Shop", Status: hostapitest.Running})
	}
	w.alerted(t, who)
	w.service.WaitFor(t, hostapitest.OpList, w.service.Count(hostapitest.OpList)+len(who)) // as they are now
	w.service.SetStatuses(large.ID, hostapitest.Crashed)
	large.InDM().Sees(t, "300 of your bots are down")
	crashed := time.Now()
	for _, c := range others {
		w.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	for _, c := range others {
		eventually(t, "each crash is told", func() bool { return alertsOf(c) > 0 })
	}
	longest := time.Duration(0)
	for _, c := range others {
		longest = max(longest, w.alertsAt(c)[0].Sub(w.seenAfter(t, c, crashed)))
	}
	t.Logf("an alert of another customer was sent %v after the look, at most (wanted: 2s)", longest.Round(time.Millisecond))
	if n := len(w.alertsAt(large)); n != 1 {
		t.Errorf("%d messages tell of the customer's bots", n)
	}
}

// seenAfter returns when the service was first asked for a customer's bots after a time.
func (w *scene) seenAfter(t *testing.T, c customer, after time.Time) time.Time {
	t.Helper()
	for _, r := range w.service.Requests() {
		if r.Operation == hostapitest.OpList && r.UserID == c.ID && r.At.After(after) {
			return r.At
		}
	}
	t.Fatalf("nobody has looked at the bots of %s", c.Name)
	return time.Time{}
}

// alertsAt returns when messages were sent to a customer.
func (w *scene) alertsAt(c customer) (at []time.Time) {
	path := "/channels/" + c.InDM().ChannelID() + "/messages"
	for _, call := range w.discord.Calls() {
		if call.Method == http.MethodPost && strings.HasSuffix(call.Path, path) {
			at = append(at, call.Started)
		}
	}
	return at
}
