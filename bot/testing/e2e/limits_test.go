package e2e_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// answersInteraction reports whether a call is one of those that go on while Discord asks
// all others to wait.
func answersInteraction(c discordtest.Call) bool {
	return c.Route == discordtest.RouteCallback || strings.HasPrefix(c.Route, discordtest.RouteFollowUps)
}

// While Discord asks to wait with all requests, customers are answered. Panels, log
// entries and everything else wait, and come when it is over.
func TestGlobalLimitHoldsBackAllButAnswers(t *testing.T) {
	t.Parallel()
	w, anna, general := paneled(t, world.Options{Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	other := w.Discord.AddChannel("other")
	anna.In(other).Types(t, "/panel").Choose(t, "Choose bots for a panel here", "Wiki").Submit(t, nil).WaitFor(t, "Panel posted")
	other.WaitFor(t, "🟢 **Wiki** · Running")
	awaitLooks(t, w, 2)
	const pause = 3 * time.Second
	fault := discordtest.RateLimited("PATCH", discordtest.RouteMessage, pause, true)
	fault.Times = 1
	w.Discord.Inject(fault)
	crash(t, w, anna.ID, "id-shop")
	refused := func(c discordtest.Call) bool { return c.Status == http.StatusTooManyRequests }
	ctx, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	limit, err := w.Discord.WaitCall(ctx, refused)
	if err != nil {
		t.Fatal("no request was refused")
	}
	if !world.Eventually(ctx, func() bool { // the bot has read it
		_, metrics := w.Operator(t, "/metrics")
		return strings.Contains(metrics, "hostbot_discord_invalid_requests 1")
	}) {
		t.Fatal("the refusal is not counted")
	}
	read := time.Now()
	crash(t, w, anna.ID, "id-wiki")
	card := openShop(t, anna)
	card = card.Press(t, "Restart")
	w.Finish(t)
	card.WaitFor(t, "✅ Restarted") // staff are to read of it
	w.StaffRead(t, "id-shop", anna.ID, "Done")
	other.WaitFor(t, "🔴 **Wiki**")
	general.WaitFor(t, "🟢 **Shop**")

	calls := w.Discord.Calls()
	over := limit.Started.Add(limit.Duration + pause)
	during := slices.DeleteFunc(slices.Clone(calls), func(c discordtest.Call) bool {
		return !c.Started.After(read) || !c.Started.Before(over)
	})
	if !slices.ContainsFunc(during, answersInteraction) {
		t.Error("no customer was answered while Discord asked to wait")
	}
	others := slices.DeleteFunc(during, answersInteraction)
	if len(others) > 0 {
		for _, c := range others {
			t.Errorf("%v after Discord had asked to wait for %v came %s %s", c.Started.Sub(limit.Started), pause, c.Method, c.Path)
		}
	}
}
