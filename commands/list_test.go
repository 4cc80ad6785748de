package commands_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// manyBots is an account with 40 bots that run.
func manyBots() hostapi.List {
	var servers []hostapi.Server
	for i := range 40 {
		servers = append(servers, server(fmt.Sprintf("id-%d", i), fmt.Sprintf("Bot %d", i), "RUNNING"))
	}
	return account(servers...)
}

func TestListSaysProblemsFirst(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "CRASHED"), server("c", "Wiki", "STOPPED"), server("d", "Blog", "SUSPENDED"), server("e", "Chat", "RUNNING"))}
	c := newCommands(t, w)
	r := answer(t, c, command("bot list", nil))
	want := "\nYour bots\n🔴 Radio · Crashed\n⛔ Blog · Suspended\n🟢 Shop · Running\n⚫ Wiki · Stopped\n🟢 Chat · Running\n\n" +
		"Plan **Pro** · RAM 2.5 GB of 4 GB · Bots 5 of 100\n\n-# Last updated <t:1700000000:R>"
	if got := text(r.Message); got != want {
		t.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
	var names []string
	restart := menus(r.Message)["Restart a bot"]
	for _, o := range restart.Options {
		names = append(names, o.Label)
	}
	if got := strings.Join(names, ", "); got != "Radio, Shop, Chat" {
		t.Errorf("to be restarted: %s", got)
	}
	if ending(t, c, press(restart.CustomID, "b")); len(w.done) != 1 || w.done[0] != "restart b" {
		t.Errorf("done: %q", w.done)
	}
}

// buttonLabels lists the labels of all buttons of a message, in their order.
func buttonLabels(m interaction.Message) string {
	var all []string
	for _, b := range componentsOf[discordgo.Button](m) {
		all = append(all, b.Label)
	}
	return strings.Join(all, " ")
}

// TestCrashedBotsAreRestartedFromTheList has the first three of those have a button, which does it
// at once.
func TestCrashedBotsAreRestartedFromTheList(t *testing.T) {
	var servers []hostapi.Server
	for i, status := range []string{"CRASHED", "RUNNING", "ERROR", "SUSPENDED", "CRASHED", "CRASHED"} {
		servers = append(servers, server(fmt.Sprint("id-", i), fmt.Sprint("Bot *", i, "*"), status))
	}
	w := &world{list: account(servers...)}
	c := newCommands(t, w)
	shown := answer(t, c, command("bot list", nil))
	wantText(t, shown.Message, "🔴 Crashed: 3 · 🔴 Error: 1 · ⛔ Suspended: 1 · 🟢 Running: 1")
	if got := buttonLabels(shown.Message); !strings.HasPrefix(got, "Restart crashed bots (4) Restart Bot *0* Restart Bot *2* Restart Bot *4* Refresh") {
		t.Errorf("the buttons are %s", got)
	}
	ending(t, c, press(buttons(shown.Message)["Restart Bot *2*"].CustomID))
	if len(w.done) != 1 || w.done[0] != "restart id-2" {
		t.Errorf("done: %q", w.done)
	}
	w.off = map[hostapi.Operation]bool{hostapi.OpRestart: true}
	if got := buttonLabels(answer(t, newCommands(t, w), command("bot list", nil)).Message); strings.Contains(got, "Restart Bot") {
		t.Errorf("where nothing can be restarted the buttons are %s", got)
	}
}

