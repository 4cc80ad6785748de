package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"hostbot/bot/interaction"
)

func TestBotIsFound(t *testing.T) {
	long := strings.Repeat("x", 300)
	list := account(server("1", "Shop", "RUNNING"), server("2", "shop", "RUNNING"), server("3", "Radio", "RUNNING"),
		server("4", "Twin", "RUNNING"), server("5", "Twin", "RUNNING"), server("Radio", "Other", "RUNNING"), server("8", " ", "RUNNING"), server(long, "Long", "RUNNING"),
		server("9", "Web\u202e  Shop\u200b", "RUNNING"), server("10", "**Çılgın_Bot**", "RUNNING"), server("11", "Straße", "RUNNING"),
		server("12", "Mail out", "RUNNING"), server("13", "Mail in", "RUNNING"), server("14", "חנות", "RUNNING"))
	tests := map[string]struct{ wanted, name, refusal string }{
		"id":                     {wanted: "3", name: "Radio"},
		"name":                   {wanted: " Long ", name: "Long"},
		"name in its own case":   {wanted: "shop", name: "shop"},
		"name in another case":   {wanted: "LONG", name: "Long"},
		"id before name":         {wanted: "Radio", name: "Other"},
		"name as it is shown":    {wanted: "web shop", name: "Web Shop"},
		"several":                {wanted: "Twin", refusal: "More than one of your bots matches **Twin**"},
		"several in other cases": {wanted: "SHOP", refusal: "More than one of your bots"},
		"several that begin so":  {wanted: "mail", refusal: "More than one of your bots"},
		"beginning":              {wanted: "oth", name: "Other"},
		"part":                   {wanted: "web s", name: "Web Shop"},
		"beginning before part":  {wanted: "r", name: "Radio"},
		"accents and markdown":   {wanted: "CILGINbot", name: `\*\*Çılgın_Bot\*\*`},
		"accents typed":          {wanted: "ràdió", name: "Radio"},
		"letters of its own":     {wanted: "strasse", name: "Straße"},
		"transposed letter":      {wanted: "mial out", name: "Mail out"},
		"right to left":          {wanted: "חנ", name: "\u2068חנות\u2069"},
		"nothing but markdown":   {wanted: "**", refusal: "You don't have a bot called"},
		"none":                   {wanted: "No*pe", refusal: `No\*pe`},
		"nearly":                 {wanted: "Rabbio", refusal: "You don't have a bot called **Rabbio**.\nDid you mean **Radio**?"},
		"nothing that shows":     {wanted: "\u200b", refusal: "–"},
		"huge":                   {wanted: strings.Repeat("@everyone ", 500), refusal: `\@everyone`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: list})
			if test.refusal != "" {
				refused(t, c, onBot("bot show", test.wanted), test.refusal)
				return
			}
			wantText(t, answer(t, c, onBot("bot show", test.wanted)).Message, " "+test.name+"\n")
		})
	}
}

func TestCompleteSuggestsWhatIsUnderstood(t *testing.T) {
	alike := strings.Repeat("n", 100)
	w := &world{list: account(server("shop-1", "Web radio", "RUNNING"), server("1", "Web shop", "RUNNING"), server("2", "Shop", "STOPPED"),
		server(strings.Repeat("é", 200), strings.Repeat("m", 300), "RUNNING"))}
	c := newCommands(t, w)
	complete := func(typed string) []interaction.Choice { return answer(t, c, typing("bot show", typed)).Choices }
	if got := complete("SHO"); len(got) != 3 || got[0].Value != "2" || got[1].Value != "1" || got[2].Value != "shop-1" {
		t.Errorf("suggested %+v, want names that begin with it, names that have it, IDs", got)
	}
	for _, choice := range complete("") {
		answer(t, c, onBot("bot show", choice.Value))
		answer(t, c, press("open", choice.Value))
	}
	w.list = account(server("a", "Shop", "RUNNING"), server("b", "Shop\u200b", "RUNNING"), server("c", alike+"1", "RUNNING"), server("d", alike+"2", "RUNNING"))
	for _, choice := range complete("") {
		if !strings.HasSuffix(choice.Name, " · "+choice.Value) {
			t.Errorf("%q looks like another", choice.Name)
		}
	}
	for _, o := range menus(answer(t, c, command("bot list", nil)).Message)["Open a bot"].Options {
		if !strings.HasSuffix(o.Label, " · "+o.Value) {
			t.Errorf("%q looks like another", o.Label)
		}
	}
	for i := range 60 {
		w.list.Servers = append(w.list.Servers, server(fmt.Sprint(100+i), "Shop", "RUNNING"))
	}
	if got := complete("shop"); len(got) != 25 {
		t.Errorf("%d suggestions", len(got))
	}
}

func TestNobodyElsesBotIsFound(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	for _, request := range []interaction.Request{
		press("restart/b"), press("reinstall/"), press("show/b"), press("open", "b"), press("open"),
		onBot("bot restart", "b"), press("restart", "b"), press("stop"),
		press("startup/b"), press("delete/b"), submit("startup/b", map[string]string{"command": "node a.js"}), submit("delete/b", map[string]string{"name": "Shop"}),
	} {
		refused(t, newCommands(t, w), request, "bot")
	}
	w.wantDone(t)
}

// TestMenuGoesOnWithWhatWasAsked: who has mistyped a name need not type again.
func TestMenuGoesOnWithWhatWasAsked(t *testing.T) {
	for name, want := range map[string]struct{ typed, offered string }{
		"much like one": {"Rabbio", ""}, "two letters changed places": {"Raido", ""}, "several": {"s", "a c"}, "like none": {"xyz", "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			for command, does := range map[string]string{
				"bot show": "", "bot start": "start", "bot stop": "stop", "bot restart": "restart",
				"bot startup": "", "bot delete": "", "bot reinstall": "", // which ask first
			} {
				w := &world{list: account(server("a", "Shop", "Odd"), server("b", "Radio", "Odd"), server("c", "Super", "Odd"))}
				c := newCommands(t, w)
				if command == "bot show" && want.typed == "Raido" {
					wantText(t, answer(t, c, onBot(command, want.typed)).Message, "Radio") // it changes nothing
					continue
				}
				refusal := explained(t, c, onBot(command, want.typed))
				menu := menus(refusal)["Choose a bot"]
				var offered []string
				for _, o := range menu.Options {
					offered = append(offered, o.Value)
				}
				if got := strings.Join(offered, " "); got != want.offered {
					t.Errorf("offered %q, want %q", got, want.offered)
				}
				on := press(menu.CustomID, "b")
				if want.offered == "" {
					wantText(t, refusal, "Did you mean **Radio**?")
					on = press(buttons(refusal)["Radio"].CustomID)
				}
				got := answer(t, c, on)
				if does != "" {
					must(t)(got.Then(t.Context()))
				}
				if done := strings.Join(w.done, ""); strings.TrimSuffix(done, " b") != does {
					t.Errorf("%s: done %q", command, done)
				}
			}
		})
	}
}

func TestStaffsMenuGoesOnWithTheCustomersBot(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "STOPPED"), server("b", "Radio", "STOPPED"))}
	c := newCommands(t, w)
	request := by("1", command("admin action", map[string]string{"user": "42", "bot": "Rabbio", "do": "start"}))
	radio := buttons(explained(t, c, request))["Radio"]
	ending(t, c, by("1", press(radio.CustomID)))
	if len(w.done) != 1 || w.done[0] != "start b" || len(w.others) != 0 {
		t.Errorf("done %q, touched %q", w.done, w.others)
	}
	refused(t, c, press(radio.CustomID), "This is for staff")
}
