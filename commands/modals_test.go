package commands_test

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// inputs returns the inputs of a modal that Discord takes.
func inputs(t *testing.T, r interaction.Response) []discordgo.TextInput {
	t.Helper()
	sendable(t, r)
	var found []discordgo.TextInput
	for _, c := range r.Modal.Components {
		found = append(found, c.(discordgo.ActionsRow).Components[0].(discordgo.TextInput))
	}
	return found
}

func TestStartupIsFilledInAndChanged(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	for _, locale := range []string{"en-US", "de", "tr"} {
		for _, request := range []interaction.Request{press("startup/a"), onBot("bot startup", "Shop")} {
			fields := inputs(t, answer(t, c, inLanguage(locale, request)))
			if len(fields) != 2 || fields[0].Value != "node index.js" || fields[1].Value != "index.js" {
				t.Errorf("the modal has %+v", fields)
			}
		}
	}
	for _, fields := range []map[string]string{{"command": " ", "entry": "x"}, {"command": "x"}, nil} {
		refused(t, c, submit("startup/a", fields), "cannot be used")
	}

	changed := map[string]string{"command": "node main.js", "entry": "main.js"}
	refused(t, c, submit("startup/b", changed), "no longer exists")
	first := answer(t, c, submit("startup/a", changed))
	wantText(t, first.Message, "Changing how **Shop** is started")
	if len(w.done) != 0 {
		t.Fatalf("done too early: %q", w.done)
	}
	last := must(t)(first.Then(t.Context()))
	wantText(t, last.Message, "was changed", "`node main.js`", "`main.js`", "🟢 Shop")
	if len(w.done) != 1 || w.done[0] != "startup node main.js main.js a" || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
}

func TestStartupThatIsAsItWasShownIsNotChanged(t *testing.T) {
	s := server("a", "Shop", "RUNNING")
	s.StartupCommand, s.EntryFile = " node index.js\n", "index.js "
	w := &world{list: account(s), old: true}
	c := newCommands(t, w)
	fields := inputs(t, answer(t, c, press("startup/a")))
	if fields[0].Style != discordgo.TextInputShort {
		t.Errorf("one line is asked for as %+v", fields[0])
	}
	same := answer(t, c, submit("startup/a", map[string]string{"command": fields[0].Value + " ", "entry": fields[1].Value}))
	wantText(t, same.Message, "Nothing was changed", "<t:1700000000:R>")
	if same.Then != nil || same.Form != interaction.FormUpdate {
		t.Errorf("unchanged values lead to %+v", same)
	}

	w.list.Servers[0].StartupCommand = "npm ci\nnode index.js"
	fields = inputs(t, answer(t, c, press("startup/a")))
	if fields[0].Style != discordgo.TextInputParagraph || fields[0].Value != "npm ci\nnode index.js" {
		t.Errorf("two lines would come back as one: %+v", fields[0])
	}
}

func TestDeleteWantsTheName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	w := &world{list: account(server("a", "My Shop", "RUNNING"), server("b", long, "RUNNING"), server("c", "", "RUNNING"))}
	c := newCommands(t, w)
	named := func(name string) map[string]string { return map[string]string{"name": name} }
	for _, typed := range []string{"", "Shop", "my", long, "a", "yes"} {
		refused(t, c, submit("delete/a", named(typed)), "not the name of **My Shop**", "nothing was deleted")
	}
	shown := inputs(t, answer(t, c, press("delete/b")))[0].Placeholder // can be typed
	for _, right := range []struct{ id, typed string }{
		{"a", "  my shop "}, {"a", "MY  SHOP"}, {"b", shown}, {"b", long}, {"b", strings.ToUpper(long)}, {"c", "c"},
	} {
		first := answer(t, c, submit("delete/"+right.id, named(right.typed)))
		wantText(t, first.Message, "Deleting")
		last := must(t)(first.Then(t.Context()))
		wantText(t, last.Message, "was deleted")
		if b := buttons(last.Message); len(b) != 1 || b["All bots"].CustomID != "list/0" {
			t.Errorf("offered afterwards: %v", b)
		}
		if done := w.done[len(w.done)-1]; done != "delete "+right.id || w.expired != len(w.done) {
			t.Errorf("done %q, expired %d of %d times", done, w.expired, len(w.done))
		}
	}
}
