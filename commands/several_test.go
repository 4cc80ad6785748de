package commands_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
)

// chooser is where several bots are chosen.
type chooser struct {
	t *testing.T
	c *commands.Commands
	interaction.Message
}

// toSeveral goes there from the list.
func toSeveral(t *testing.T, w *world) *chooser {
	t.Helper()
	c := newCommands(t, w)
	ch := &chooser{t, c, answer(t, c, command("bot list", nil)).Message}
	ch.press("Choose several…")
	return ch
}

// press presses a button.
func (ch *chooser) press(label string) {
	ch.t.Helper()
	button, is := buttons(ch.Message)[label]
	if !is || button.Disabled {
		ch.t.Fatalf("%s can't be pressed in:\n%s", label, text(ch.Message))
	}
	ch.Message = answer(ch.t, ch.c, press(button.CustomID)).Message
}

// menu is a menu of the message.
func (ch *chooser) menu(placeholder string) discordgo.SelectMenu {
	ch.t.Helper()
	menu, is := menus(ch.Message)[placeholder]
	if !is {
		ch.t.Fatalf("no menu %q in:\n%s", placeholder, text(ch.Message))
	}
	return menu
}

// pick chooses in a menu.
func (ch *chooser) pick(placeholder string, values ...string) {
	ch.t.Helper()
	ch.Message = answer(ch.t, ch.c, press(ch.menu(placeholder).CustomID, values...)).Message
}

// act presses the button that answers the question, and goes on to the end.
func (ch *chooser) act(label string) batchOf {
	ch.t.Helper()
	return restartBy(ch.t.Context(), ch.t, ch.c, buttons(ch.Message)[label].CustomID)
}

// downBots is an account of so many bots that are stopped: 000, 001 and so on.
func downBots(n int) hostapi.List {
	servers := make([]hostapi.Server, n)
	for i := range servers {
		servers[i] = server(fmt.Sprintf("%03d", i), fmt.Sprintf("Bot %03d", i), "STOPPED")
	}
	return account(servers...)
}

// TestSeveralAreActedOnAsChosen has each action be asked for on four bots, of which some are already as it brings them
// and one is suspended.
func TestSeveralAreActedOnAsChosen(t *testing.T) {
	for label, want := range map[string]struct {
		question, now, end string
		done               []string
	}{
		"Restart":            {"Restart 2 bots?\n\n**A** · **B**\n\nThese stay as they are:\n**C** · **S**", "Restart 2 bots", "All 2 bots were restarted", []string{"restart a", "restart b"}},
		"Start":              {"Start 1 bot?\n\n**C**", "Start 1 bot", "Started", []string{"start c"}},
		"Stop":               {"Stop 2 bots? They stay offline until you start them again.\n\n**A** · **B**", "Stop 2 bots", "All 2 bots were stopped", []string{"stop a", "stop b"}},
		"Reinstall packages": {"Reinstall the packages of 3 bots? They may be offline until that's done.\n\n**A** · **B** · **C**", "Reinstall packages (3)", "The packages of all 3 bots were reinstalled", []string{"reinstall a", "reinstall b", "reinstall c"}},
	} {
		t.Run(label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: account(server("a", "A", "RUNNING"), server("b", "B", "RUNNING"), server("c", "C", "STOPPED"), server("d", "D", "RUNNING"), server("s", "S", "SUSPENDED"))}
				ch := toSeveral(t, w)
				if got := buttonLabels(ch.Message); got != "Restart Start Stop Reinstall packages All bots" {
					t.Errorf("the buttons are %s", got)
				}
				ch.pick("Choose bots", "a", "b", "c", "s")
				ch.press(label)
				wantText(t, ch.Message, want.question)
				ch.press("Cancel")
				wantText(t, ch.Message, "Chosen (4): **A** · **B** · **C** · **S**")
				ch.press(label)
				w.wantDone(t)
				end := ch.act(want.now)
				slices.Sort(w.done)
				w.wantDone(t, want.done...)
				wantText(t, end.last(), want.end)
			})
		})
	}
}

