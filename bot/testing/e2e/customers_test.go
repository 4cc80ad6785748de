package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
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

		w.Service.Fail(hostapitest.OpCreate, hostapitest.RealRefusals()[0].Fault, 1)
		taken := mistake.Press(t, "Back to the form").Submit(t, discordtest.Fields{"Name": "Shop"})
		if said := taken.WaitFor(t, "didn't accept what you entered"); !said.Contains("The hosting service says: "+hostapitest.Said) || said.Contains("Reference") {
			t.Errorf("the customer reads:\n%s", said.Text())
		}
		w.StaffRead(t, "↩️ Creation", "Shop", anna.ID, "Refused: Hosting service: input not accepted (422)")

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

// TestWhatIsTypedStandsInNoLog has marks typed wherever something can be typed, and the service repeat what
// it is sent. Only staff's own typing is in their channel.
func TestWhatIsTypedStandsInNoLog(t *testing.T) {
	t.Parallel()
	const mark = "hunter2-Zx9"
	w := world.New(t, world.Options{Staff: true})
	w.Start(t)
	anna, sam := w.AddCustomer("Anna", "Shop", "Radio"), w.AddStaff("Sam")
	for _, command := range []string{"show", "start", "stop", "restart", "reinstall", "history", "startup", "delete"} {
		anna.Completes(t, "/bot "+command, "bot", mark)
		anna.Types(t, "/bot "+command, bot(mark)).WaitFor(t, "You don't have a bot called **"+mark+"**")
	}
	forms := func() (deletion, startup, creation *discordtest.Reply) {
		deletion, startup = anna.Types(t, "/bot delete", bot("Shop")), anna.Types(t, "/bot startup", bot("Shop"))
		creation = anna.Types(t, "/bot create").Press(t, "Continue")
		return deletion, startup, creation
	}
	ended := func(v discordtest.View) bool { return v.State == discordtest.Shown && !v.Contains("⏳") }
	deletion, _, _ := forms()
	deletion.Submit(t, discordtest.Fields{"name": mark}).WaitFor(t, "isn't the name")
	for _, status := range []int{http.StatusConflict, http.StatusUnprocessableEntity, http.StatusForbidden, http.StatusInternalServerError, http.StatusOK} {
		body := `{"ok":false,"error":"cannot run X=` + mark + ` node a.js: no file ` + mark + `.js"}`
		for _, op := range []hostapitest.Operation{hostapitest.OpUpdateStartup, hostapitest.OpCreate} {
			w.Service.Fail(op, hostapitest.Fault{Status: status, Body: body}, 1)
		}
		_, startup, creation := forms()
		startup.Submit(t, discordtest.Fields{"command": "X=" + mark + " node a.js", "entry": mark + ".js"}).WaitUntil(t, ended)
		creation.Submit(t, discordtest.Fields{"name": "Third", "language": "NODE", "command": "X=" + mark + " node a.js", "entry": mark + ".js"}).WaitUntil(t, ended)
	}
	sam.Types(t, "/admin reference", discordtest.Options{"code": mark}).WaitFor(t, mark)
	sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": mark, "do": "restart"}).WaitFor(t, mark)
	w.StaffRead(t, "admin reference", mark)
	w.Log.WaitFor(t, `"route":"admin action"`)
	if log := w.Log.String(); strings.Contains(log, "hunter2") {
		for line := range strings.Lines(log) {
			if strings.Contains(line, "hunter2") {
				t.Errorf("the log has %s", line)
			}
		}
	}
	for _, entry := range world.Entries(w.Channel.Messages(), "hunter2") {
		if !strings.Contains(entry, "admin") {
			t.Errorf("staff read %s", entry)
		}
	}
}
