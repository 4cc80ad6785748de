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
		server("9", "Web\u202e  Shop\u200b", "RUNNING"))
	tests := map[string]struct{ wanted, name, refusal string }{
		"id":                     {wanted: "3", name: "Radio"},
		"name":                   {wanted: " Long ", name: "Long"},
		"name in its own case":   {wanted: "shop", name: "shop"},
		"name in another case":   {wanted: "LONG", name: "Long"},
		"id before name":         {wanted: "Radio", name: "Other"},
		"name as it is shown":    {wanted: "web shop", name: "Web Shop"},
		"several":                {wanted: "Twin", refusal: "`4`, `5`"},
		"several in other cases": {wanted: "SHOP", refusal: "`1`, `2`"},
		"none":                   {wanted: "No*pe", refusal: `No\*pe`},
		"nearly":                 {wanted: "Radoi", refusal: "Did you mean **Radio**?"},
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
		onBot("bot restart", "b"), press("restart", "b"), press("stop"), press("new/0/restart/b"),
	} {
		refused(t, newCommands(t, w), request, "bot")
	}
	if len(w.done) != 0 {
		t.Errorf("done: %q", w.done)
	}
}