// TestSeveralAreChosenOnPages chooses bots on two of three pages, and takes one choice back.
func TestSeveralAreChosenOnPages(t *testing.T) {
	w := &world{list: downBots(60)}
	w.list.Servers[51].ID, w.list.Servers[3].ID = "2", long("3") // like the number of a page; too long for a custom ID
	ch := toSeveral(t, w)
	ch.pick("Choose bots", "001", "002")
	ch.pick("Page 1 of 3", "2")
	wantText(t, ch.Message, "Chosen (2): **Bot 001** · **Bot 002**")
	if menu := ch.menu("Choose bots"); len(menu.Options) != 10 || menu.MaxValues != 10 || *menu.MinValues != 0 {
		t.Errorf("the last page is %+v", menu)
	}
	ch.pick("Choose bots", "2", "059")
	wantText(t, ch.Message, "Chosen (4): **Bot 001** · **Bot 002** · **Bot 051** · **Bot 059**")
	ch.pick("Page 3 of 3", "0")
	menu := ch.menu("Choose bots")
	if menu.MaxValues != 23 { // two are on another page
		t.Errorf("%d can be chosen", menu.MaxValues)
	}
	for i, option := range menu.Options {
		if option.Default != (i == 1 || i == 2) {
			t.Errorf("%s is chosen: %v", option.Label, option.Default)
		}
	}
	ch.pick("Choose bots", menu.Options[2].Value, menu.Options[3].Value)
	wantText(t, ch.Message, "Chosen (4): **Bot 051** · **Bot 059** · **Bot 002** · **Bot 003**")
	ch.pick("Choose bots")
	wantText(t, ch.Message, "Chosen (2): **Bot 051** · **Bot 059**")
	ch.press("Start")
	wantText(t, ch.Message, "Start 2 bots?", "**Bot 051** · **Bot 059**")
	w.wantDone(t)
}

// TestSeveralAreAtMostAMenuOfThem chooses all of a page, with names and IDs as long as they get; on the others is no room.
func TestSeveralAreAtMostAMenuOfThem(t *testing.T) {
	w := &world{list: downBots(300)}
	for i := range w.list.Servers {
		w.list.Servers[i].ID, w.list.Servers[i].Name = w.list.Servers[i].ID+long("i"), long("*")
	}
	ch := toSeveral(t, w)
	var values []string
	for _, option := range ch.menu("Choose bots").Options {
		values = append(values, option.Value)
	}
	ch.pick("Choose bots", values...)
	wantText(t, ch.Message, "Chosen (25)")
	ch.pick("Page 1 of 12", "3")
	if got := slices.Sorted(maps.Keys(menus(ch.Message))); !slices.Equal(got, []string{"Page 4 of 12"}) {
		t.Errorf("the menus are %q", got)
	}
	ch.press("Reinstall packages")
	if id := buttons(ch.Message)["Reinstall 25 bots"].CustomID; len(id) > 100 {
		t.Errorf("the custom ID has %d characters: %s", len(id), id)
	}
}

// TestSeveralKeepThePace has an action on 25 bots be asked for twice within a minute.
func TestSeveralKeepThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: downBots(50)}
		ch := toSeveral(t, w)
		for page, at := range []string{"Page 1 of 2", "Page 2 of 2"} {
			if page > 0 {
				ch = &chooser{t, ch.c, answer(t, ch.c, press(buttons(answer(t, ch.c, command("bot list", nil)).Message)["Choose several…"].CustomID)).Message}
				ch.pick("Page 1 of 2", "1")
			}
			ch.menu(at)
			var values []string
			for _, option := range ch.menu("Choose bots").Options {
				values = append(values, option.Value)
			}
			ch.pick("Choose bots", values...)
			ch.press("Start")
			wantText(t, ch.act("Start 25 bots").last(), "All 25 bots were started")
		}
		if len(w.done) != 50 {
			t.Errorf("%d were started", len(w.done))
		}
	})
}

