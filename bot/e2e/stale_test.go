package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// removeBot removes a customer's bot at the service, and has what is cached of the
// account forgotten, as time would.
func (w *world) removeBot(t *testing.T, sam, customer *discordtest.User, id string) {
	t.Helper()
	w.service.Remove(customer.ID, id)
	sam.Types(t, "/admin flush", discordtest.Options{"user": customer}).WaitFor(t, "is forgotten")
}

func TestAModalForABotThatIsGone(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)
	for button, fields := range map[string]discordtest.Fields{"Startup": {"command": "node other.js"}, "Delete": {"name": "Shop"}} {
		card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
		modal := card.Press(t, button)
		w.removeBot(t, sam, anna, "id-shop")
		modal.Submit(t, fields).WaitFor(t, "no longer exists")
		w.service.AddServer(anna.ID, hostapitest.Server{ID: "id-shop", Name: "Shop", Status: hostapitest.Running, EntryFile: "index.js", StartupCommand: "node index.js"})
		sam.Types(t, "/admin flush", discordtest.Options{"user": anna}).WaitFor(t, "is forgotten")
	}
	if n := w.service.Count(hostapitest.OpDelete) + w.service.Count(hostapitest.OpUpdateStartup); n != 0 {
		t.Errorf("the service was told to act %d times", n)
	}
}

func TestAMenuAndButtonsOfAnOldMessage(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)
	list := anna.Types(t, "/bot list")
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	w.removeBot(t, sam, anna, "id-shop")
	list.Choose(t, "Open a bot", "Shop").WaitFor(t, "no longer exists")
	for _, button := range []string{"Restart", "Stop", "Reinstall", "Startup", "Delete", "Refresh"} {
		card.Press(t, button).WaitFor(t, "no longer exists")
	}
	if back := card.Press(t, "All bots").WaitFor(t, "🟢 Radio"); back.Contains("Shop") {
		t.Errorf("the list still has it:\n%s", back.Text())
	}
}

func TestAFormOfAPlanThatHasChanged(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	form := anna.Types(t, "/bot create").Press(t, "Continue")
	w.service.AddAccount(anna.ID, hostapitest.Plan{Name: "Basic", RAMMB: 512, MaxServers: 1})
	sam.Types(t, "/admin flush", discordtest.Options{"user": anna}).WaitFor(t, "is forgotten")
	form.Submit(t, discordtest.Fields{"name": "Radio"}).WaitFor(t, "no room for another bot")
	if n := w.service.Count(hostapitest.OpCreate); n != 0 {
		t.Errorf("created %d bots", n)
	}
}

func TestAButtonOfAnotherReplica(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	modal := anna.Types(t, "/bot startup", discordtest.Options{"bot": "Shop"})
	list := anna.Types(t, "/bot list")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.log = &logBuffer{}
	w.start(t) // with nothing cached
	modal.Submit(t, discordtest.Fields{"command": "node other.js"}).WaitFor(t, "was changed")
	list.Choose(t, "Open a bot", "Shop").WaitFor(t, "node other.js")
}

// TestAComponentOfAnotherVersion presses what this version never made.
func TestAComponentOfAnotherVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	public := w.discord.AddChannel("general")
	w.start(t)
	for _, customID := range []string{"panel:restart:id-shop", "restart", "list/", "list/x/y", "for/1", "create/1/2", "open/", "show/id-of-another"} {
		message := w.post(t, public, fmt.Sprintf(`{"content":"old","components":[{"type":1,"components":[{"type":2,"style":2,"label":"Old","custom_id":%q}]}]}`, customID))
		reply, err := anna.In(public).Click(t.Context(), message, customID)
		if err != nil {
			t.Fatal(err)
		}
		reply.WaitUntil(t, func(v discordtest.View) bool {
			return v.Contains("out of date") || customID == "list/" && v.Contains("Your bots")
		})
	}
}

// post posts a message as the bot and returns its ID.
func (w *world) post(t *testing.T, channel *discordtest.Channel, body string) string {
	t.Helper()
	before := len(channel.Messages())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.discord.URL()+"/channels/"+channel.ID+"/messages", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+w.discord.Token())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "DiscordBot (https://example.com, 1.0)")
	res, err := (&http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	messages := channel.Messages()
	if res.StatusCode != http.StatusOK || len(messages) != before+1 {
		t.Fatalf("posting: status %d, %d messages", res.StatusCode, len(messages))
	}
	return messages[len(messages)-1].ID
}
