package e2e_test

import (
	"fmt"
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestAnothersBotIsOutOfReach has Ben use whatever might lead to Anna's bot: her
// bot's name and ID, components that carry its ID, and those of staff.
func TestAnothersBotIsOutOfReach(t *testing.T) {
	t.Parallel()
	w, _, _ := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop")
	ben := w.discord.User("ben", discordtest.Permissions(manageGuild))
	w.service.AddAccount(ben.ID, hostapitest.Plan{Name: "Basic", RAMMB: 1024, MaxServers: 2})
	w.service.AddServer(ben.ID, hostapitest.Server{ID: "id-blog", Name: "Blog", Status: hostapitest.Running, RAMMB: 512})
	general := w.discord.AddChannel("general")
	w.start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop") // so that her account is cached

	for _, command := range []string{"show", "start", "stop", "restart", "reinstall", "startup", "delete"} {
		for _, bot := range []string{"Shop", "id-shop"} {
			ben.Types(t, "/bot "+command, discordtest.Options{"bot": bot}).WaitFor(t, "You have no bot")
		}
		if choices := ben.Completes(t, "/bot "+command, "bot", "shop"); len(choices) != 0 {
			t.Errorf("/bot %s suggests %+v", command, choices)
		}
	}
	for customID, answer := range map[string]string{
		"show/id-shop": "no longer exists", "restart/id-shop": "no longer exists", "stop/id-shop": "no longer exists",
		"reinstall/id-shop": "no longer exists", "startup/id-shop": "no longer exists", "delete/id-shop": "no longer exists",
		"list/with/id-shop":         "🟢 Blog",
		onBehalfOf(anna) + "list/0": "This is for staff", onBehalfOf(anna) + "show/id-shop": "This is for staff", onBehalfOf(anna) + "restart/id-shop": "This is for staff",
	} {
		id := w.post(t, general, fmt.Sprintf(`{"content":"a copy","components":[{"type":1,"components":[{"type":2,"style":2,"label":"Press","custom_id":%q}]}]}`, customID))
		reply, err := ben.In(general).Click(t.Context(), id, customID)
		if err != nil {
			t.Fatal(err)
		}
		if shown := reply.WaitFor(t, answer); shown.Contains("Shop") {
			t.Errorf("%s shows Ben:\n%s", customID, shown.Text())
		}
	}
	for _, call := range w.service.Requests() {
		if call.Operation != hostapitest.OpList {
			t.Errorf("the service was told to %s", call.Operation)
		}
	}
}

func onBehalfOf(u *discordtest.User) string { return "for/" + u.ID + "/" }
