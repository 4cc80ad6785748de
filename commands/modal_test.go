package commands_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

func submit(customID string, fields map[string]string) interaction.Request {
	return interaction.Request{Kind: interaction.Modal, Name: customID, Fields: fields, Message: "900"}
}

// inputs returns the inputs of a modal, after a look at Discord's limits.
func inputs(t *testing.T, d *interaction.Dialog) []discordgo.TextInput {
	t.Helper()
	if n := utf8.RuneCountInString(d.Title); n == 0 || n > 45 || len(d.CustomID) > 100 {
		t.Errorf("title %q, custom ID of %d characters", d.Title, len(d.CustomID))
	}
	var found []discordgo.TextInput
	for _, c := range d.Components {
		i := c.(discordgo.ActionsRow).Components[0].(discordgo.TextInput)
		if n := utf8.RuneCountInString(i.Label); n == 0 || n > 45 {
			t.Errorf("label %q", i.Label)
		}
		if utf8.RuneCountInString(i.Value) > 4000 || utf8.RuneCountInString(i.Placeholder) > 100 {
			t.Errorf("value of %d characters, placeholder of %d", len(i.Value), len(i.Placeholder))
		}
		found = append(found, i)
	}
	return found
}

func TestStartupIsFilledInAndChanged(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	for _, locale := range []string{"en-US", "de", "tr"} {
		for _, request := range []interaction.Request{press("startup/a"), command("bot startup", map[string]string{"bot": "Shop"})} {
			request.Locale = locale
			opened := must(t)(ask(t, c, request))
			fields := inputs(t, opened.Modal)
			if len(fields) != 2 || fields[0].Value != "node index.js" || fields[1].Value != "index.js" {
				t.Errorf("the modal has %+v", fields)
			}
		}
	}

	same := must(t)(ask(t, c, submit("startup/a", map[string]string{"command": " node index.js ", "entry": "index.js"})))
	wantText(t, same.Message, "Nothing was changed")
	if same.Then != nil || same.Form != interaction.FormUpdate {
		t.Errorf("unchanged values lead to %+v", same)
	}
	for _, fields := range []map[string]string{{"command": " ", "entry": "x"}, {"command": "x"}, nil} {
		if _, err := ask(t, c, submit("startup/a", fields)); err == nil {
			t.Errorf("%v was accepted", fields)
		}
	}
	if _, err := ask(t, c, submit("startup/b", map[string]string{"command": "x", "entry": "y"})); err == nil {
		t.Error("somebody else's bot was changed")
	}

	first := must(t)(ask(t, c, submit("startup/a", map[string]string{"command": "node main.js", "entry": "main.js"})))
	wantText(t, first.Message, "Changing how **Shop** is started")
	if len(w.done) != 0 {
		t.Fatalf("done too early: %q", w.done)
	}
	last := must(t)(first.Then(t.Context()))
	wantText(t, last.Message, "was changed", "`node main.js`", "`main.js`", "🟢 Shop")
	if len(w.done) != 1 || w.done[0] != "startup node main.js main.js 42 a" || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
}

func TestDeleteWantsTheName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	w := &world{list: account(server("a", "My Shop", "RUNNING"), server("b", long, "RUNNING"), server("c", "", "RUNNING"))}
	c := newCommands(t, w)
	for _, typed := range []string{"", "Shop", "my", long, "a", "yes"} {
		_, err := ask(t, c, submit("delete/a", map[string]string{"name": typed}))
		if err == nil {
			t.Fatalf("%q deletes My Shop", typed)
		}
		e := c.Explain(&interaction.Request{Locale: "en-US"}, err)
		wantText(t, e.Message, "not the name of **My Shop**", "nothing was deleted")
		if e.Fault {
			t.Error("staff would be told of a slip of the finger")
		}
	}
	for id, typed := range map[string]string{"a": "  my shop ", "b": "", "c": "c"} {
		opened := must(t)(ask(t, c, press("delete/"+id)))
		if typed == "" {
			typed = inputs(t, opened.Modal)[0].Placeholder // what is shown can be typed
		}
		first := must(t)(ask(t, c, submit("delete/"+id, map[string]string{"name": typed})))
		wantText(t, first.Message, "Deleting")
		last := must(t)(first.Then(t.Context()))
		wantText(t, last.Message, "was deleted")
		if b := buttons(last.Message); len(b) != 1 || b["All bots"].CustomID != "list/0" {
			t.Errorf("offered afterwards: %v", b)
		}
	}
	for _, typed := range []string{long, strings.ToUpper(long), "MYSHOP", "m y  shop"} {
		id := "b"
		if len(typed) < 10 {
			id = "a"
		}
		must(t)(ask(t, newCommands(t, w), submit("delete/"+id, map[string]string{"name": typed})))
	}
	if len(w.done) != 3 || w.expired != 3 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
}

func TestUnchangedIsWhatWasShown(t *testing.T) {
	s := server("a", "Shop", "RUNNING")
	s.StartupCommand, s.EntryFile = " node index.js\n", "index.js "
	w := &world{list: account(s), old: true}
	c := newCommands(t, w)
	fields := inputs(t, must(t)(ask(t, c, press("startup/a"))).Modal)
	if fields[0].Style != discordgo.TextInputShort {
		t.Errorf("one line is asked for as %+v", fields[0])
	}
	same := must(t)(ask(t, c, submit("startup/a", map[string]string{"command": fields[0].Value, "entry": fields[1].Value})))
	wantText(t, same.Message, "Nothing was changed", "<t:1700000000:R>")
	if same.Then != nil {
		t.Error("unchanged values are sent")
	}

	w.list.Servers[0].StartupCommand = "npm ci\nnode index.js"
	fields = inputs(t, must(t)(ask(t, c, press("startup/a"))).Modal)
	if fields[0].Style != discordgo.TextInputParagraph || fields[0].Value != "npm ci\nnode index.js" {
		t.Errorf("two lines would come back as one: %+v", fields[0])
	}
}
