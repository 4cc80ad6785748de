// Package e2e_test has the whole bot under test. Package world says what the
// words mean: a world, anna, staff, the log and the log channel.
package e2e_test

import (
	"regexp"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

func TestMain(m *testing.M) {
	world.Hurry(10)
	world.Main(m)
}

// bot is the option by which a command means one bot.
func bot(name string) discordtest.Options { return discordtest.Options{"bot": name} }

// openShop opens the card of the bot "Shop".
func openShop(t *testing.T, customer *discordtest.User) *discordtest.Reply {
	t.Helper()
	card := customer.Types(t, "/bot show", bot("Shop"))
	card.WaitFor(t, "Limits: 512 MB RAM")
	return card
}

// restartOnce presses Restart on the card of the bot "Shop". The restart is done,
// and the service is told of it once.
func restartOnce(t *testing.T, w *world.World, card *discordtest.Reply) {
	t.Helper()
	card = card.Press(t, "Restart")
	w.Finish(t)
	card.WaitFor(t, "✅ Restarted")
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// referenceIn returns the reference that a customer reads.
func referenceIn(t *testing.T, v discordtest.View) string {
	t.Helper()
	found := regexp.MustCompile("Reference: `([0-9A-Z]{7})`").FindStringSubmatch(v.Text())
	if found == nil {
		t.Fatalf("no reference in:\n%s", v.Text())
	}
	return found[1]
}
