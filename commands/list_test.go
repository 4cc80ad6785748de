package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestListPages(t *testing.T) {
	w := &world{}
	for i := range 25 {
		w.list.Servers = append(w.list.Servers, server(fmt.Sprintf("id-%d", i), fmt.Sprintf("Bot %d", i), "RUNNING"))
	}
	w.list.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 16384, MaxServers: 30, ServerCount: 25}
	c := newCommands(t, w)

	first := must(t)(ask(t, c, command("bot list", nil)))
	wantText(t, first.Message, "Your bots", "Bot 0\n", "Bot 9\n", "12.5 GB", "16 GB", "512 MB", "2 GB", "150 %", "Page 1 of 3")
	if got := len(first.Message.Embeds[0].Fields); got != 10 {
		t.Errorf("the first page lists %d bots", got)
	}
	if b := buttons(first.Message); !b["Previous"].Disabled || b["Next"].Disabled {
		t.Error("paging buttons do not fit the first page")
	}
	last := must(t)(ask(t, c, press("list/2")))
	if last.Form != interaction.FormUpdate {
		t.Error("a page does not take the other's place")
	}
	wantText(t, last.Message, "Bot 20\n", "Bot 24\n", "Page 3 of 3")
	for _, beyond := range []string{"list/99", "list/-5", "list/x", "list/"} {
		r := must(t)(ask(t, c, press(beyond)))
		wantText(t, r.Message, "of 3")
	}
	wantText(t, must(t)(ask(t, c, press("list/with/id-17"))).Message, "Page 2 of 3")
}

func TestListWithoutBots(t *testing.T) {
	c := newCommands(t, &world{list: account()})
	r := must(t)(ask(t, c, command("bot list", nil)))
	wantText(t, r.Message, "Your bots", "no bots yet", "`/bot create`")
	if len(r.Message.Components) != 1 {
		t.Errorf("%d rows, want Refresh alone: an empty menu is refused", len(r.Message.Components))
	}
}

func TestPlan(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Two", PlanRAMMB: 2048, MaxServers: 2, ServerCount: 2}
	r := must(t)(ask(t, newCommands(t, &world{list: l}), command("plan", nil)))
	wantText(t, r.Message, "Two", "▰▰▰▰▰▱▱▱▱▱", "1 GB of 2 GB", "▰▰▰▰▰▰▰▰▰▰", "2 of 2")

	l.Account = hostapi.Account{}
	r = must(t)(ask(t, newCommands(t, &world{list: l}), command("plan", nil)))
	wantText(t, r.Message, "1 GB · ", "–")
}

// TestEveryMessageFits draws the largest account with the most hostile texts.
func TestEveryMessageFits(t *testing.T) {
	evil := strings.Repeat("*@everyone* [x](http://y) \u202e`", 400)
	l := hostapi.List{Account: hostapi.Account{PlanName: evil, PlanRAMMB: 1 << 60, MaxServers: 1 << 60, ServerCount: 1 << 60}}
	for i := range 60 {
		s := server(fmt.Sprintf("%d%s", i, evil), evil, evil)
		s.Language, s.EntryFile, s.StartupCommand, s.Subdomain, s.PlanName = evil, evil, evil, evil, evil
		s.RAMMB, s.DiskMB, s.CPUPercent = -1<<60, 1<<60, 1<<60
		l.Servers = append(l.Servers, s)
	}
	c := newCommands(t, &world{list: l})
	for _, locale := range []string{"en-US", "de", "tr"} {
		for _, request := range []interaction.Request{command("bot list", nil), press("list/5"), command("plan", nil)} {
			request.Locale = locale
			sendable(t, must(t)(ask(t, c, request)))
		}
		list := must(t)(ask(t, c, command("bot list", nil)))
		open := press("open", selectMenu(t, list.Message).Options[3].Value)
		open.Locale = locale
		card := must(t)(ask(t, c, open))
		sendable(t, card)
		for _, label := range buttons(card.Message) {
			if len(label.CustomID) > 100 {
				t.Errorf("custom ID of %d characters", len(label.CustomID))
			}
		}
	}
}