// TestSeveralThatChangedAreLeftAlone has bots change between the question and its answer: only those that it named are
// acted on, if that still makes sense.
func TestSeveralThatChangedAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: account(server("a", "A", "RUNNING"), server("b", "B", "RUNNING"), server("c", "C", "STOPPED"), server("d", "D", "RUNNING"))}
		ch := toSeveral(t, w)
		ch.pick("Choose bots", "a", "b", "c")
		ch.press("Stop")
		wantText(t, ch.Message, "These stay as they are:\n**C**")
		w.list.Servers[0].Status, w.list.Servers[2].Status = "SUSPENDED", "RUNNING"
		end := ch.act("Stop 2 bots")
		w.wantDone(t, "stop b")
		wantText(t, end.last(), "Stopped 1 of 2 bots", "✅ B · stopped", "➖ A · left as it is")
		if got := labels(end.last()); got != "All bots" {
			t.Errorf("the buttons are %s", got)
		}
	})
}

// TestSeveralMeanTheBotsThatWereChosen refuses a press if not exactly the bots are there that were chosen: one is gone,
// one has come whose code is the same as of the one that is gone, or both are there.
func TestSeveralMeanTheBotsThatWereChosen(t *testing.T) {
	codeOf := func(id string) string {
		sum := sha256.Sum256([]byte("a" + id))
		return base64.RawURLEncoding.EncodeToString(sum[:])[:3]
	}
	twin := 0
	for codeOf(fmt.Sprint(twin)) != codeOf("b") {
		twin++
	}
	a, b, c, another := server("a", "A", "RUNNING"), server("b", "B", "RUNNING"), server("c", "C", "RUNNING"), server(fmt.Sprint(twin), "Twin", "RUNNING")
	for name, now := range map[string][]hostapi.Server{"gone": {a, c}, "another": {a, another, c}, "both": {a, b, another, c}} {
		w := &world{list: account(a, b, c)}
		ch := toSeveral(t, w)
		ch.pick("Choose bots", "a", "b")
		chosen := ch.Message
		ch.press("Stop")
		w.list = account(now...)
		for _, id := range []string{buttons(chosen)["Stop"].CustomID, buttons(ch.Message)["Stop 2 bots"].CustomID} {
			wantText(t, answer(t, ch.c, press(id)).Message, "Your bots have changed, so nothing was done", "**A**")
		}
		w.wantDone(t)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	w := &world{list: account(a, b, another)} // another letter tells them apart
	ch := toSeveral(t, w)
	ch.pick("Choose bots", "a", "b")
	wantText(t, ch.Message, "Chosen (2): **A** · **B**")
	ch.press("Stop")
	wantText(t, ch.Message, "Stop 2 bots?", "**A** · **B**")
}

// TestSeveralAreActedOnOnceByTwoPresses has the question be answered once more while the bots are acted on.
func TestSeveralAreActedOnOnceByTwoPresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		w := &world{list: account(server("a", "A", "RUNNING"), server("b", "B", "RUNNING")), action: func() (string, error) { <-end; return "STOPPED", nil }}
		ch := toSeveral(t, w)
		ch.pick("Choose bots", "a", "b")
		ch.press("Stop")
		first := press(buttons(ch.Message)["Stop 2 bots"].CustomID)
		first.ID = "1000"
		running := answer(t, ch.c, first)
		running = must(t)(running.Then.Run(t.Context())) // it has the locks
		second := ch.act("Stop 2 bots")
		if subject := second.steps[0].Subject; subject != running.Subject { // or what runs would be shown no more
			t.Errorf("the message is about %q, not %q", subject, running.Subject)
		}
		close(end)
		for running.Then != nil {
			running = must(t)(running.Then.Run(t.Context()))
		}
		wantText(t, running.Message, "All 2 bots were stopped")
		slices.Sort(w.done)
		w.wantDone(t, "stop a", "stop b")
	})
}

// TestSeveralAreNotChosenFromOne nor by staff, nor where all bots are suspended or nothing can be done to them.
func TestSeveralAreNotChosenFromOne(t *testing.T) {
	all := map[hostapi.Operation]bool{hostapi.OpStart: true, hostapi.OpStop: true, hostapi.OpRestart: true, hostapi.OpReinstall: true}
	for name, w := range map[string]*world{
		"suspended": {list: account(server("a", "A", "SUSPENDED"), server("b", "B", "SUSPENDED"))}, "nothing": {list: downBots(3), off: all},
	} {
		if list := answer(t, newCommands(t, w), command("bot list", nil)); strings.Contains(buttonLabels(list.Message), "Choose several…") {
			t.Errorf("%s: the buttons are %s", name, buttonLabels(list.Message))
		}
	}
}
