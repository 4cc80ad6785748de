package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

func TestRefreshAsksForThatBotAlone(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	card := openShop(t, anna)
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Crashed)
	anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "🟢 Running") // as it is cached
	crashed := card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
	if !strings.Contains(crashed.Text(), "Last updated <t:") {
		t.Errorf("it is not said when that was:\n%s", crashed.Text())
	}
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "1 🟢 · 1 🔴") // what a card told

	// At once again the service is not asked.
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Running)
	card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
	list.Press(t, "Refresh").WaitFor(t, "1 🟢 · 1 🔴")
	w.WantCalls(t, hostapitest.OpGet, 1)
	w.WantCalls(t, hostapitest.OpList, 1)
}

func TestListServesWhereTheServiceHasNoGetBot(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	w.Service.Fail(hostapitest.OpGet, hostapitest.Fault{Status: http.StatusNotFound, Body: "<html>Cannot GET"}, 0)
	card := openShop(t, anna)
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Crashed)
	card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
	w.WantCalls(t, hostapitest.OpList, 2)

	reinstall := card.Press(t, "Reinstall packages") // which is followed
	w.Finish(t)
	reinstall.WaitFor(t, "were reinstalled")
	w.WantCalls(t, hostapitest.OpGet, 1)
	w.WantCalls(t, hostapitest.OpList, 3)
	w.StaffReadNothingOf(t, "Failure")
}
