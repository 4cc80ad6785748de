package commands_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/alerts"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestAlertsOfOneBotAndOfAll(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}}
	c := watching(t, h)
	for _, step := range []struct {
		press interaction.Request
		on    string // the bots with alerts
	}{
		{press("alerts/of/a"), ""}, {press("alerts/set/one/on/a"), "a"}, {press("alerts", "b"), "ab"}, {press("alerts", "a"), "b"},
		{press("alerts/set/all/on"), "ab"}, {press("alerts/set/one/off/b"), "a"}, {press("alerts/set/all/off"), ""},
	} {
		answer(t, c, step.press)
		on := ""
		for _, id := range []string{"a", "b"} {
			if h.alerts.For(id) {
				on += id
			}
		}
		if on != step.on {
			t.Errorf("after %s alerts are on for %q, want %q", step.press.Name, on, step.on)
		}
	}
	refused(t, c, press("alerts/set/one/on/z"), "out of date") // another's
	h.off = true
	refused(t, c, press("alerts/set/all/on"), "no alerts here")
	if len(h.w.others) > 0 || h.alerts.Any() {
		t.Errorf("touched are %q", h.w.others)
	}
}

func TestAlertsAreOfferedToCustomersAlone(t *testing.T) {
	c := watching(t, &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}})
	if _, ok := buttons(answer(t, c, press("more/a")).Message)["Alerts"]; !ok {
		t.Error("a card offers no alerts")
	}
	for _, button := range buttons(answer(t, c, by("1", press("for/42/details/a"))).Message) {
		if strings.Contains(button.CustomID, "alerts") {
			t.Error("staff can change alerts")
		}
	}
}

// alerts draws what customers and staff read of alerts.
func (d *drawn) alerts(bots func(status string, n int) hostapi.List) {
	h := &watched{w: &world{list: bots("CRASHED", 30)}}
	c := watching(d.t, h)
	for _, r := range []interaction.Request{
		command("alerts", nil), press("alerts/of/id-0"), press("alerts/set/one/on/id-0"), press("alerts/set/all/on"), press("alerts/set/one/off/id-0"),
		press("aside/mute/id-1"), press("alerts/of/id-1"), press("aside/show/id-1"), press("more/id-1"),
	} {
		d.ask(c, r)
	}
	d.see(interaction.Reply(h.first))
	h.closed = true
	d.ask(c, press("alerts/set/all/on"))
	h.alerts = alerts.Settings{Closed: time.Unix(1, 0)}
	d.ask(c, command("alerts", nil))
	h.off = true
	d.ask(c, command("alerts", nil))
	at := time.Unix(1_700_000_000, 0)
	for _, state := range []hostapi.State{hostapi.StateStopped, hostapi.StateCrashed} {
		for _, longer := range []bool{false, true} {
			alert := alerts.Alert{CustomerID: "42", Locale: d.locale, ServerID: "id-0", Name: long("W"), State: state, First: at, Fell: at, Count: 1 + len(d.locale), Ran: 400 * time.Hour, Longer: longer}
			d.see(interaction.Reply(c.Alert(alert)))
			alert.Back = at.Add(time.Hour)
			d.see(interaction.Reply(c.Alert(alert)))
		}
	}
}
