package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// watching has accounts looked at every second.
func watching(s *configs.Settings) {
	s.Watch = configs.Watch{Interval: configs.Interval(time.Second), Rate: 500}
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

func TestAlertTellsOfACrashAndOfTheRecovery(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, dm := alerted(t, world.Options{Redis: redis})
		crash(t, w, anna.ID, "id-shop")
		alert := dm.Sees(t, "Shop has crashed")
		if !alert.Contains("Noticed <t:") || !alert.Contains("It had been running for") {
			t.Errorf("the alert says:\n%s", alert.Text())
		}
		dm.Presses(t, alert, "Show").WaitFor(t, "Limits: 512 MB RAM")
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
		awaitLooks(t, w, 3)
		wantMessages(t, dm, "Radio", 0)
	})
}

// TestAlertOfSeveralBots has two bots of a customer crash between two looks.
func TestAlertOfSeveralBots(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, dm := alerted(t, world.Options{Redis: redis})
		anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "🔔 Radio")
		awaitLooks(t, w, 2)
		w.Service.SetStatuses(anna.ID, hostapitest.Crashed)
		alert := dm.Sees(t, "2 of your bots are down")
		if _, err := alert.Button("Restart all (2)"); err != nil || !alert.Contains("Shop · Radio") {
			t.Errorf("the alert says (%v):\n%s", err, alert.Text())
		}
		if !alert.Contains("🔴 **Radio** · Crashed") || !alert.Contains("Noticed <t:") || !alert.Contains("I check every") {
			t.Errorf("the alert says:\n%s", alert.Text())
		}
		wantMessages(t, dm, "Shop", 1)
		card := dm.Picks(t, alert, "Open a bot", "Radio")
		card.WaitFor(t, "Limits: 512 MB RAM")
		card.Press(t, "Restart")
		w.Finish(t)
		dm.Sees(t, "1 of your bots is down")
		w.Service.SetStatuses(anna.ID, hostapitest.Running)
		if v := dm.Sees(t, "All 2 bots are back"); v.ID != alert.ID {
			t.Error("another message says so")
		}
	})
}

func TestAlertsTellOfNothingThatWasAskedFor(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{})
	stopping := openShop(t, anna).Press(t, "Stop")
	w.Finish(t)
	stopping.WaitFor(t, "✅ Stopped")
	awaitLooks(t, w, 3)
	anna.Types(t, "/bot start", bot("Shop"))
	w.Finish(t)
	awaitLooks(t, w, 3)
	wantMessages(t, dm, "Shop", 0)
}

func TestAlertsNeedOpenDirectMessages(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Tune: watching}, "Shop")
	w.Discord.ExpectFailures()
	anna.CloseDMs(true)
	view := anna.Types(t, "/alerts")
	view.WaitFor(t, "🔕 Shop")
	view = view.Press(t, "All alerts on")
	view.WaitFor(t, "I can't send you direct messages")
	view.WaitFor(t, "🔕 Shop")
	anna.CloseDMs(false)
	view.Press(t, "All alerts on").WaitFor(t, "🔔 Shop")
	awaitLooks(t, w, 2)

	anna.Block(true) // later
	crash(t, w, anna.ID, "id-shop")
	w.Log.WaitFor(t, "alerts are turned off")
	anna.Types(t, "/alerts").WaitFor(t, "because your direct messages are closed")
	wantMessages(t, anna.InDM(), "crashed", 0)
}

func TestAlertsAreChosenInAMenuAndForgotten(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{})
	view := anna.Types(t, "/alerts").Choose(t, "Turn a bot's alerts on or off", "Shop")
	view.WaitFor(t, "🔕 Shop")
	view = view.Choose(t, "Turn a bot's alerts on or off", "Radio")
	view.WaitFor(t, "🔔 Radio")
	view.WaitFor(t, "🔕 Shop")
	awaitLooks(t, w, 2) // as nothing was watched for a moment
	crash(t, w, anna.ID, "id-radio")
	alert := dm.Sees(t, "Radio has crashed")
	dm.Presses(t, alert, "Mute alerts 1 h").WaitFor(t, "You won't get alerts for")
	anna.Types(t, "/alerts").WaitFor(t, "muted, ends")

	anna.Types(t, "/alerts").Press(t, "All alerts off").WaitFor(t, "Alerts are off")
	w.AddCustomer("ben", "Other").Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	awaitLooks(t, w, 1) // one at anna's account may have been under way
	before := len(w.Service.Requests())
	awaitLooks(t, w, 3)
	for _, r := range w.Service.Requests()[before:] {
		if r.UserID == anna.ID {
			t.Error("the account is still looked at")
		}
	}
}

