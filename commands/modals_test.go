package commands_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// inputs returns the inputs of a form that Discord takes, by their custom IDs.
func inputs(t *testing.T, r interaction.Response) map[string]interaction.Input {
	t.Helper()
	sendable(t, r)
	found := make(map[string]interaction.Input)
	for _, f := range r.Modal.Fields {
		found[f.Input.CustomID] = f.Input
	}
	return found
}

func TestStartupIsFilledInAndChanged(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	w.list.Servers[0].StartupCommand = " node index.js\n"
	c := newCommands(t, w)
	fields := inputs(t, answer(t, c, press("startup/a")))
	if len(fields) != 2 || fields["command"].Value != "node index.js" || fields["entry"].Value != "index.js" || fields["command"].Style != discordgo.TextInputShort {
		t.Errorf("the modal has %+v", fields)
	}
	for missing, fields := range map[string]map[string]string{"Startup command": {"command": " ", "entry": "x"}, "Entry file": {"command": "x"}} {
		refused(t, c, submit("startup/a", fields), "**"+missing+"** is missing")
	}
	same := answer(t, c, submit("startup/a", map[string]string{"command": fields["command"].Value + " ", "entry": fields["entry"].Value}))
	wantText(t, same.Message, "Nothing was changed")

	changed := map[string]string{"command": "npm ci\nnode main.js", "entry": "main.js"}
	refused(t, c, submit("startup/b", changed), "no longer exists")
	first := answer(t, c, submit("startup/a", changed))
	wantText(t, first.Message, "Changing how **Shop** is started")
	if same.Then != nil || same.Form != interaction.FormUpdate || len(w.done) != 0 {
		t.Fatalf("done too early: %q", w.done)
	}
	last := must(t)(first.Then(t.Context()))
	wantText(t, last.Message, "was changed", "node main.js`", "`main.js`", "🟢 Shop")
	if len(w.done) != 1 || w.done[0] != "startup npm ci\nnode main.js main.js a" || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
	w.list.Servers[0].StartupCommand = changed["command"]
	if fields := inputs(t, answer(t, c, onBot("bot startup", "Shop"))); fields["command"].Style != discordgo.TextInputParagraph || fields["command"].Value != changed["command"] {
		t.Errorf("two lines would come back as one: %+v", fields["command"])
	}
}

// TestChangedStartupNamesTheButtonThatIsThere names Restart only where the card has it.
func TestChangedStartupNamesTheButtonThatIsThere(t *testing.T) {
	for status, restarts := range map[string]bool{"RUNNING": true, "CRASHED": true, "STOPPED": false, "STARTING": false} {
		_, c := shop(t, status)
		m := ending(t, c, submit("startup/a", map[string]string{"command": "node x.js", "entry": "x.js"})).Message
		wantText(t, m, "✅ How **Shop** is started was changed")
		if _, there := buttons(m)["Restart"]; there != restarts || strings.Contains(text(m), "Press **Restart**") != restarts {
			t.Errorf("%s: Restart is there: %t\n%s", status, there, text(m))
		}
	}
}

func TestDeleteWantsTheName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	w := &world{list: account(server("a", "My Shop", "RUNNING"), server("b", long, "RUNNING"), server("c", "", "RUNNING"))}
	c := newCommands(t, w)
	named := func(name string) map[string]string { return map[string]string{"name": name} }
	for _, typed := range []string{"", "Shop", "my", long, "a", "yes", "my shop", "MY SHOP"} {
		refused(t, c, submit("delete/a", named(typed)), "not the name of **My Shop**", "nothing was deleted")
	}
	shown := inputs(t, answer(t, c, press("delete/b")))["name"].Placeholder // can be typed
	for _, right := range []struct{ id, typed string }{
		{"a", "  My  Shop "}, {"b", shown}, {"b", long}, {"c", "c"},
	} {
		first := answer(t, c, submit("delete/"+right.id, named(right.typed)))
		wantText(t, first.Message, "Deleting")
		last := must(t)(first.Then(t.Context()))
		wantText(t, last.Message, "was deleted")
		if b := buttons(last.Message); len(b) != 1 || b["All bots"].CustomID != "list/with/" {
			t.Errorf("offered afterwards: %v", b)
		}
		if done := w.done[len(w.done)-1]; done != "delete "+right.id || w.expired != len(w.done) {
			t.Errorf("done %q, expired %d of %d times", done, w.expired, len(w.done))
		}
	}
}

// TestWatcherKnowsWhatIsAboutToBeDone has actions on a bot that may stop it for a moment.
func TestWatcherKnowsWhatIsAboutToBeDone(t *testing.T) {
	for _, test := range []struct {
		request interaction.Request
		status  string
		want    string
	}{
		{press("restart/a"), "RUNNING", "restart of a for 42"},
		{press("start/a"), "STOPPED", "start of a for 42"},
		{submit("startup/a", map[string]string{"command": "node x.js", "entry": "x.js"}), "RUNNING", "startup of a for 42"},
		{submit("delete/a", map[string]string{"name": "Shop"}), "RUNNING", "delete of a for 42"},
		{submit("delete/a", map[string]string{"name": "Shop"}), "STOPPED", ""}, // it stays expected that it was stopped
		{submit("create/512/2048/100", newBot("Radio")), "RUNNING", ""},
	} {
		w, expected := &world{list: account(server("a", "Shop", test.status))}, ""
		w.watch.Expect = func(_ context.Context, customerID, serverID, action string) {
			if len(w.done) > 0 {
				t.Errorf("%s is told of when it is done", action)
			}
			expected += action + " of " + serverID + " for " + customerID
		}
		ending(t, newCommands(t, w), test.request)
		if len(w.done) != 1 || expected != test.want {
			t.Errorf("%q, %s: expected %q, want %q", w.done, test.status, expected, test.want)
		}
	}
}
