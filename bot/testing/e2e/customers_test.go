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
			{"Reinstall packages", "Reinstalling the packages", "✅ Packages reinstalled", "✅ Package reinstall"},
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
