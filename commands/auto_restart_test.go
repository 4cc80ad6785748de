package commands_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// byProgram is the program's own request for a bot.
func byProgram(serverID string) *interaction.Request {
	return &interaction.Request{ID: "a1", Kind: interaction.Program, UserID: "42", CustomerID: "42", Params: map[string]string{"server": serverID}}
}

// TestProgramRestartsOnlyWhatHasCrashed, as the service says now, and that nobody has stopped.
func TestProgramRestartsOnlyWhatHasCrashed(t *testing.T) {
	for name, test := range map[string]struct {
		status, id, stopped string
		begins, later       bool
	}{
		"crashed": {status: "CRASHED", begins: true}, "running": {status: "RUNNING"}, "stopped": {status: "STOPPED"},
		"suspended": {status: "SUSPENDED"}, "an unknown word": {status: "Hibernating"}, "starting": {status: "STARTING", later: true},
		"another's": {status: "CRASHED", id: "b"}, "killed by a stop": {status: "CRASHED", stopped: "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", test.status)), notes: map[string]accounts.Note{"a": {Action: test.stopped, At: time.Now()}}}
			c := watching(t, &watched{w: w, autoRestarts: map[string]alerts.AutoRestart{}})
			response, err := c.RestartAutomatically(t.Context(), byProgram("a"+test.id))
			if begins := response.Then != nil; begins != test.begins || (err != nil) != test.later {
				t.Fatalf("it begins: %t (%v)", begins, err)
			}
			if !test.begins {
				return
			}
			if _, err := c.RestartAutomatically(t.Context(), byProgram("a")); err == nil {
				t.Error("two restarts run on one bot")
			}
			w.list.Servers[0].Status = "RUNNING"
			end, err := response.Then.Run(t.Context())
			if err != nil || end.Action.Outcome != interaction.Done || len(w.done) != 1 {
				t.Errorf("it ended as %+v, after %q (%v)", end.Action, w.done, err)
			}
		})
	}
	off := &world{list: account(server("a", "Shop", "CRASHED")), off: map[hostapi.Operation]bool{hostapi.OpRestart: true}}
	if response, err := watching(t, &watched{w: off, autoRestarts: map[string]alerts.AutoRestart{}}).RestartAutomatically(t.Context(), byProgram("a")); err != nil || response.Then != nil {
		t.Errorf("a restart begins that is not offered (%v)", err)
	}
}

// TestAutomaticRestartsAreTurnedOnAndOff on the card of a bot that has crashed, once its alerts are on, in the menu of alerts, and
// in those of one bot.
func TestAutomaticRestartsAreTurnedOnAndOff(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "CRASHED"), server("b", "Radio", "RUNNING"))}, autoRestarts: map[string]alerts.AutoRestart{}}
	c := watching(t, h)
	if b := buttons(answer(t, c, press("show/a")).Message); b["Alert me next time"].Label == "" || b["Restart it automatically"].Label != "" {
		t.Error("a message is not offered first")
	}
	h.alerts.All = true
	step := func(r interaction.Request, label, said string) interaction.Request {
		t.Helper()
		shown := answer(t, c, r)
		if shown.Then != nil {
			shown = must(t)(shown.Then.Run(t.Context()))
		}
		wantText(t, shown.Message, said)
		button, ok := buttons(shown.Message)[label]
		if label != "" && !ok {
			t.Fatalf("there is no button %q:\n%s", label, text(shown.Message))
		}
		return press(button.CustomID)
	}
	on := step(press("show/a"), "Restart it automatically", "Crashed")
	off := step(on, "No automatic restarts", "I'll restart it: up to 3 times in 10 min")
	on = step(off, "Restart it automatically", "I won't restart **Shop** automatically")
	step(on, "", "I restart it automatically when it crashes")
	notify := step(press("alerts/of/a"), "Notify me of restarts", "Shop · 🔁 restarts automatically")
	silent := step(notify, "Restart it silently", "and notify you")
	step(silent, "Notify me of restarts", "I'll restart it: up to")
	menu, ok := menus(answer(t, c, command("alerts", nil)).Message)["Turn a bot's automatic restarts on or off"]
	if !ok || menu.Options[0].Value != "off/a" || menu.Options[1].Value != "on/b" {
		t.Fatalf("the menu is %+v", menu)
	}
	step(press(menu.CustomID, "on/b"), "", "Radio · 🔁")
	if _, on := h.autoRestarts["b"]; !on || len(h.autoRestarts) != 2 {
		t.Errorf("on are %v", h.autoRestarts)
	}
	h.autoRestarts["a"] = alerts.AutoRestart{StaysDown: true}
	wantText(t, answer(t, c, press("show/a")).Message, "crashed again after 3 automatic restarts within 10 min, so it stays down")
	for _, r := range []interaction.Request{press("show/a"), command("alerts", nil), press("alerts/of/a")} {
		if shown := text(answer(t, watching(t, &watched{w: h.w}), r).Message); strings.Contains(shown, "utomatic") {
			t.Errorf("it is shown where it is off:\n%s", shown)
		}
	}
}
