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
		"one's id is a name":     {wanted: "Radio", refusal: "More than one of your bots matches **Radio**"},
		"name as it is shown":    {wanted: "web shop", name: "Web Shop"},
		"several":                {wanted: "Twin", refusal: "More than one of your bots matches **Twin**"},
		"several in other cases": {wanted: "SHOP", refusal: "More than one of your bots"},
		"several that begin so":  {wanted: "mail", refusal: "More than one of your bots"},
		"beginning":              {wanted: "oth", name: "Other"},
		"part":                   {wanted: "web s", name: "Web Shop"},
		"beginning before part":  {wanted: "r", name: "Radio"},
		"accents and markdown":   {wanted: "CILGINbot", name: `\*\*Çılgın_Bot\*\*`},
		"accents typed":          {wanted: "lóng", name: "Long"},
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

// alikes are pairs of texts that look alike, or of which phones make one of the other
// (discord.py#4175, arikawa#182, bitchat#214).
var alikes = [][2]string{
	{"bob's bot", "bob’s bot"}, {"bob's bot", "bob‘s bot"}, {"bob's bot", "bob´s bot"}, {"bob's bot", "bob`s bot"}, {"bob's bot", "bob′s bot"}, {"bob's bot", "bob＇s bot"},
	{`my "cool" bot`, "my “cool” bot"}, {`my "cool" bot`, "my „cool“ bot"}, {`my "cool" bot`, "my «\u00a0cool\u00a0» bot"}, {`my "cool" bot`, "my ″cool″ bot"}, {`my "cool" bot`, "my ＂cool＂ bot"},
	{"dev--bot", "dev—bot"}, {"dev-bot", "dev—bot"}, {"dev-bot", "dev–bot"}, {"dev-bot", "dev‑bot"}, {"dev-bot", "dev−bot"}, {"dev-bot", "dev－bot"}, {"dev--bot", "dev——bot"}, {"dev - bot", "dev – bot"},
	{"bob's bot", "bobʽs bot"}, {"bob's bot", "bob՚s bot"}, {"bob's bot", "bobꞌs bot"}, {"bob`s bot", "bobˋs bot"}, {"5'''", "5‴"}, {"'n bot", "ŉ bot"}, {"ג'ירף", "ג׳ירף"}, {`צה"ל`, "צה״ל"}, {`my "cool" bot`, "my 🙶cool🙷 bot"},
	{"dev-bot", "dev⸻bot"}, {"dev-bot", "dev⁻bot"}, {"dev-bot", "dev˗bot"}, {"dev-bot", "dev︱bot"}, {"אל-על", "אל־על"}, {"東京~大阪", "東京〜大阪"}, {"東京～大阪", "東京〜大阪"},
	{"wait...bot", "wait⋯bot"}, {"wait...bot", "wait…bot"}, {"wait...bot", "wait……bot"},
	{"Café bot", "Cafe\u0301 bot"}, {"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"}, {"ﬁsh", "fish"}, {"1/2 bot", "½ bot"}, {"ショップ", "ｼｮｯﾌﾟ"},
	{"❤️ bot", "❤ bot"}, {"1️⃣ bot", "1⃣ bot"}, {"👩\u200d💻 bot", "👩💻 bot"}, {"👍 bot", "👍🏽 bot"}, {"👩🏾\u200d💻 bot", "👩🏻\u200d💻 bot"},
	{"shop bot 1", "ｓｈｏｐ　ｂｏｔ　１"}, {"shop bot", "shop\u00a0bot"}, {"shop bot", "shop\u202fbot"}, {"shop bot", "  shop \t bot "},
	{"shop bot", "sh\u00adop\u200b bot\ufeff"}, {"shop bot", "\u202ashop bot\u202c"}, {"میخواهم", "می\u200cخواهم"},
}

func TestLookalikesAreFoundAndDeleted(t *testing.T) {
	for _, pair := range alikes {
		for _, direction := range [][2]string{{pair[0], pair[1]}, {pair[1], pair[0]}} {
			called, typed := direction[0], direction[1]
			w := &world{list: account(server("a", called, "RUNNING"), server("b", "Radio", "RUNNING"))}
			c := newCommands(t, w)
			if got, err := ask(t, c, onBot("bot stop", typed)); err != nil || got.Act().Action.BotID != "a" {
				t.Errorf("%q typed for %q: %v", typed, called, err)
			}
			if got := answer(t, c, typing("bot stop", typed)).Choices; len(got) != 1 || got[0].Value != "a" {
				t.Errorf("%q typed for %q: suggested %+v", typed, called, got)
			}
			c = newCommands(t, w)
			if got, err := ask(t, c, submit("delete/a", map[string]string{"name": typed})); err != nil || got.Act().Action.BotID != "a" {
				t.Errorf("%q typed to delete %q: %v", typed, called, err)
			}
			// What is written exactly is meant, whatever looks like it.
			w.list = account(server("a", called, "RUNNING"), server("b", typed, "RUNNING"))
			if strings.TrimSpace(typed) == typed {
				if got, err := ask(t, newCommands(t, w), onBot("bot stop", typed)); err != nil || got.Act().Action.BotID != "b" {
					t.Errorf("%q typed, which is a name: %v", typed, err)
				}
			}
		}
	}
}

