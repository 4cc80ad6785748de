package commands_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// labels are those of a message's buttons, row by row; disabled ones are in brackets.
func labels(m interaction.Message) string {
	var rows []string
	for _, c := range m.Components {
		var row []string
		for _, b := range c.(discordgo.ActionsRow).Components {
			label := b.(discordgo.Button).Label
			if b.(discordgo.Button).Disabled {
				label = "(" + label + ")"
			}
			row = append(row, label)
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, " | ")
}

func TestButtonsKeepTheirPlaces(t *testing.T) {
	const ways, reinstall, noReinstall = " | Refresh Details All bots More… ", "Reinstall packages", "(Reinstall packages)"
	for status, want := range map[string]string{
		"RUNNING": running + ways + reinstall, "running": running + ways + reinstall,
		"STOPPED": stopped + ways + reinstall, "CRASHED": fallen + ways + reinstall,
		"Hibernating": "Restart Start Stop" + ways + reinstall, "": "Restart Start Stop" + ways + reinstall,
		"RESTARTING": none + ways + noReinstall, "installing": none + ways + noReinstall, "STOPPING": none + ways + noReinstall,
		"STARTING": "(Restart) (Start) Stop" + ways + noReinstall, "SUSPENDED": none + ways + noReinstall,
	} {
		card := answer(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")).Message
		if got := labels(card); got != want {
			t.Errorf("%q has %q, want %q", status, got, want)
		}
		// A press does what the button said when it was aimed at, also if the state has changed since.
		if got := strings.Join(card.ButtonIDs(), " "); got != "restart/a start/a stop/a show/a details/a list/with/a more/a reinstall/a" {
			t.Errorf("the buttons of %q are %s", status, got)
		}
	}
	_, c := shop(t, "RUNNING")
	const first = running + " | "
	for id, want := range map[string]string{
		"details/a": first + "Refresh Hide details All bots More… " + reinstall, "more/a": first + "Refresh Details All bots Less " + reinstall + " | Startup Delete",
		"brief/a": first + "Refresh Details All bots More… " + reinstall,
	} {
		if got := labels(answer(t, c, press(id)).Message); got != want {
			t.Errorf("%s has %q, want %q", id, got, want)
		}
	}
	if got := labels(answer(t, c, by("1", press("for/42/show/a"))).Message); got != first+"Refresh Details All bots "+reinstall {
		t.Errorf("staff have %q", got)
	}
}

// The labels of the first row of buttons: what is disabled then is in brackets.
const (
	running = "Restart (Start) Stop"
	stopped = "(Restart) Start (Stop)"
	fallen  = "Restart (Start) (Stop)"
	none    = "(Restart) (Start) (Stop)"
)

// TestCrashedBotIsStartedWhereNothingRestartsIt has the host turn restarts off.
func TestCrashedBotIsStartedWhereNothingRestartsIt(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "CRASHED")), off: map[hostapi.Operation]bool{hostapi.OpRestart: true}}
	if got := labels(answer(t, newCommands(t, w), press("show/a")).Message); !strings.HasPrefix(got, "Start (Stop) | ") {
		t.Errorf("the buttons are %q", got)
	}
}

// TestButtonsKeepTheirPlacesAroundAnAction has each action run and end: whoever presses twice
// meets the same button or a disabled one.
func TestButtonsKeepTheirPlacesAroundAnAction(t *testing.T) {
	for _, test := range []struct{ action, from, to, after string }{
		{"restart", "RUNNING", "RUNNING", running},
		{"stop", "RUNNING", "STOPPED", stopped},
		{"start", "STOPPED", "RUNNING", running},
		{"start", "STOPPED", "CRASHED", fallen},
	} {
		w := &world{list: account(server("a", "Shop", test.from)), action: func() (string, error) { return test.to, nil }}
		first := answer(t, newCommands(t, w), press(test.action+"/a"))
		if got := labels(first.Message); !strings.HasPrefix(got, none+" | ") {
			t.Errorf("while %s runs there is %q", test.action, got)
		}
		if got := labels(must(t)(first.Then.Run(t.Context())).Message); !strings.HasPrefix(got, test.after+" | ") {
			t.Errorf("after %s there is %q, want %q", test.action, got, test.after)
		}
	}
}

// TestAlertsHaveTheButtonsOfTheCard draws the alert of a bot that went down, and the same once it
// is back.
func TestAlertsHaveTheButtonsOfTheCard(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	c, at := watching(t, h), time.Unix(1_700_000_000, 0)
	for _, test := range []struct {
		state hostapi.State
		back  time.Time
		want  string
	}{
		{hostapi.StateCrashed, time.Time{}, fallen},
		{hostapi.StateStopped, time.Time{}, stopped},
		{hostapi.StateCrashed, at, running},
	} {
		alert := c.Alert(alerts.Alert{CustomerID: "42", Bots: []alerts.Outage{
			{ServerID: "a", Name: "Shop", State: test.state, DownAt: at, Count: 1, RecoveredAt: test.back},
		}})
		if got := labels(alert); got != test.want+" | View bot Reinstall packages Mute alerts for 1 h" {
			t.Errorf("an alert of %c has %q", test.state, got)
		}
		for id, want := range map[string]string{"Restart": "restart a", "Stop": "stop a"} {
			h.w.done = nil
			ending(t, c, press(buttons(alert)[id].CustomID))
			h.w.wantDone(t, want)
		}
		h.w.done = nil
		asked := answer(t, c, press(buttons(alert)["Reinstall packages"].CustomID))
		wantText(t, asked.Message, "may be offline") // of a bot that runs by now
		h.w.wantDone(t)
	}
}

// TestInterruptedActionHasTheButtonsOfTheCard presses Refresh, which has its own place there.
func TestInterruptedActionHasTheButtonsOfTheCard(t *testing.T) {
	for _, test := range []struct {
		action, bot string
		outcome     interaction.Outcome
		want        string
	}{
		{"restart", "a", interaction.Unconfirmed, "Restart Start Stop | Refresh All bots Reinstall packages"},
		{"delete", "a", interaction.Unconfirmed, "Restart Start Stop | Refresh All bots Reinstall packages"},
		{"delete", "a", interaction.Done, "All bots"},
		{"create", "", interaction.Unconfirmed, "All bots"},
	} {
		r := press("restart/a")
		end := newCommands(t, &world{}).Interrupted(&r, interaction.Action{Name: test.action, BotID: test.bot, BotName: "Shop", Outcome: test.outcome})
		if got := labels(end.Message); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.action, test.outcome, got, test.want)
		}
	}
}
