package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

func TestCustomerActsInOneMessage(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna := world.Serving(t, world.Options{Redis: redis, RateLimits: true}, "Shop", "Radio")
		list := anna.Types(t, "/bot list")
		list.WaitFor(t, "1 GB of 16 GB")
		list.WaitFor(t, "🟢 Radio")
		card := list.Choose(t, "Open a bot", "Shop")
		card.WaitFor(t, "Limits: 512 MB RAM")
		for _, action := range []struct{ button, begun, done, told string }{
			{"Restart", "Restarting **Shop**", "✅ Restarted", "✅ Restart"},
			{"Reinstall packages", "Reinstalling the packages", "✅ Packages reinstalled", "✅ Reinstall packages"},
			{"Stop", "Stopping **Shop**", "⚫ Shop", "✅ Stop"},
			{"Start", "Starting **Shop**", "🟢 Shop", "✅ Start"},
		} {
			if action.button == "Reinstall packages" { // of a bot that runs
				card = card.Press(t, action.button)
				card.WaitFor(t, "may be offline")
			}
			card = card.Press(t, action.button)
			card.WaitFor(t, action.begun)
			w.Finish(t)
			card.WaitFor(t, action.done)
			w.StaffRead(t, action.told, "id-shop", anna.ID, "Done")
		}
		card.Press(t, "All bots").WaitFor(t, "🟢 Radio")
		for _, op := range []hostapitest.Operation{hostapitest.OpRestart, hostapitest.OpReinstall, hostapitest.OpStop, hostapitest.OpStart} {
			w.WantCalls(t, op, 1)
		}
		// Once at first, and once for that bot as the answer to a reinstallation names no
		// status.
		w.WantCalls(t, hostapitest.OpList, 1)
		w.WantCalls(t, hostapitest.OpGet, 1)
	})
}

func TestCommandsFindTheirBot(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	anna.Types(t, "/plan").WaitFor(t, "2 of 30")
	anna.Types(t, "/help").WaitFor(t, "</bot restart:")
	anna.Types(t, "/bot show", bot("shop")).Press(t, "Details").WaitFor(t, "node index.js")
	choices := anna.Completes(t, "/bot restart", "bot", "ra")
	if len(choices) != 1 || choices[0].Name != "🟢 Radio" {
		t.Fatalf("suggested %+v", choices)
	}
	restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": choices[0].Value})
	w.Finish(t)
	restart.WaitFor(t, "✅ Restarted")
}

// TestMenuThatIsUpdatedHoldsTheOnlyBot has the service be slow until one bot is left of
// two, between which a customer was asked to choose: nothing is done without the choice.
func TestMenuThatIsUpdatedHoldsTheOnlyBot(t *testing.T) {
	t.Parallel()
	for command, chosen := range map[string]string{"/bot show": "🟢 Shop", "/bot restart": "✅ Restarted"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{Tune: func(s *configs.Settings) { s.Cache.TTL = 100 * time.Millisecond }}, "Shop", "Radio")
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Radio")
			w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute}, 1)
			var menu *discordtest.Reply
			world.Eventually(t.Context(), func() bool { // when the account is not fresh any more
				menu = anna.Types(t, command)
				return menu.WaitFor(t, "Choose a bot").Contains("Updating…")
			})
			w.Service.Remove(anna.ID, "id-radio")
			w.Clock.BlockUntil(t, 1)
			w.Clock.Advance(time.Minute)
			updated := menu.WaitUntil(t, func(v discordtest.View) bool { return !v.Contains("Updating…") })
			if updated.Contains("Radio") {
				t.Errorf("the menu holds a bot that is gone:\n%s", updated.Text())
			}
			w.WantCalls(t, hostapitest.OpRestart, 0)
			shown := menu.Choose(t, "Choose a bot", "Shop")
			if command == "/bot restart" {
				w.Finish(t)
			}
			shown.WaitFor(t, chosen)
		})
	}
}

func TestDirectMessageInAnotherLanguage(t *testing.T) {
	t.Parallel()
	w, _ := world.Serving(t, world.Options{})
	ben := w.Discord.User("ben", discordtest.Locale("de"))
	w.Service.AddAccount(ben.ID, hostapitest.Plan{Name: "Basis", RAMMB: 1024, MaxServers: 1})
	w.Service.AddServer(ben.ID, hostapitest.Server{Name: "Laden", Status: hostapitest.Running, RAMMB: 1536})
	ben.InDM().Types(t, "/bot list").WaitFor(t, "1,5 GB")
	ben.InDM().Types(t, "/bot show", bot("laden")).WaitFor(t, "Läuft")
}

// TestEndIsToldInAMessageOfItsOwn has a customer leave the card of an action, so
// that its end is told in a further message, and act in that.
func TestEndIsToldInAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	first := anna.Types(t, "/bot restart", bot("Shop"))
	list := first.Press(t, "All bots")
	list.WaitFor(t, "🟡 Shop")
	w.Finish(t)
	further := first.WaitForFollowUp(t, "✅ Restarted")
	if !list.View().Contains("🟢 Radio") {
		t.Errorf("the list has become:\n%s", list.View().Text())
	}
	again := further.Press(t, "Restart")
	again.WaitFor(t, "Restarting **Shop**")
	list.Press(t, "Refresh").WaitFor(t, "🟡 Shop")
	w.Finish(t)
	again.WaitFor(t, "✅ Restarted")
	if n := len(again.FollowUps()); n != 0 {
		t.Errorf("%d more messages", n)
	}
}

