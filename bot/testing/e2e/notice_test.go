package e2e_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
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
	saved.Press(t, "End now").WaitFor(t, "Notice ended")
	dm.Sees(t, "Shop has crashed")
	wantMessages(t, dm, "Shop has crashed", 1)
	if v := openShop(t, anna).View(); v.Contains("It takes longer") {
		t.Errorf("after the end anna reads\n%s", v.Text())
	}
}

// TestNoticeIsAnnounced by sam, as it begins and as it ends: to anna, who has alerts, and to ben, who follows her panel. Cleo, who has
// alerts for a bot that is not concerned, hears nothing, and nothing is kept of ben once it is over.
func TestNoticeIsAnnounced(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true, Env: []string{"BRAND=Acme"}})
	ben, cleo, sam := w.Discord.User("ben"), w.AddCustomer("cleo", "Quiz"), w.AddStaff("sam")
	for _, who := range []*discordtest.User{anna, cleo} {
		who.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	}
	clickPanel(t, ben, general, "Follow").WaitFor(t, "You're now following this panel")
	form := sam.Types(t, "/admin notice")
	saved := form.Submit(t, discordtest.Fields{
		"Text": "We replace a switch", "From": "now", "Affected bots": "sh", "Alerts for these bots": []string{"maintenance", "announce"},
	})
	saved.WaitFor(t, "Announced by direct message")
	for _, who := range []*discordtest.User{anna, ben} {
		begun := who.InDM().Sees(t, "Acme has started maintenance")
		if !begun.Contains("🛠️ We replace a switch") || !begun.Contains("Affected bots: Shop") || begun.Contains("Radio") {
			t.Errorf("%s reads\n%s", who.Name, begun.Text())
		}
	}
	awaitLooks(t, w, 4)
	saved.Press(t, "Edit notice").Submit(t, discordtest.Fields{"Text": "A switch is replaced"}).WaitFor(t, "🛠️ A switch is replaced")
	saved.Press(t, "End now").WaitFor(t, "Notice ended")
	for _, who := range []*discordtest.User{anna, ben} {
		over := who.InDM().Sees(t, "Acme has finished maintenance")
		if !over.Contains("✅ A switch is replaced") {
			t.Errorf("%s reads\n%s", who.Name, over.Text())
		}
	}
	awaitLooks(t, w, 4)
	for _, who := range []*discordtest.User{anna, ben} {
		wantMessages(t, who.InDM(), "has started maintenance", 1)
		wantMessages(t, who.InDM(), "has finished maintenance", 1)
	}
	wantMessages(t, cleo.InDM(), "maintenance", 0)
	ben.InDM().Presses(t, ben.InDM().Sees(t, "has finished"), "Unfollow").WaitFor(t, "stopped following")
	nothingNames(t, redis, ben)
	patience.Until(t, "nobody waits for a message", func() bool { return !redis.Exists("hostbot:" + w.Discord.ApplicationID() + ":{announcements}:due") })
}
