package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// addAnna gives a customer an account with bots of these names, all running.
func (w *world) addAnna(t *testing.T, names ...string) *discordtest.User {
	t.Helper()
	anna := w.discord.User("anna")
	w.service.AddAccount(anna.ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
	for _, name := range names {
		w.service.AddServer(anna.ID, hostapitest.Server{
			ID: "id-" + strings.ToLower(name), Name: name, Language: "NODE", Status: hostapitest.Running,
			RAMMB: 512, DiskMB: 2048, CPUPercent: 150, EntryFile: "index.js", StartupCommand: "node index.js", PlanName: "Pro",
		})
	}
	return anna
}

// showShop opens the card of anna's bot "Shop".
func showShop(t *testing.T, anna *discordtest.User) *discordtest.Reply {
	t.Helper()
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Shop")
	return card
}

// restartOnce presses Restart on the card of the bot "Shop". The restart is done,
// and the service is told of it once.
func (w *world) restartOnce(t *testing.T, card *discordtest.Reply) {
	t.Helper()
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
}

func TestACustomersWay(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newWorldWith(t, discordtest.Config{}, redis) // with all of Discord's rate limits
		anna := w.addAnna(t, "Shop", "Radio")
		w.start(t)

		list := anna.Types(t, "/bot list")
		list.WaitFor(t, "Your bots")
		list.WaitFor(t, "1 GB of 16 GB")
		list.WaitFor(t, "🟢 Radio")
		card := list.Choose(t, "Open a bot", "Shop")
		card.WaitFor(t, "node index.js")

		card = card.Press(t, "Restart")
		card.WaitFor(t, "Restarting **Shop**")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		card.WaitFor(t, "**Shop** was restarted")
		w.waitForLog(t, "✅ Restart", "id-shop", anna.ID, "Done")

		card = card.Press(t, "Reinstall")
		card.WaitFor(t, "Reinstalling the dependencies")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(6 * time.Second)
		card.WaitFor(t, "were reinstalled")
		w.waitForLog(t, "✅ Reinstall", "id-shop", anna.ID, "Done")

		card.Press(t, "All bots").WaitFor(t, "🟢 Radio")
		// Once at first, and once as the answer to a reinstallation names no status.
		if n := w.service.Count(hostapitest.OpList); n != 2 {
			t.Errorf("the service was asked %d times for the list", n)
		}
	})
}

func TestEveryCommandAndButton(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newWorld(t, redis)
		anna := w.addAnna(t, "Shop", "Radio")
		w.start(t)

		anna.Types(t, "/plan").WaitFor(t, "2 of 30")
		anna.Types(t, "/help").WaitFor(t, "</bot restart:")
		card := anna.Types(t, "/bot show", discordtest.Options{"bot": "shop"})
		card.WaitFor(t, "node index.js")
		card.Press(t, "Refresh").WaitFor(t, "node index.js")

		choices := anna.Completes(t, "/bot restart", "bot", "ra")
		if len(choices) != 1 || choices[0].Name != "🟢 Radio" {
			t.Fatalf("suggested %+v", choices)
		}
		restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": choices[0].Value})
		restart.WaitFor(t, "Restarting **Radio**")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		restart.WaitFor(t, "**Radio** was restarted")

		reinstall := anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "Radio"})
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(6 * time.Second)
		reinstall.WaitFor(t, "were reinstalled")
		stop := anna.Types(t, "/bot stop", discordtest.Options{"bot": "Radio"})
		stop.WaitFor(t, "Stopping **Radio**")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(2 * time.Second)
		stop.WaitFor(t, "⚫ Radio")
		start := stop.Press(t, "Start")
		start.WaitFor(t, "Starting **Radio**")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(3 * time.Second)
		start.WaitFor(t, "🟢 Radio")
		w.waitForLog(t, "✅ Start", "id-radio")

		for op, want := range map[hostapitest.Operation]int{
			hostapitest.OpRestart: 1, hostapitest.OpReinstall: 1, hostapitest.OpStop: 1, hostapitest.OpStart: 1,
		} {
			if n := w.service.Count(op); n != want {
				t.Errorf("%s was called %d times", op, n)
			}
		}
	})
}

func TestWhoMovedOnIsNotPulledBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)
	restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	restart.WaitFor(t, "Restarting **Shop**")
	list := restart.Press(t, "All bots")
	list.WaitFor(t, "🟡 Shop")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	restart.WaitForFollowUp(t, "**Shop** was restarted")
	if !list.View().Contains("🟢 Radio") {
		t.Errorf("the list has become:\n%s", list.View().Text())
	}

	restart = anna.Types(t, "/bot restart", discordtest.Options{"bot": "Radio"})
	restart.Press(t, "All bots").Choose(t, "Open a bot", "Radio").WaitFor(t, "Restarting **Radio**")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	restart.WaitFor(t, "**Radio** was restarted") // whoever came back sees it there
}

func TestADismissedCardIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.ExpectFailures() // a message that is gone is edited
	restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	restart.WaitFor(t, "Restarting **Shop**")
	if err := anna.Dismiss(restart.View().ID); err != nil {
		t.Fatal(err)
	}
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	w.waitForLog(t, "✅ Restart")
	w.log.waitFor(t, "the message was dismissed before the end")
	for _, entry := range w.channel.Messages() {
		if entry.Contains("Failure") {
			t.Errorf("staff read: %s", entry.Text())
		}
	}
}

func TestModals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)

	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "node index.js")
	changed := card.Press(t, "Startup").Submit(t, discordtest.Fields{"command": "node main.js"})
	changed.WaitFor(t, "was changed")
	changed.WaitFor(t, "node main.js")
	w.waitForLog(t, "✅ Startup changed", "id-shop")
	if s, _ := w.service.Server(anna.ID, "id-shop"); s.StartupCommand != "node main.js" || s.EntryFile != "index.js" {
		t.Errorf("the service has %+v", s)
	}

	ask := anna.Types(t, "/bot delete", discordtest.Options{"bot": "Radio"})
	ask.Submit(t, discordtest.Fields{"name": "Shop"}).WaitFor(t, "nothing was deleted")
	if n := w.service.Count(hostapitest.OpDelete); n != 0 {
		t.Fatalf("deleted %d times", n)
	}
	gone := card.Press(t, "All bots").Choose(t, "Open a bot", "Radio").Press(t, "Delete").Submit(t, discordtest.Fields{"name": " radio"})
	gone.WaitFor(t, "**Radio** was deleted")
	w.waitForLog(t, "✅ Deletion", "id-radio")
	list := gone.Press(t, "All bots")
	list.WaitFor(t, "🟢 Shop")
	if list.View().Contains("Radio") {
		t.Errorf("the list still has it:\n%s", list.View().Text())
	}
	anna.Types(t, "/bot delete", discordtest.Options{"bot": "id-shop"}).Submit(t, discordtest.Fields{"name": "SHOP"}).WaitFor(t, "was deleted")
}

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	sizes := anna.Types(t, "/bot create")
	sizes.WaitFor(t, "29 bots")
	sizes = sizes.Choose(t, "RAM", "RAM: 1 GB")
	made := sizes.Press(t, "Continue").Submit(t, discordtest.Fields{"name": "Radio", "command": "node radio.js"})
	made.WaitFor(t, "**Radio** was created")
	w.waitForLog(t, "✅ Creation", "Radio", anna.ID)
	for _, s := range w.service.Servers(anna.ID) {
		if s.Name == "Radio" && (s.RAMMB != 1024 || s.StartupCommand != "node radio.js" || s.Language != "NODE") {
			t.Errorf("the service has %+v", s)
		}
	}
	made.Press(t, "All bots").WaitFor(t, "Radio")

	w.service.Fail(hostapitest.OpCreate, hostapitest.Fault{Status: http.StatusForbidden, Body: `{"error":"plan limit reached","code":"limit_reached"}`}, 1)
	refused := anna.Types(t, "/bot create").Press(t, "Continue").Submit(t, discordtest.Fields{"name": "Third"})
	refused.WaitFor(t, "plan limit reached")
}