func TestNothingIsDeletedByANameThatLooksLikeSeveral(t *testing.T) {
	w := &world{list: account(server("a", "dev-bot", "RUNNING"), server("b", "dev–bot", "RUNNING"), server("c", "\u3164", "RUNNING"), server("d", "❤️", "RUNNING"))}
	c := newCommands(t, w)
	for form, typed := range map[string]string{"delete/a": "dev—bot", "delete/b": "dev-bot", "delete/c": "\ufe0f", "delete/d": "\ufe0f"} {
		refused(t, c, submit(form, map[string]string{"name": typed}), "isn't the name")
	}
	refused(t, c, onBot("bot stop", "dev—bot"), "More than one of your bots")
	for _, nothing := range []string{"\ufe0f", "🟢 \u200b", "🟢", "--", `"`, "…"} {
		refused(t, c, onBot("bot stop", nothing), "You don't have a bot called")
	}
	w.wantDone(t)
}

func TestWhatIsTypedAroundANameIsUnderstood(t *testing.T) {
	w := &world{list: account(server("srv-1", "alpha-shop", "RUNNING"), server("srv-2", "Radio", "STOPPED"))}
	c := newCommands(t, w)
	for _, typed := range []string{
		"alpha-shop", "🟢 alpha-shop", "⚫\ufe0f alpha-shop", `"alpha-shop"`, "“alpha-shop”", "'alpha-shop'", "«alpha-shop»", "„alpha-shop“", "`alpha-shop`", "**alpha-shop**",
		"alpha shop", "alpha_shop", "alphashop", "Alpha Shop", "ALPHA—SHOP", "@alpha-shop", "#alpha-shop", "🟢 @Alpha_Shop", "srv-1", "SRV-1", "srv–1", "`srv-1`", "🟢 srv-1",
	} {
		if got, err := ask(t, newCommands(t, w), onBot("bot stop", typed)); err != nil || got.Act().Action.BotID != "srv-1" {
			t.Errorf("%q: %v", typed, err)
		}
	}
	if got := answer(t, c, typing("bot stop", "🟢 alpha-shop")).Choices; len(got) != 1 || got[0].Value != "srv-1" {
		t.Errorf("suggested %+v", got)
	}
}

// TestNamesOfSuggestionsAreUnderstood: Discord sends them now and then in the place of the values
// (discord-api-docs#4595, #7206).
func TestNamesOfSuggestionsAreUnderstood(t *testing.T) {
	long := strings.Repeat("n", 200)
	for _, status := range []string{"RUNNING", "STOPPED", "STARTING", "STOPPING", "CRASHED", "SUSPENDED", "Hibernating", ""} {
		w := &world{list: account(server("1", "Shop", status), server("2", "shop", status), server("3", "Twin", status), server("4", "Twin", status), server("5", long+"1", status),
			server("6", long+"2", status), server("7", "🟢", status), server("8", "", status), server("9", "חנות", status), server(long, "Twin", status), server("11", "m"+long, status))}
		c := newCommands(t, w)
		for _, choice := range answer(t, c, typing("bot show", "")).Choices {
			meant := answer(t, c, onBot("bot show", choice.Value)).Message.Embeds[0]
			if got, err := ask(t, c, onBot("bot show", choice.Name)); err != nil || got.Subject == "" || got.Message.Embeds[0].Title != meant.Title {
				t.Errorf("%q: %v", choice.Name, err)
			}
		}
	}
}

func TestOnesIDIsAnothersName(t *testing.T) {
	w := &world{list: account(server("1", "2", "RUNNING"), server("2", "1", "RUNNING"), server("3", "3", "RUNNING"))}
	c := newCommands(t, w)
	for _, typed := range []string{"2", `"2"`, "２", "#2"} { // moby#8069
		menu := menus(explained(t, c, onBot("bot stop", typed)))["Choose a bot"]
		if len(menu.Options) != 2 {
			t.Errorf("%q: offered %+v", typed, menu.Options)
		}
		if got := answer(t, newCommands(t, w), press(menu.CustomID, "2")); got.Act().Action.BotID != "2" {
			t.Errorf("%q: %s is chosen", typed, got.Act().Action.BotID)
		}
	}
	if got := answer(t, newCommands(t, w), onBot("bot stop", "🟢 2")); got.Act().Action.BotID != "1" {
		t.Errorf("a suggestion shows names, and %s is meant", got.Act().Action.BotID)
	}
	var values []string
	for _, choice := range answer(t, c, typing("bot stop", "")).Choices {
		got := answer(t, newCommands(t, w), onBot("bot stop", choice.Value))
		values = append(values, got.Act().Action.BotID)
	}
	if got := strings.Join(values, " "); got != "1 2 3" {
		t.Errorf("suggestions stand for %s", got)
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
					label := map[string]string{
						"bot show": "Radio", "bot restart": "Restart Radio", "bot start": "Start · Radio", "bot stop": "Stop · Radio",
						"bot startup": "Startup · Radio", "bot delete": "Delete · Radio", "bot reinstall": "Reinstall packages · Radio",
					}[command] // what a press does
					on = press(buttons(refusal)[label].CustomID)
				}
				got := answer(t, c, on)
				if does != "" {
					must(t)(got.Then.Run(t.Context()))
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
	radio := buttons(explained(t, c, request))["Start · Radio"]
	ending(t, c, by("1", press(radio.CustomID)))
	if len(w.done) != 1 || w.done[0] != "start b" || len(w.others) != 0 {
		t.Errorf("done %q, touched %q", w.done, w.others)
	}
	refused(t, c, press(radio.CustomID), "This is for staff")
}
