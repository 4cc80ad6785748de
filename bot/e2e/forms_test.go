package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// TestAMistakeCostsNoTyping has a customer who creates a bot leave its name out, and
// then choose one that the service does not take.
func TestAMistakeCostsNoTyping(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
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
		made.WaitFor(t, "**Radio** was started")
		made.WaitFor(t, "**Radio** was created")
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
	end := creating.WaitForFollowUp(t, "**Radio** was started")
	if !end.View().Contains("**Radio** was created") || !list.View().Contains("🟢 Shop") {
		t.Errorf("the end is told as:\n%s\nand the list has become:\n%s", end.View().Text(), list.View().Text())
	}
	w.StaffRead(t, "✅ Creation", "Radio")
	w.StaffRead(t, "✅ Start", "Radio")
}
