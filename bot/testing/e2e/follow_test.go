package e2e_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
)

// TestFollowersOfAPanelAreTold has ben and cleo, who are no customers, follow anna's panel: cleo until
// staff forget her, and ben until anna removes it.
func TestFollowersOfAPanelAreTold(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true})
	ben, cleo := w.Discord.User("ben"), w.Discord.User("cleo")
	for _, who := range []*discordtest.User{ben, cleo} {
		if v := clickPanel(t, who, general, "Follow").WaitFor(t, "You're now following this panel"); !v.Ephemeral {
			t.Error("everybody sees who follows")
		}
		who.InDM().Sees(t, "I'll message you here when a bot on a panel")
	}
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	ben.InDM().Sees(t, "Shop is down")
	cleo.InDM().Sees(t, "Shop is down")
	anna.Types(t, "/bot restart", bot("Shop"))
	w.Finish(t)
	ben.InDM().Sees(t, "Shop is back")
	cleo.InDM().Sees(t, "Shop is back")
	ben.Types(t, "/alerts").WaitFor(t, "Bot status · Guild · <#"+general.ID+">")

	sam := w.AddStaff("sam")
	askForget(t, sam, anna).WaitFor(t, "People who follow these panels: 2")
	asked := askForget(t, sam, cleo)
	asked.WaitFor(t, "Other people's panels the customer follows: 1")
	asked.Press(t, "Delete everything").WaitFor(t, "was deleted")
	w.StaffRead(t, "admin forget", "followers 0, follows 1")
	nothingNames(t, redis, cleo)
	anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Bot status").Press(t, "Remove panel").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
	nothingNames(t, redis, ben)
}

// nothingNames waits until Redis holds nothing of who followed a panel.
func nothingNames(t *testing.T, redis *miniredis.Miniredis, who *discordtest.User) {
	t.Helper()
	patience.Until(t, "nothing names "+who.Name, func() bool { return len(keptOf(redis, who.ID)) == 0 })
}
