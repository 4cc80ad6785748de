package e2e_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestWarmCacheCostsOneCommand counts what an interaction costs once the account
// is cached: one command to Redis, one call to Discord, none to the service.
func TestWarmCacheCostsOneCommand(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	// Without log channels, which ask Redis every second what is to be told.
	w := world.New(t, world.Options{
		Redis: "redis://" + redis.Addr(),
		Env:   []string{"LOG_CHANNEL_ACTIONS=off", "LOG_CHANNEL_ERRORS=off", "LOG_CHANNEL_LIFECYCLE=off"},
	})
	anna := w.AddCustomer("anna", "Shop", "Radio")
	stop := w.Start(t)
	page := openShop(t, anna)

	// Another start, so that nothing of the first call is still under way; its
	// first interaction makes the connection to Redis.
	w.Restart(t, stop)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")

	for name, act := range map[string]func(){
		"/bot list": func() { anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop") },
		"/bot show": func() { openShop(t, anna) },
		"/plan":     func() { anna.Types(t, "/plan").WaitFor(t, "2 of 30") },
		"typing":    func() { anna.Completes(t, "/bot show", "bot", "s") },
		"a page":    func() { page.Press(t, "All bots").WaitFor(t, "🟢 Shop") },
	} {
		commands := redis.CommandCount()
		w.Discord.ForgetCalls()
		act()
		if n := redis.CommandCount() - commands; n != 1 {
			t.Errorf("%s: %d commands to Redis", name, n)
		}
		if calls := w.Discord.Calls(); len(calls) != 1 {
			t.Errorf("%s: %d calls to Discord", name, len(calls))
		}
	}
	w.WantCalls(t, hostapitest.OpList, 1)
}
