package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// watching has accounts looked at every second: changes are told apart by the second.
func watching(s *configs.Settings) {
	s.Watch = configs.Watch{Interval: configs.Interval(time.Second), Rate: 500, AutoRestart: true}
	s.Cache.TTL = 100 * time.Millisecond
}

// alerted makes a world with anna, whose bot "Shop" sends alerts, and is being watched.
func alerted(t *testing.T, o world.Options) (w *world.World, anna, dm *discordtest.User) {
	t.Helper()
	o.Tune = watching
	w, anna = world.Serving(t, o, "Shop", "Radio")
	dm = anna.InDM()
	openShop(t, anna).Press(t, "More…").Press(t, "Alerts").Press(t, "Alerts on for Shop").WaitFor(t, "Alerts are on")
	dm.Sees(t, "I'll message you here")
	awaitLooks(t, w, 2)
	return w, anna, dm
}

// awaitLooks waits until the service has been asked for accounts so many times more.
func awaitLooks(t *testing.T, w *world.World, n int) {
	t.Helper()
	w.Service.WaitFor(t, hostapitest.OpList, w.Service.Count(hostapitest.OpList)+n)
}

func crash(t *testing.T, w *world.World, userID, id string) {
	t.Helper()
	if !w.Service.SetStatus(userID, id, hostapitest.Crashed) {
		t.Fatalf("there is no bot %s", id)
	}
}

// wantMessages fails where there are not so many messages in a DM with this text.
func wantMessages(t *testing.T, dm *discordtest.User, text string, want int) {
	t.Helper()
	n := 0
	for _, m := range dm.Messages() {
		if m.Contains(text) && !m.Ephemeral {
			n++
		}
	}
	if n != want {
		for _, m := range dm.Messages() {
			t.Logf("%s reads:\n%s", dm.Name, m.Text())
		}
		t.Errorf("%d messages say %q, want %d", n, text, want)
	}
}

// TestLimitOfOneAccountDelaysNoOther has the service limit bert's account, and anna's bot crash.
func TestLimitOfOneAccountDelaysNoOther(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Staff: true})
	bert, sam := w.AddCustomer("bert", "Shop"), w.AddStaff("sam")
	openShop(t, bert).Press(t, "More…").Press(t, "Alerts").Press(t, "Alerts on for Shop").WaitFor(t, "Alerts are on")
	limit := hostapitest.RealLimits()[0].Fault // for ten minutes
	limit.UserID = bert.ID
	w.Service.Fail(hostapitest.OpList, limit, 0)
	w.StaffRead(t, "The hosting service limits requests: checks of 1 account are waiting (429)", "All others are checked as usual")
	sam.Types(t, "/admin status").WaitFor(t, "Limited by the hosting service (429): 1")
	crash(t, w, anna.ID, "id-shop")
	dm.Sees(t, "Shop has crashed")
	w.Service.ClearFaults()
	w.StaffRead(t, "The hosting service no longer limits account checks")
}

func TestAlertTellsOfACrashAndOfTheRecovery(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t).URL()
	w, anna, dm := alerted(t, world.Options{Redis: redis})
	crash(t, w, anna.ID, "id-shop")
	alert := dm.Sees(t, "Shop has crashed")
	if !alert.Contains("Noticed <t:") || alert.Contains("It had been running") { // nobody watched it for long
		t.Errorf("the alert says:\n%s", alert.Text())
	}
	dm.Presses(t, alert, "View bot").WaitFor(t, "Limits: 512 MB RAM")
	card := dm.Presses(t, alert, "Restart")
	w.Finish(t)
	if v := card.WaitFor(t, "✅ Restarted"); !v.Ephemeral {
		t.Error("the outcome takes the alert's place")
	}
	dm.Sees(t, "Shop is back")
	wantMessages(t, dm, "Shop", 1)
	w.WantCalls(t, hostapitest.OpRestart, 1)

	crash(t, w, anna.ID, "id-shop") // soon after: an edit would notify nobody
	if v := dm.Sees(t, "Shop has crashed again"); v.ID == alert.ID || !v.Contains("2 times") {
		t.Errorf("the second alert says:\n%s", v.Text())
	}
	crash(t, w, anna.ID, "id-radio") // which sends no alerts
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Running)
	dm.Sees(t, "Shop is back")
	before := len(dm.Messages())
	stopping := anna.Types(t, "/bot stop", bot("Shop")) // which is no fall
	w.Finish(t)
	stopping.WaitFor(t, "✅ Stopped")
	awaitLooks(t, w, 3)
	wantMessages(t, dm, "Radio", 0)
	if n := len(dm.Messages()); n != before {
		t.Errorf("%d messages tell of what was asked for", n-before)
	}
}

