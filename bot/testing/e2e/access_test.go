package e2e_test

import (
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
)

// TestNobodyReachesAnothersBot has Ben use whatever might lead to Anna's bot: her
// bot's name and ID, components that carry its ID, and those of staff.
func TestNobodyReachesAnothersBot(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Staff: true})
	anna := w.AddCustomer("anna", "Shop")
	ben := w.AddOutsider("ben")
	w.Service.AddAccount(ben.ID, hostapitest.Plan{Name: "Basic", RAMMB: 1024, MaxServers: 2})
	w.Service.AddServer(ben.ID, hostapitest.Server{ID: "id-blog", Name: "Blog", Status: hostapitest.Running, RAMMB: 512})
	w.Start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop") // so that her account is cached

	for _, command := range []string{"show", "start", "stop", "restart", "reinstall", "startup", "delete"} {
		for _, name := range []string{"Shop", "id-shop"} {
			ben.Types(t, "/bot "+command, bot(name)).WaitFor(t, "You don't have a bot called")
		}
		if choices := ben.Completes(t, "/bot "+command, "bot", "shop"); len(choices) != 0 {
			t.Errorf("/bot %s suggests %+v", command, choices)
		}
	}
	staffs := "for/" + anna.ID + "/" // what the components of a staff view begin with
	for customID, answer := range map[string]string{
		"show/id-shop": "no longer exists", "restart/id-shop": "no longer exists", "stop/id-shop": "no longer exists",
		"reinstall/id-shop": "no longer exists", "startup/id-shop": "no longer exists", "delete/id-shop": "no longer exists",
		"list/with/id-shop": "🟢 Blog",
		staffs + "list/0":   "This is for staff", staffs + "show/id-shop": "This is for staff", staffs + "restart/id-shop": "This is for staff",
	} {
		reply := pressPosted(t, w, ben, customID)
		if shown := reply.WaitFor(t, answer); shown.Contains("Shop") {
			t.Errorf("%s shows Ben:\n%s", customID, shown.Text())
		}
	}
	for _, call := range w.Service.Requests() {
		if call.Operation != hostapitest.OpList {
			t.Errorf("the service was told to %s", call.Operation)
		}
	}
}

// pressPosted has the bot post a message with a button of this custom ID, as
// another version of it may have, and somebody press that.
func pressPosted(t *testing.T, w *world.World, who *discordtest.User, customID string) *discordtest.Reply {
	t.Helper()
	client := rest.New(secret.Text(w.Discord.Token()), w.Discord.URL())
	defer client.Close()
	channel := w.Discord.AddChannel("general")
	old := discordgo.Button{Label: "Old", Style: discordgo.SecondaryButton, CustomID: customID}
	posted, err := client.Session().ChannelMessageSendComplex(channel.ID, &discordgo.MessageSend{
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{old}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := who.In(channel).Click(t.Context(), posted.ID, customID)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}
