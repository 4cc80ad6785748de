package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
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
			ben.Types(t, "/bot "+command, bot(name)).WaitFor(t, "You have no bot")
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
	channel := w.Discord.AddChannel("general")
	body := fmt.Sprintf(`{"content":"old","components":[{"type":1,"components":[{"type":2,"style":2,"label":"Old","custom_id":%q}]}]}`, customID)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Discord.URL()+"/channels/"+channel.ID+"/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+w.Discord.Token())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "DiscordBot (https://example.com, 1.0)")
	res, err := (&http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("posting: status %d", res.StatusCode)
	}
	messages := channel.Messages()
	reply, err := who.In(channel).Click(t.Context(), messages[len(messages)-1].ID, customID)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}
