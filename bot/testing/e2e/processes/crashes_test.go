package processes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestOneCustomersCrashesDelayNobodyElse has a customer's 300 bots crash, and then other
// customers' bots while the first customer is being told.
func TestOneCustomersCrashesDelayNobodyElse(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // today it takes a minute
	}
	t.Parallel()
	const bots = 300
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t, "WATCH_INTERVAL=10s", "WATCH_RATE=100")
	who := w.customers("c", 11)
	large, others := who[0], who[1:]
	for i := range bots - 1 {
		w.service.AddServer(large.ID, hostapitest.Server{ID: fmt.Sprintf("large%d", i), Name: "Shop", Status: hostapitest.Running})
	}
	w.alerted(t, who)
	w.service.WaitFor(t, hostapitest.OpList, w.service.Count(hostapitest.OpList)+len(who)) // as they are now
	for _, bot := range w.service.Servers(large.ID) {
		w.service.SetStatus(large.ID, bot.ID, hostapitest.Crashed)
	}
	eventually(t, "the first crash is told", func() bool { return alertsOf(large) > 0 })
	crashed := time.Now()
	for _, c := range others {
		w.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	for _, c := range others {
		eventually(t, "each crash is told", func() bool { return alertsOf(c) > 0 })
	}
	most, longest := 0, time.Duration(0)
	for _, c := range others {
		seen, told := w.seenAfter(t, c, crashed), w.alertsAt(c)[0]
		before := 0
		for _, at := range w.alertsAt(large) {
			if at.After(seen) && at.Before(told) {
				before++
			}
		}
		most, longest = max(most, before), max(longest, told.Sub(seen))
	}
	t.Logf("an alert of another customer was sent %v after the look, at most (wanted: 2s)", longest.Round(time.Millisecond))
	within(t, "alerts of a customer with 300 bots before another's", most)
	eventually(t, "all crashes are told", func() bool { return alertsOf(large) == bots })
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