func TestEndIsToldOnTheCardToThoseWhoCameBack(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Radio", "Shop")
	restart := anna.Types(t, "/bot restart", bot("Radio"))
	restart.Press(t, "All bots").Choose(t, "Open a bot", "Radio").WaitFor(t, "Restarting **Radio**")
	w.Finish(t)
	restart.WaitFor(t, "✅ Restarted")
}

// TestABotIsStartedThoughItsOwnerHasMovedOn has a customer leave the message in which
// a bot is created that is to be started afterwards.
func TestABotIsStartedThoughItsOwnerHasMovedOn(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Service.Fail(hostapitest.OpCreate, hostapitest.Fault{Delay: 5 * time.Second}, 1)
	creating := anna.Types(t, "/bot create").Press(t, "Continue").Submit(t, discordtest.Fields{"Name": "Radio", "Start it afterwards": true})
	creating.WaitFor(t, "Creating **Radio**")
	list := creating.Press(t, "All bots")
	list.WaitFor(t, "🟢 Shop")
	w.Finish(t) // the creation
	w.Finish(t) // the start
	end := creating.WaitForFollowUp(t, "✅ Started")
	if !end.View().Contains("✅ Created") || !list.View().Contains("🟢 Shop") {
		t.Errorf("the end is told as:\n%s\nand the list has become:\n%s", end.View().Text(), list.View().Text())
	}
	w.StaffRead(t, "✅ Creation", "Radio")
	w.StaffRead(t, "✅ Start", "Radio")
}

func TestDismissedCardIsNoFailure(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Discord.ExpectFailures() // a message that is gone is edited
	restart := anna.Types(t, "/bot restart", bot("Shop"))
	restart.WaitFor(t, "Restarting **Shop**")
	if err := anna.Dismiss(restart.View().ID); err != nil {
		t.Fatal(err)
	}
	w.Finish(t)
	w.StaffRead(t, "✅ Restart")
	w.Log.WaitFor(t, "the message was dismissed before the end")
	w.StaffReadNothingOf(t, "Failure")
}

func TestModals(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	card := openShop(t, anna)
	changed := card.Press(t, "More…").Press(t, "Startup").Submit(t, discordtest.Fields{"command": "node main.js"})
	changed.WaitFor(t, "✅ Startup settings changed")
	changed.WaitFor(t, "node main.js")
	w.StaffRead(t, "✅ Startup change", "id-shop")
	if s, _ := w.Service.Server(anna.ID, "id-shop"); s.StartupCommand != "node main.js" || s.EntryFile != "index.js" {
		t.Errorf("the service has %+v", s)
	}

	ask := anna.Types(t, "/bot delete", bot("Radio"))
	ask.Submit(t, discordtest.Fields{"name": "Shop"}).WaitFor(t, "nothing was deleted")
	w.WantCalls(t, hostapitest.OpDelete, 0)
	gone := card.Press(t, "All bots").Choose(t, "Open a bot", "Radio").Press(t, "More…").Press(t, "Delete").Submit(t, discordtest.Fields{"name": " Radio"})
	gone.WaitFor(t, "**Radio** was deleted")
	w.StaffRead(t, "✅ Deletion", "id-radio")
	if list := gone.Press(t, "All bots").WaitFor(t, "🟢 Shop"); list.Contains("Radio") {
		t.Errorf("the list still has it:\n%s", list.Text())
	}
}

// TestAMistakeCostsNoTyping has a customer who creates a bot leave its name out, and
// then choose one that the service does not take.
func TestAMistakeCostsNoTyping(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna := world.Serving(t, world.Options{Redis: redis}, "Shop")
		form := anna.Types(t, "/bot create").Press(t, "Continue")
		form.WaitFor(t, "python main.py · main.py")
		mistake := form.Submit(t, discordtest.Fields{"Name": " ", "Language": "PYTHON", "Startup command": "python -u main.py", "Start it afterwards": true})
		mistake.WaitFor(t, "**Name** is missing")
		w.WantCalls(t, hostapitest.OpCreate, 0)

		w.Service.Fail(hostapitest.OpCreate, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"the name is taken"}`}, 1)
		taken := mistake.Press(t, "Back to the form").Submit(t, discordtest.Fields{"Name": "Shop"})
		taken.WaitFor(t, "the name is taken")

		made := taken.Press(t, "Back to the form").Submit(t, discordtest.Fields{"Name": "Radio"})
		made.WaitFor(t, "Starting **Radio**")
		w.Finish(t)
		made.WaitFor(t, "✅ Started")
		made.WaitFor(t, "✅ Created")
		w.StaffRead(t, "✅ Creation", "Radio", anna.ID)
		w.StaffRead(t, "✅ Start", "Radio", anna.ID)
		for _, s := range w.Service.Servers(anna.ID) {
			if s.Name == "Radio" && (s.StartupCommand != "python -u main.py" || s.EntryFile != "main.py" || s.Language != "PYTHON" || s.Status != hostapitest.Running) {
				t.Errorf("the service has %+v", s)
			}
		}
		if fresh := anna.Types(t, "/bot create").Press(t, "Continue").WaitFor(t, "Language"); fresh.Contains("python -u") {
			t.Error("the form shows what has served its purpose")
		}
	})
}
