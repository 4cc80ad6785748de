package e2e_test

import (
	"strings"
	"testing"

	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestCustomersKeepTheirBotsWhileAGatewayDoesNotFindTheService has two bots be down, and then polls and
// people meet a gateway's 404, and a poll an empty list.
func TestCustomersKeepTheirBotsWhileAGatewayDoesNotFindTheService(t *testing.T) {
	t.Parallel()
	w, anna, general := paneled(t, world.Options{})
	dm := anna.InDM()
	dm.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	card := openShop(t, dm)
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	crash(t, w, anna.ID, "id-radio")
	dm.Sees(t, "2 of your bots are down")
	general.WaitFor(t, "🔴 **Radio** · Crashed")

	for _, fault := range []hostapitest.NamedFault{hostapitest.Gateways()[0], hostapitest.EmptyLists()[0]} {
		w.Service.Fail(hostapitest.OpList, fault.Fault, 0)
		w.Service.Fail("", hostapitest.Gateways()[0].Fault, 0)
		awaitLooks(t, w, 2)
		for _, command := range []string{"/bot list", "/plan"} {
			if v := anna.Types(t, command).WaitFor(t, "Showing data from"); v.Contains("No hosting account") || !v.Contains("can't be reached") {
				t.Errorf("%s, %s:\n%s", fault.Name, command, v.Text())
			}
		}
		general.WaitFor(t, "The hosting service isn't responding.")
		w.Service.ClearFaults()
		awaitLooks(t, w, 2)
	}
	w.StaffRead(t, "can no longer find an account that it had", "404 page not found")

	w.Service.Fail(hostapitest.OpRestart, hostapitest.Gateways()[0].Fault, 1) // while the list has the bot
	if v := card.Press(t, "Restart").WaitFor(t, "couldn't be restarted"); !v.Contains("can't be reached") || v.Contains("No hosting account") {
		t.Errorf("the customer reads:\n%s", v.Text())
	}
	w.StaffRead(t, "Hosting service: not found (404)")
	for _, v := range general.Messages() {
		if v.Contains("no longer exist") || !v.Contains("Radio") {
			t.Errorf("the panel says:\n%s", v.Text())
		}
	}

	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Running)
	w.Service.SetStatus(anna.ID, "id-radio", hostapitest.Running)
	if back := dm.Sees(t, "All 2 bots are back"); !strings.Contains(back.Text(), "Shop") || !strings.Contains(back.Text(), "Radio") {
		t.Errorf("the message says:\n%s", back.Text())
	}
	wantMessages(t, dm, "has crashed", 0)
}
