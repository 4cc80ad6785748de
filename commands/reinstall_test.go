package commands_test

import (
	"testing"

	"hostbot/bot/interaction"
)

func TestReinstallAsksFirstWhereTheBotRuns(t *testing.T) {
	for status, asks := range map[string]bool{
		"RUNNING": true, "STARTING": true, "Hibernating": true, "STOPPED": false, "CRASHED": false, "SUSPENDED": false,
	} {
		for _, request := range []interaction.Request{onBot("bot reinstall", "Shop"), press("reinstall/a")} {
			w := &world{list: account(server("a", "Shop", status), server("b", "Radio", "RUNNING"))}
			c := newCommands(t, w)
			response := answer(t, c, request)
			if asked := response.Then == nil; asked != asks {
				t.Fatalf("%s, %s: asked %t:\n%s", status, request.Name, asked, text(response.Message))
			}
			if !asks {
				continue
			}
			sendable(t, response)
			wantText(t, response.Message, "Reinstall packages?", "**Shop** (", "may stop")
			b := buttons(response.Message)
			wantText(t, answer(t, c, press(b["Cancel"].CustomID)).Message, "Shop")
			wantText(t, answer(t, c, press(b["Reinstall packages"].CustomID)).Message, "Reinstalling the packages of **Shop**")
		}
	}
}

// TestReinstallByStaffAsksAsWell has staff press the button of their view.
func TestReinstallByStaffAsksAsWell(t *testing.T) {
	w, c := shop(t, "RUNNING")
	asked := answer(t, c, by("1", press("for/42/reinstall/a")))
	now := buttons(asked.Message)["Reinstall packages"].CustomID
	if len(w.done) != 0 || now != "for/42/packages/a" {
		t.Fatalf("done %q, and %q goes on", w.done, now)
	}
	if end := ending(t, c, by("1", press(now))); end.Action.Outcome != interaction.Done || len(w.done) != 1 {
		t.Errorf("done %q", w.done)
	}
	refused(t, c, press(now), "This is for staff")
}