// TestListLeadsToAnotherBot offers a new bot while the plan has room, and a bigger plan otherwise. Where
// all bots are suspended the way leads to support.
func TestListLeadsToAnotherBot(t *testing.T) {
	two := []hostapi.Server{server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING")}
	room, full := account(two...), account(two...)
	full.Account.MaxServers, full.Account.ServerCount = 2, 2
	suspended := account(server("a", "Shop", "SUSPENDED"), server("b", "Radio", "SUSPENDED"))
	for name, test := range map[string]struct {
		list hostapi.List
		want string
	}{"room": {room, "Refresh Create Choose several…"}, "full": {full, "Refresh Upgrade plan Choose several…"}, "suspended": {suspended, "Refresh Contact support"}} {
		c := newCommands(t, &world{list: test.list, links: commands.Links{Upgrade: "https://a.example/up", Support: "https://a.example/help"}})
		if got := buttonLabels(answer(t, c, command("bot list", nil)).Message); got != test.want {
			t.Errorf("%s: the buttons are %q, want %q", name, got, test.want)
		}
		staffs := answer(t, c, by("1", command("admin lookup", map[string]string{"user": "42"})))
		if got := buttonLabels(staffs.Message); strings.Contains(got, "Create") || strings.Contains(got, "Upgrade") {
			t.Errorf("%s: staff have %q", name, got)
		}
	}
}

func TestListPages(t *testing.T) {
	c := newCommands(t, &world{list: manyBots()})
	first := answer(t, c, command("bot list", nil))
	wantText(t, first.Message, "Your bots", "🟢 Running: 40 · Page 1 of 4\n", "Bot 0 ·", "Bot 9 ·")
	if strings.Contains(text(first.Message), "Bot 10 ") {
		t.Error("the first page is too long")
	}
	pages := menus(first.Message)["Page 1 of 4"]
	if len(pages.Options) != 4 || !pages.Options[0].Default || pages.Options[3].Label != "Page 4 of 4" {
		t.Fatalf("the pages are %+v", pages.Options)
	}
	last := answer(t, c, press(pages.CustomID, pages.Options[3].Value))
	wantText(t, last.Message, "Bot 30 ·", "Bot 39 ·", "Page 4 of 4")
	if last.Form != interaction.FormUpdate {
		t.Error("a page does not take the other's place")
	}
	if b := buttons(last.Message)["Refresh"]; b.CustomID != "list/3" {
		t.Errorf("Refresh leads to %s", b.CustomID)
	}
	for id, page := range map[string]string{"list/99": "4", "list/-5": "1", "list/x": "1", "list/": "1", "list/with/id-17": "2", "list/with/?": "1", "list/with/": "1"} {
		wantText(t, answer(t, c, press(id)).Message, "Page "+page+" of 4")
	}
	wantText(t, answer(t, c, press("pages", "x")).Message, "Page 1 of 4")
}

func TestMenuOfManyPagesHoldsThoseAround(t *testing.T) {
	w := &world{}
	for i := range 40 {
		for _, s := range manyBots().Servers {
			s.ID += fmt.Sprint("-", i)
			w.list.Servers = append(w.list.Servers, s)
		}
	}
	c := newCommands(t, w)
	for page, first := range map[string]string{"0": "Page 1 of 160", "50": "Page 39 of 160", "159": "Page 136 of 160"} {
		r := answer(t, c, press("pages", page))
		sendable(t, r)
		options := componentsOf[discordgo.SelectMenu](r.Message)[2].Options
		if len(options) != 25 || options[0].Label != first {
			t.Errorf("page %s: %d pages from %s", page, len(options), options[0].Label)
		}
	}
}

func TestListWithoutBots(t *testing.T) {
	c := newCommands(t, &world{list: account()})
	r := answer(t, c, command("bot list", nil))
	wantText(t, r.Message, "Your bots", "no bots yet", "`/bot create`")
	if len(r.Message.Components) != 1 {
		t.Errorf("%d rows, want one with buttons alone: an empty menu is refused", len(r.Message.Components))
	}
	wantText(t, answer(t, c, press(buttons(r.Message)["Create"].CustomID)).Message, "You can create")
}

func TestListOfOneBotIsItsCard(t *testing.T) {
	_, c := shop(t, "RUNNING")
	for _, request := range []interaction.Request{command("bot list", nil), press("list/with/a"), press("list/0")} {
		if got := labels(answer(t, c, request).Message); !strings.HasPrefix(got, "Restart (Start)") {
			t.Errorf("%s has %s", request.Name, got)
		}
	}
	staffs := answer(t, c, by("1", command("admin lookup", map[string]string{"user": "42"})))
	wantText(t, staffs.Message, "🟢 Shop · Running")
}

func TestCommandWithoutABotMeansTheOnlyOne(t *testing.T) {
	for _, name := range []string{"show", "start", "stop", "restart", "reinstall"} {
		for _, options := range []map[string]string{nil, {"bot": " "}} {
			status := "CRASHED"
			if name == "stop" { // which makes no sense there
				status = "RUNNING"
			}
			w := &world{list: account(server("a ", "Shop", status))}
			r := answer(t, newCommands(t, w), command("bot "+name, options))
			if r.Then != nil {
				must(t)(r.Then.Run(t.Context()))
			}
			if name != "show" && (len(w.done) != 1 || w.done[0] != name+" a ") {
				t.Errorf("/bot %s: done %q", name, w.done)
			}
			wantText(t, r.Message, " Shop\n")
		}
	}
	wantText(t, answer(t, newCommands(t, &world{list: account()}), command("bot restart", nil)).Message, "no bots yet")
}

func TestCommandWithoutABotAsksWhichIsMeant(t *testing.T) {
	w := &world{
		list:  account(server("a", "Shop", "RUNNING"), server("b", "Radio", "CRASHED"), server("c", "Wiki", "STOPPED"), server("d", "Blog", "CRASHED")),
		notes: map[string]accounts.Note{"c": {Action: "stop", At: time.Unix(1, 0)}},
	}
	c := newCommands(t, w)
	for name, question := range map[string]string{
		"show": "want to see?", "start": "want to start?", "stop": "want to stop?", "restart": "want to restart?", "reinstall": "packages do you want to reinstall?",
	} {
		w.done = nil
		asked := answer(t, c, command("bot "+name, nil))
		sendable(t, asked)
		wantText(t, asked.Message, question)
		menu, order := menus(asked.Message)["Choose a bot"], ""
		for _, o := range menu.Options {
			order += o.Value
		}
		if order != "bdca" {
			t.Errorf("/bot %s offers %s, want those that have crashed, then the one that was used last", name, order)
		}
		key, called := "b", " Radio\n"
		if name == "stop" { // which makes no sense there
			key, called = "a", " Shop\n"
		}
		chosen := answer(t, c, press(menu.CustomID, key))
		wantText(t, chosen.Message, called)
		if chosen.Form != interaction.FormUpdate {
			t.Errorf("/bot %s: the answer does not take the question's place", name)
		}
		if chosen.Then != nil {
			must(t)(chosen.Then.Run(t.Context()))
		}
		if name != "show" && (len(w.done) != 1 || w.done[0] != name+" "+key) {
			t.Errorf("/bot %s: done %q", name, w.done)
		}
		w.notes = map[string]accounts.Note{"c": {Action: "stop", At: time.Unix(1, 0)}}
	}
	many := answer(t, newCommands(t, &world{list: manyBots()}), command("bot restart", nil))
	sendable(t, many)
	wantText(t, many.Message, "This menu shows up to 25 bots", "type its name")
}

// TestMenuThatIsUpdatedHoldsTheOnlyBot has one bot be left of two between which a customer was
// asked to choose: nothing is done without the choice.
func TestMenuThatIsUpdatedHoldsTheOnlyBot(t *testing.T) {
	for _, name := range []string{"bot show", "bot restart"} {
		w := &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING")), old: true, update: becoming(account(server("a", "Shop", "RUNNING")))}
		asked := answer(t, newCommands(t, w), command(name, nil))
		wantText(t, asked.Message, "Updating")
		updated := must(t)(asked.Then.Run(t.Context()))
		if options := menus(updated.Message)["Choose a bot"].Options; len(options) != 1 || options[0].Value != "a" || updated.Then != nil {
			t.Errorf("/%s: the menu holds %+v", name, options)
		}
		w.wantDone(t)
	}
}

// An account of 60 bots of which the service tells of one: nothing may be taken for all there is.
func TestWhatTheListLacksIsSaid(t *testing.T) {
	w := &world{list: shopWithPlan(4096, 99)}
	w.list.Account.ServerCount = 60
	c := newCommands(t, w)
	const said = "⚠️ 59 more bots couldn't be loaded."
	wantText(t, answer(t, c, command("bot list", nil)).Message, "🟢 Shop · Running\n\n"+said, "RAM ≥ 512 MB of 4 GB · Bots 60 of 99")
	wantText(t, answer(t, c, command("plan", nil)).Message, "≥ 512 MB of 4 GB", "60 of 99\n"+said)
	wantText(t, answer(t, c, command("bot restart", nil)).Message, "Which bot", said)
	for _, r := range []interaction.Request{onBot("bot restart", "radio"), press("show/b")} {
		wantText(t, explained(t, c, r), said)
	}
	w.list.Servers, w.list.Account.ServerCount = nil, 1
	list := text(answer(t, c, command("bot list", nil)).Message)
	if !strings.Contains(list, "⚠️ 1 more bot couldn't be loaded.") || strings.Contains(list, "no bots") {
		t.Errorf("of an account with a bot that is not told of:\n%s", list)
	}
	if len(w.done) > 0 {
		t.Errorf("done: %q", w.done)
	}
}

func TestFiguresThatAreNotKnownAreNoZeros(t *testing.T) {
	odd := server("a", "Shop", "")
	odd.RAMMB, odd.DiskMB = 0, -1
	l := account(odd, server("b", "Radio", "RUNNING"))
	c := newCommands(t, &world{list: l})
	wantText(t, answer(t, c, onBot("bot show", "a")).Message, "Unknown\nLimits: – RAM · – disk · 1.5 vCPU")
	wantText(t, answer(t, c, command("bot list", nil)).Message, "⚪ Shop · Unknown", "RAM ≥ 512 MB of 4 GB · Bots 2 of 100")
	l.Servers = l.Servers[:1]
	l.Account.ServerCount = 1
	wantText(t, answer(t, newCommands(t, &world{list: l}), command("plan", nil)).Message, "RAM\n– of 4 GB")
	l.Account = hostapi.Account{ServerCount: 1}
	wantText(t, answer(t, newCommands(t, &world{list: l}), command("plan", nil)).Message, "RAM\n– · No limit", "Bots\n1 · No limit")
}

// Some services have numbers for states.
func TestStatusThatIsANumberIsUnknown(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "20"), server("b", "Radio", "WEIRD 20")), action: func() (string, error) { return "20", nil }}
	c := newCommands(t, w)
	wantText(t, answer(t, c, command("bot list", nil)).Message, "⚪ Shop · Unknown\n⚪ Radio · WEIRD 20")
	wantText(t, ending(t, c, press("restart/a")).Message, "✅ Restarted")
}
