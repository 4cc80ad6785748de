package commands_test

import (
	"fmt"
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
