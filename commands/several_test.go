package commands_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// chosenSeveral goes from the list to where some bots are chosen.
func chosenSeveral(t *testing.T, w *world, keys ...string) (interaction.Response, func(customID string) batchOf) {
	t.Helper()
	c := newCommands(t, w)
	open := buttons(answer(t, c, command("bot list", nil)).Message)["Choose several…"].CustomID
	if got := buttonLabels(answer(t, c, press(open)).Message); got != "Restart Start Stop Reinstall packages All bots" {
		t.Errorf("the buttons are %s", got)
	}
	return answer(t, c, press(open, keys...)), func(customID string) batchOf { return restartBy(t.Context(), t, c, customID) }
}

// TestSeveralAreActedOnAsChosen has each action be asked for on three bots, of which one is already as it brings them.
func TestSeveralAreActedOnAsChosen(t *testing.T) {
	for label, want := range map[string]struct {
		question, now, end string
		done               []string
	}{
		"Restart":            {"Restart 2 bots?", "Restart 2 bots", "2 of 3 bots restarted", []string{"restart a", "restart b"}},
		"Start":              {"Start 1 bot?", "Start 1 bot", "1 of 3 bots started", []string{"start c"}},
		"Stop":               {"Stop 2 bots?", "Stop 2 bots", "2 of 3 bots stopped", []string{"stop a", "stop b"}},
		"Reinstall packages": {"Reinstall the packages of 3 bots?", "Reinstall 3 bots", "All 3 bots were reinstalled", []string{"reinstall a", "reinstall b", "reinstall c"}},
	} {
		t.Run(label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: account(server("a", "A", "RUNNING"), server("b", "B", "RUNNING"), server("c", "C", "STOPPED"), server("d", "D", "RUNNING"))}
				menu, act := chosenSeveral(t, w, "a", "b", "c")
				question := answer(t, newCommands(t, w), press(buttons(menu.Message)[label].CustomID))
				wantText(t, question.Message, want.question, "**A** · **B**")
				w.wantDone(t)
				end := act(buttons(question.Message)[want.now].CustomID)
				slices.Sort(w.done)
				w.wantDone(t, want.done...)
				wantText(t, end.last(), want.end)
			})
		})
	}
}

// TestSeveralKeepThePace has an action on 25 bots be asked for twice within a minute, of an account with many more.
func TestSeveralKeepThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		var servers []hostapi.Server
		var keys []string
		for i := range 300 {
			id := fmt.Sprintf("%03d", i)
			servers, keys = append(servers, server(id, "Bot "+id, "STOPPED")), append(keys, id)
		}
		w.list = account(servers...)
		c := newCommands(t, w)
		for from, offset := range []int{0, 25} {
			menu := answer(t, c, press(fmt.Sprint("several/", from), keys[offset:offset+25]...))
			id := strings.Replace(buttons(menu.Message)["Start"].CustomID, "several/start/", "several/start/now/", 1)
			wantText(t, restartBy(t.Context(), t, c, id).last(), "All 25 bots were started")
		}
		if len(w.done) != 50 {
			t.Errorf("%d were started", len(w.done))
		}
	})
}

// TestSeveralMeanTheBotsThatWereChosen refuses a press whose bots are not all there any more.
func TestSeveralMeanTheBotsThatWereChosen(t *testing.T) {
	w := &world{list: account(server("a", "A", "RUNNING"), server("b", "B", "RUNNING"), server("c", "C", "RUNNING"))}
	menu, _ := chosenSeveral(t, w, "a", "b")
	w.list = account(server("a", "A", "RUNNING"), server("c", "C", "RUNNING"))
	refused(t, newCommands(t, w), press(buttons(menu.Message)["Stop"].CustomID), "out of date")
	w.wantDone(t)
}
