package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/actionlock"
	"hostbot/bot/alerts"
	"hostbot/bot/interaction"
	"hostbot/bot/watcher"
	"hostbot/commands"
	"hostbot/hostapi"
)

// alerting keeps settings as package alerts does. Its customer is 42.
type alerting struct {
	alerts.Settings
	closed bool // the customer takes no messages
	off    bool // there are no alerts
	first  interaction.Message
	others []string // customers
}

func (a *alerting) Offered() bool { return !a.off }

func (a *alerting) touch(customerID string) {
	if customerID != "42" {
		a.others = append(a.others, customerID)
	}
}

func (a *alerting) get(customerID string) alerts.Settings {
	a.touch(customerID)
	return a.Settings
}

type settings struct{ *alerting }

func (s settings) Settings(_ context.Context, customerID string) (alerts.Settings, error) {
	return s.get(customerID), nil
}

func (s settings) TurnOn(_ context.Context, customerID, _ string, first interaction.Message, change func(*alerts.Settings)) (alerts.Settings, error) {
	if s.closed {
		return s.get(customerID), alerts.ErrClosed
	}
	s.first = first
	change(&s.alerting.Settings)
	return s.get(customerID), nil
}

func (s settings) TurnOff(_ context.Context, customerID string, change func(*alerts.Settings)) (alerts.Settings, error) {
	change(&s.alerting.Settings)
	return s.get(customerID), nil
}

func (s settings) Mute(_ context.Context, customerID, serverID string, until time.Time) error {
	s.touch(customerID)
	s.Muted = map[string]time.Time{serverID: until}
	return nil
}

// withAlerts returns the commands of a world with alerts.
func withAlerts(t *testing.T, w *world, a *alerting) *commands.Commands {
	t.Helper()
	staff := commands.Staff{GuildID: "7", UserIDs: []string{"1"}, Health: func(context.Context) commands.Health {
		return commands.Health{Watching: true, Watch: watcher.Status{Accounts: 99_999, Interval: 83 * time.Minute, Grown: true, Lag: time.Hour}, Alerts: alerts.Status{Sent: 12_345, Refused: 99, Waiting: 1000}}
	}}
	return commands.New(w, w, actionlock.New(nil), mustTexts(t), staff, commands.Links{}, commands.Forms{}, commands.Watch{Alerts: settings{a}})
}

func TestAlertsOfOneBotAndOfAll(t *testing.T) {
	w, a := &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}, &alerting{}
	c := withAlerts(t, w, a)
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
			if a.For(id) {
				on += id
			}
		}
		if on != step.on {
			t.Errorf("after %s alerts are on for %q, want %q", step.press.Name, on, step.on)
		}
	}
	refused(t, c, press("alerts/set/one/on/z"), "out of date") // another's
	a.off = true
	refused(t, c, press("alerts/set/all/on"), "no alerts here")
	if len(a.others) > 0 || a.Any() {
		t.Errorf("touched are %q", a.others)
	}
}

func TestAlertsAreOfferedToCustomersAlone(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := withAlerts(t, w, &alerting{})
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
	a := &alerting{}
	w := &world{list: bots("CRASHED", 30)}
	c := withAlerts(d.t, w, a)
	for _, r := range []interaction.Request{
		command("alerts", nil), press("alerts/of/id-0"), press("alerts/set/one/on/id-0"), press("alerts/set/all/on"), press("alerts/set/one/off/id-0"),
		press("aside/mute/id-1"), press("alerts/of/id-1"), press("aside/show/id-1"), press("more/id-1"), by("1", command("admin status", nil)),
	} {
		d.ask(c, r)
	}
	d.see(interaction.Reply(a.first))
	a.closed = true
	d.ask(c, press("alerts/set/all/on"))
	a.Settings = alerts.Settings{Closed: time.Unix(1, 0)}
	d.ask(c, command("alerts", nil))
	a.off = true
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
