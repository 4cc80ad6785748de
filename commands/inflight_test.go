package commands_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
)

// elsewhere returns what Redis has of the actions of customer 42 while another process runs one.
func elsewhere(t *testing.T, action, botID string) map[string]string {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = client.Close() })
	other := actions.New(actions.Config{Redis: client, Reached: func() time.Duration { return 0 }, Timing: actions.DefaultTiming()})
	_, err := other.Acquire(t.Context(), actions.Claim{
		Request: &interaction.Request{ID: "9", UserID: "42", CustomerID: "42"}, Action: interaction.Action{Name: action, BotID: botID},
	})
	if err != nil {
		t.Fatal(err)
	}
	fields, err := client.HGetAll(t.Context(), actions.Key("42")).Result()
	if err != nil || len(fields) == 0 {
		t.Fatalf("%v, error %v", fields, err)
	}
	return fields
}

// TestActionThatRunsElsewhereIsShown shows a bot as it is while another process acts on it.
func TestActionThatRunsElsewhereIsShown(t *testing.T) {
	for _, test := range []struct{ action, status, says, listed string }{
		{"restart", "RUNNING", "⏳ Restarting **Shop**", "🟡 Shop · Restarting"},
		{"start", "STOPPED", "⏳ Starting **Shop**", "🟡 Shop · Starting"},
		{"reinstall", "RUNNING", "⏳ Reinstalling the packages", "🟡 Shop · Installing"},
	} {
		w := &world{list: account(server("a", "Shop", test.status), server("b", "Radio", "RUNNING")), beside: elsewhere(t, test.action, "a")}
		c := newCommands(t, w)
		for _, request := range []interaction.Request{
			onBot("bot show", "a"), press("open", "a"), press("show/a"), press("details/a"), by("1", press("for/42/show/a")),
		} {
			card := answer(t, c, request).Message
			wantText(t, card, test.says)
			if got := labels(card); !strings.HasPrefix(got, none+" | ") {
				t.Errorf("%s: %s", request.Name, got)
			}
		}
		list := answer(t, c, command("bot list", nil)).Message
		wantText(t, list, test.listed, "🟢 Radio · Running")
		if got := len(menus(list)["Restart a bot"].Options); got != 1 {
			t.Errorf("%d bots can be restarted, want the other one", got)
		}
		if got := labels(answer(t, c, press("show/b")).Message); strings.HasPrefix(got, none) {
			t.Errorf("the other bot has %s", got)
		}
	}
}

// TestDeletionThatRunsElsewhereDisablesTheButtons: it gives the bot no status.
func TestDeletionThatRunsElsewhereDisablesTheButtons(t *testing.T) {
	w, c := shop(t, "RUNNING")
	w.beside = elsewhere(t, "delete", "a")
	card := answer(t, c, press("more/a")).Message
	wantText(t, card, "⏳ Deleting **Shop**", "Running")
	if got := labels(card); got != none+" | Refresh Details All bots Less (Reinstall packages) | (Startup) (Delete)" {
		t.Errorf("there is %s", got)
	}
}

// TestActionThatNobodyKnowsIsNotShown has a later version of the program act on a bot.
func TestActionThatNobodyKnowsIsNotShown(t *testing.T) {
	w, c := shop(t, "RUNNING")
	for _, w.beside = range []map[string]string{elsewhere(t, "hibernate", "a"), {"a": "garbage", ":state": "running"}} {
		card := answer(t, c, press("show/a")).Message
		wantText(t, card, "\n🟢 Shop\nRunning\nLimits")
		if strings.HasPrefix(labels(card), none) {
			t.Error("no button can be pressed")
		}
	}
}

// TestEndIsDrawnThoughItsActionWasSeenRunning has the account be read while the action runs.
func TestEndIsDrawnThoughItsActionWasSeenRunning(t *testing.T) {
	w, c := shop(t, "RUNNING")
	first := answer(t, c, press("restart/a"))
	w.beside = elsewhere(t, "restart", "a")
	end := must(t)(first.Then.Run(t.Context()))
	wantText(t, end.Message, "🟢 Shop\n✅ Restarted.\n\nRunning")
	if end.Action.Outcome != interaction.Done || strings.HasPrefix(labels(end.Message), none) {
		t.Errorf("%+v, %s", end.Action, labels(end.Message))
	}
}
