package e2e_test

import (
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

// TestMaintenanceIsReadAndHoldsAlerts has sam announce it for all bots but those of others, change and end it: anna reads it on
// her card, and is alerted after it of the bot that is still down. Ben, who is not concerned, is alerted at once.
func TestMaintenanceIsReadAndHoldsAlerts(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Redis: redistest.StartMiniredis(t).URL(), Staff: true})
	ben, sam := w.AddCustomer("ben", "Quiz"), w.AddStaff("sam")
	ben.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	form := sam.Types(t, "/admin notice")
	saved := form.Submit(t, discordtest.Fields{"Text": "We replace a *switch*", "From": "now", "Affected bots": "sh", "Alerts for these bots": "maintenance"})
	saved.WaitFor(t, "Saved")
	w.StaffRead(t, "admin notice", "We replace a *switch*", sam.ID)
	openShop(t, anna).WaitFor(t, `🛠️ We replace a \*switch\*`)

	awaitLooks(t, w, 4) // two at each of them: nobody is alerted of what was never seen to run
	crash(t, w, anna.ID, "id-shop")
	crash(t, w, ben.ID, "id-quiz")
	ben.InDM().Sees(t, "Quiz has crashed")
	awaitLooks(t, w, 4)
	wantMessages(t, dm, "Shop", 0)
	saved.Press(t, "Edit notice").Submit(t, discordtest.Fields{"Text": "It takes longer"}).WaitFor(t, "🛠️ It takes longer")
	card := openShop(t, anna)
	card.WaitFor(t, "🛠️ It takes longer")
	awaitLooks(t, w, 4)
	wantMessages(t, dm, "Shop has crashed", 0)
	saved.Press(t, "End now").WaitFor(t, "was ended")
	dm.Sees(t, "Shop has crashed")
	wantMessages(t, dm, "Shop has crashed", 1)
	if v := openShop(t, anna).View(); v.Contains("It takes longer") {
		t.Errorf("after the end anna reads\n%s", v.Text())
	}
}