// TestQuietHours has anna fill the form in wrongly and then rightly, and two bots crash in her quiet hours, one of which is back.
// The service tells of each in polls of their own.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Staff: true})
	anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	hour := time.Now().UTC().Hour()
	quiet := discordtest.Fields{"from": fmt.Sprint((hour + 21) % 24), "until": fmt.Sprintf("%d:30", (hour+3)%24), "zone": "middle earth"}
	opened := anna.Types(t, "/alerts").Press(t, "Delay and quiet hours")
	wrong := opened.Submit(t, quiet)
	wrong.WaitFor(t, "I don't know that time zone")
	wrong.Press(t, "Back to the form").Submit(t, discordtest.Fields{"zone": "utc"}).WaitFor(t, "Quiet from")
	crash(t, w, anna.ID, "id-shop")
	awaitLooks(t, w, 2)
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Running)
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-radio")
	awaitLooks(t, w, 2)
	wantMessages(t, dm, "crashed", 0)
	anna.Types(t, "/alerts").Press(t, "Delay and quiet hours").Submit(t, discordtest.Fields{"from": "", "until": ""}).WaitFor(t, "Saved")
	dm.Sees(t, "1 of your bots is down")
	wantMessages(t, dm, "Shop", 1)
	wantMessages(t, dm, "Radio", 1)
}

// TestCrashedBotIsRestartedAutomatically without a press, in the log as the program's doing, and told without a sound.
func TestCrashedBotIsRestartedAutomatically(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Staff: true, Redis: redistest.StartMiniredis(t).URL()})
	sam := w.AddStaff("sam")
	anna.Types(t, "/alerts").Choose(t, "Turn a bot's automatic restarts on or off", "Shop").WaitFor(t, "I'll restart it: up to 3 times")
	sam.Types(t, "/admin status").WaitFor(t, "Automatic restarts: 1")
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	w.Finish(t) // the restart
	w.StaffRead(t, "✅ Restart", "id-shop", anna.ID, "🔁 automatic", "Done")
	dm.Sees(t, "Shop crashed and is running again after")
	wantMessages(t, dm, "Shop", 1)
	w.WantCalls(t, hostapitest.OpRestart, 1)
	anna.Types(t, "/bot stop", bot("Shop"))
	w.Finish(t)
	w.StaffRead(t, "✅ Stop", "id-shop")
	awaitLooks(t, w, 3)
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// TestFallOfManyBotsIsToldToAll has the bots of several customers crash at once. Package
// alerts has a thousand of them.
func TestFallOfManyBotsIsToldToAll(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Tune: watching})
	w.Discord.User("c0", discordtest.Permissions(manager))
	w.Start(t)
	var people []*discordtest.User
	const many = "Many bots we host stopped at the same time"
	for i := range 10 {
		c := w.AddCustomer(fmt.Sprintf("c%d", i), "Shop").InDM() // which need not be opened: of those there are a few a second
		c.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
		people = append(people, c)
	}
	awaitLooks(t, w, 2*len(people))
	general, host := w.Discord.Channels()[0], w.Discord.User("c0")
	host.Types(t, "/panel").Press(t, "All my bots").Submit(t, nil).WaitFor(t, "Panel posted")
	clickPanel(t, host, general, "Manage").Press(t, "Post outages here").WaitFor(t, "I post a message in the channel")
	for _, c := range people {
		crash(t, w, c.ID, "id-shop")
	}
	if _, err := general.Await(t.Context(), func(v discordtest.View) bool { return strings.HasPrefix(v.Content, "🔴 Shop has stopped\n"+many) }); err != nil {
		t.Error(err)
	}
	w.StaffRead(t, "10 bots stopped", "customers: 10", "Pro: 10")
	for _, c := range people {
		c.InDM().Sees(t, many) // also those whose bots were the first
		patience.Until(t, "the card says so", func() bool { return c.Types(t, "/bot show").View().Contains(many) })
		w.Service.SetStatus(c.ID, "id-shop", hostapitest.Running)
	}
	w.StaffRead(t, "10 bots stopped", "Running again\n10")
	if n := len(world.Entries(w.Channel.Messages(), "bots stopped within")); n != 1 {
		t.Errorf("staff read %d entries of the fall", n)
	}
}
