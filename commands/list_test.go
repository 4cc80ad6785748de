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

	first := answer(t, c, command("bot list", nil))
	wantText(t, first.Message, "Your bots", "Bot 0\n", "Bot 9\n", "12.5 GB", "16 GB", "512 MB", "2 GB", "150 %", "Page 1 of 3")
	if got := len(first.Message.Embeds[0].Fields); got != 10 {
		t.Errorf("the first page lists %d bots", got)
	}
	if b := buttons(first.Message); !b["Previous"].Disabled || b["Next"].Disabled {
		t.Error("paging buttons do not fit the first page")
	}
	last := answer(t, c, press("list/2"))
	wantText(t, last.Message, "Bot 20\n", "Bot 24\n", "Page 3 of 3")
	if last.Form != interaction.FormUpdate {
		t.Error("a page does not take the other's place")
	}
	for id, page := range map[string]string{"list/99": "3", "list/-5": "1", "list/x": "1", "list/": "1", "list/with/id-17": "2", "list/with/?": "1"} {
		wantText(t, answer(t, c, press(id)).Message, "Page "+page+" of 3")
	}
}

func TestListWithoutBots(t *testing.T) {
	r := answer(t, newCommands(t, &world{list: account()}), command("bot list", nil))
	wantText(t, r.Message, "Your bots", "no bots yet", "`/bot create`")
	if len(r.Message.Components) != 1 {
		t.Errorf("%d rows, want Refresh alone: an empty menu is refused", len(r.Message.Components))
	}
}

// TestLargestAccountFits shows the largest account with the most hostile texts.
func TestLargestAccountFits(t *testing.T) {
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
		list := answer(t, c, inLanguage(locale, command("bot list", nil)))
		for _, menu := range menus(list.Message) {
			sendable(t, answer(t, c, inLanguage(locale, press("open", menu.Options[3].Value))))
		}
		sendable(t, list)
		for _, request := range []interaction.Request{press("list/5"), command("plan", nil)} {
			sendable(t, answer(t, c, inLanguage(locale, request)))
		}
	}
}