// TestAlertsStayOnThoughAnEventIsRepeated has the event of a press come once more, to the same
// process and to the next one.
func TestAlertsStayOnThoughAnEventIsRepeated(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w := world.New(t, world.Options{Redis: redis, Tune: watching})
		w.Discord.ExpectFailures() // what comes again is answered as well, and refused
		anna := w.AddCustomer("anna", "Shop")
		stop := w.Start(t)
		chosen := anna.Types(t, "/alerts").Choose(t, "Turn a bot's alerts on or off", "Shop")
		chosen.WaitFor(t, "Alerts are on")
		for n := range 2 {
			w.Discord.Redeliver(chosen)
			w.Log.WaitForTimes(t, "the interaction was answered elsewhere", n+1)
			if v := anna.Types(t, "/alerts").WaitFor(t, "goes down unexpectedly"); !v.Contains("🔔 Shop") {
				t.Errorf("what was turned on is turned back:\n%s", v.Text())
			}
			stop = w.Restart(t, stop)
		}
		wantMessages(t, anna.InDM(), "I'll message you here", 1)
	})
}

// TestAlertsStayOffWithoutAnAcknowledgement has Discord refuse what acknowledges a press.
func TestAlertsStayOffWithoutAnAcknowledgement(t *testing.T) {
	t.Parallel()
	for name, overHTTP := range map[string]bool{"as the tests are run": false, "over HTTP": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{HTTP: overHTTP, Tune: watching}, "Shop")
			w.Discord.ExpectFailures()
			view := anna.Types(t, "/alerts")
			accept := w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteCallback, Status: http.StatusForbidden})
			if _, err := view.Click(t.Context(), "All alerts on"); err != nil {
				t.Fatal(err)
			}
			w.Log.WaitFor(t, "the caller could not be told")
			accept()
			anna.Types(t, "/alerts").WaitFor(t, "🔕 Shop")
			wantMessages(t, anna.InDM(), "I'll message you here", 0)
		})
	}
}

func TestStaffSeeHowWatchingFaresAndForget(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	crash(t, w, anna.ID, "id-shop")
	dm.Sees(t, "Shop has crashed")
	sam := w.AddStaff("sam")
	status := sam.Types(t, "/admin status")
	status.WaitFor(t, "Accounts: 1 · each checked every")
	for !sam.Types(t, "/admin status").View().Contains("Alerts sent: 1") { // until it is noted that Discord has the alert
	}
	_, metrics := w.Operator(t, "/metrics")
	for _, want := range []string{"hostbot_watch_accounts 1", "hostbot_watch_interval_seconds 1", "hostbot_alerts_sent_total 1", "hostbot_alerts_refused_total 0"} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	forget(t, sam, anna)
	dm.Sees(t, "What I stored about you was removed")
	wantMessages(t, dm, "What I stored about you was removed", 1)
	w.StaffRead(t, "admin forget", "account true, alerts 1, dm true, panels 0, followers 0, follows 0, events 0, history 1 d", sam.ID, anna.ID)
	anna.Types(t, "/alerts").WaitFor(t, "🔕 Shop")
}

func TestStaffReadOnceThatWatchingIsTooSlow(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Tune: func(s *configs.Settings) {
		watching(s)
		s.Watch.Rate = 1
	}})
	for _, name := range []string{"anna", "ben", "cem"} {
		c := w.AddCustomer(name, "Shop")
		if name == "anna" {
			w.Start(t)
		}
		c.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	}
	w.StaffRead(t, "accounts are monitored", "Raise WATCH_RATE")
	awaitLooks(t, w, 5)
	if n := len(world.Entries(w.Channel.Messages(), "accounts are monitored")); n != 1 {
		t.Errorf("staff read it %d times", n)
	}
}

// TestStaffReadOfAFallOfManyBots has the bots of several customers crash at once. Package
// alerts has a thousand of them.
func TestStaffReadOfAFallOfManyBots(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Tune: watching})
	w.Start(t)
	var people []*discordtest.User
	for i := range 10 {
		c := w.AddCustomer(fmt.Sprintf("c%d", i), "Shop")
		c.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
		people = append(people, c)
	}
	awaitLooks(t, w, 2*len(people))
	for _, c := range people {
		crash(t, w, c.ID, "id-shop")
	}
	w.StaffRead(t, "10 bots stopped", "customers: 10", "Pro: 10")
	for _, c := range people {
		c.InDM().Sees(t, "has crashed")
		w.Service.SetStatus(c.ID, "id-shop", hostapitest.Running)
	}
	w.StaffRead(t, "10 bots stopped", "Running again\n10")
	if n := len(world.Entries(w.Channel.Messages(), "bots stopped within")); n != 1 {
		t.Errorf("staff read %d entries of the fall", n)
	}
}
