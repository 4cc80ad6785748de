package e2e_test

import (
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// A bot that the host has suspended is left alone, whoever asks, and the answer says why. Once
// the suspension is lifted, an older state that is still cached keeps nobody back.
func TestASuspendedBotIsLeftAlone(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop", "Radio")
	card := openShop(t, anna) // what is cached says that it runs
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Suspended)
	const why = "We've suspended this bot."
	card.Press(t, "Restart").WaitFor(t, why) // as the service does not do it
	w.WantCalls(t, hostapitest.OpRestart, 1)

	anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, why)
	anna.Types(t, "/bot start", bot("Shop")).WaitFor(t, why)
	menu := anna.Types(t, "/bot stop")
	menu.Choose(t, "Choose a bot", "Shop").WaitFor(t, why)
	anna.Types(t, "/bot reinstall", bot("Shop")).WaitFor(t, why)
	sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": "Shop", "do": "restart"}).WaitFor(t, why)
	w.WantCalls(t, hostapitest.OpRestart, 1)
	for _, op := range []hostapitest.Operation{hostapitest.OpStart, hostapitest.OpStop, hostapitest.OpReinstall} {
		w.WantCalls(t, op, 0)
	}

	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Stopped)
	started := anna.Types(t, "/bot start", bot("Shop"))
	started.WaitFor(t, "Starting **Shop**")
	w.Finish(t)
	started.WaitFor(t, "✅ Started")
}

// A bot that hangs while it starts can be stopped, by its button and by command.
func TestABotThatHangsInStartingIsStopped(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Starting)
	w.Service.SetStatus(anna.ID, "id-radio", hostapitest.Starting)
	card := anna.Types(t, "/bot show", bot("Shop"))
	card.WaitFor(t, "Starting")
	for _, press := range []func() *discordtest.Reply{
		func() *discordtest.Reply { return card.Press(t, "Stop") },
		func() *discordtest.Reply { return anna.Types(t, "/bot stop", bot("Radio")) },
	} {
		stop := press()
		stop.WaitFor(t, "Stopping **")
		w.Finish(t)
		stop.WaitFor(t, "✅ Stopped")
	}
	w.WantCalls(t, hostapitest.OpStop, 2)
}
