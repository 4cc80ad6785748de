package e2e_test

import (
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// flush has staff forget what is cached of a customer, as time would. It may be
// cached a moment after the customer has the answer.
func flush(t *testing.T, sam, customer *discordtest.User) {
	t.Helper()
	if !world.Eventually(t.Context(), func() bool {
		return sam.Types(t, "/admin flush", discordtest.Options{"user": customer}).WaitUntil(t, func(v discordtest.View) bool {
			return v.Contains("is forgotten") || v.Contains("Nothing was cached")
		}).Contains("is forgotten")
	}) {
		t.Fatal("nothing is cached")
	}
}

func TestMessageOfBotThatIsGone(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Staff: true}, "Shop", "Radio")
	sam := w.AddStaff("sam")
	list := anna.Types(t, "/bot list")
	card := openShop(t, anna)
	card = card.Press(t, "More…")
	startup, deletion := card.Press(t, "Startup"), card.Press(t, "Delete")
	w.Service.Remove(anna.ID, "id-shop")
	flush(t, sam, anna)

	startup.Submit(t, discordtest.Fields{"command": "node other.js"}).WaitFor(t, "no longer exists")
	deletion.Submit(t, discordtest.Fields{"name": "Shop"}).WaitFor(t, "no longer exists")
	list.Choose(t, "Open a bot", "Shop").WaitFor(t, "no longer exists")
	for _, button := range []string{"Restart", "Stop", "Reinstall packages", "Startup", "Delete", "Details", "Refresh"} {
		card.Press(t, button).WaitFor(t, "no longer exists")
	}
	if back := card.Press(t, "All bots").WaitFor(t, "🟢 Radio"); back.Contains("Shop") {
		t.Errorf("the list still has it:\n%s", back.Text())
	}
	for _, call := range w.Service.Requests() {
		if call.Operation != hostapitest.OpList {
			t.Errorf("the service was told to %s", call.Operation)
		}
	}
}

func TestMessagesOutliveTheProgram(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{})
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	modal := anna.Types(t, "/bot startup", bot("Shop"))
	list, card := anna.Types(t, "/bot list"), openShop(t, anna)
	w.Restart(t, stop) // with nothing cached
	modal.Submit(t, discordtest.Fields{"command": "node other.js"}).WaitFor(t, "was changed")
	list.Press(t, "Details").WaitFor(t, "node other.js")
	restartOnce(t, w, card)
}

// TestComponentsOfAnotherVersion presses what this version never made.
func TestComponentsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	for customID, answer := range map[string]string{
		"panel:restart:id-shop": "out of date", "restart": "no longer exists", "list/": "🟢 Shop", "list/x/y": "out of date", "for/1": "out of date",
		"create/1/2": "out of date", "open/": "out of date", "show/id-of-another": "out of date", "for/42/show/a": "out of date",
	} {
		pressPosted(t, w, anna, customID).WaitFor(t, answer)
	}
}
