package e2e_test

import (
	"context"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestFollowersOfAPanelAreTold has ben, who is no customer, follow anna's panel until she removes it, or
// staff forget one of them.
func TestFollowersOfAPanelAreTold(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w *world.World, anna, ben *discordtest.User){
		"until the panel is removed": func(t *testing.T, _ *world.World, anna, _ *discordtest.User) {
			anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Status of the bots").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
		},
		"until its owner is forgotten": func(t *testing.T, w *world.World, anna, _ *discordtest.User) {
			sam := w.AddStaff("sam")
			asked := askForget(t, sam, anna)
			asked.WaitFor(t, "People who follow these panels: 1")
			asked.Press(t, "Remove everything").WaitFor(t, "was removed")
			w.StaffRead(t, "admin forget", "panels 1, followers 1, follows 0")
		},
		"until the follower is forgotten": func(t *testing.T, w *world.World, _, ben *discordtest.User) {
			sam := w.AddStaff("sam")
			asked := askForget(t, sam, ben)
			asked.WaitFor(t, "Panels of others that are followed: 1")
			asked.Press(t, "Remove everything").WaitFor(t, "was removed")
			w.StaffRead(t, "admin forget", "followers 0, follows 1")
		},
		"until it is ended at /alerts": func(t *testing.T, _ *world.World, _, ben *discordtest.User) {
			ben.Types(t, "/alerts").Choose(t, "Stop following a panel", "Status of the bots").WaitFor(t, "You no longer follow this panel")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := miniredis.RunT(t)
			redis.ClockTTL(true)
			w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true})
			ben := w.Discord.User("ben")
			followed := clickPanel(t, ben, general, "Follow")
			if v := followed.WaitFor(t, "You follow this panel"); !v.Ephemeral {
				t.Error("everybody sees who follows")
			}
			ben.InDM().Sees(t, "I'll message you here when a bot on a panel")
			awaitLooks(t, w, 2)
			crash(t, w, anna.ID, "id-shop")
			ben.InDM().Sees(t, "Shop is down")
			anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
			w.Finish(t)
			ben.InDM().Sees(t, "Shop is back")
			ben.Types(t, "/alerts").WaitFor(t, "Status of the bots · <#"+general.ID+">")

			end(t, w, anna, ben)
			limit, cancel := context.WithTimeout(t.Context(), world.Patience)
			defer cancel()
			if !world.Eventually(limit, func() bool { return len(keptOf(redis, ben.ID)) == 0 }) {
				t.Errorf("%q name him still", keptOf(redis, ben.ID))
			}
		})
	}
}
