package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// openings counts the calls that open a DM.
func openings(w *world.World) (n int) {
	for _, c := range w.Discord.Calls() {
		if c.Method == http.MethodPost && c.Route == discordtest.RouteDMs {
			n++
		}
	}
	return n
}

// TestQuarantineIsToldOnceAndHoldsOnlyWhatDiscordRefuses has two people turn alerts on while
// the bot is quarantined, and the bot of somebody crash who had them before.
func TestQuarantineIsToldOnceAndHoldsOnlyWhatDiscordRefuses(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	w.Discord.Quarantine(true)
	before := openings(w)
	for _, name := range []string{"ben", "cem"} {
		c := w.AddCustomer(name, "Shop")
		view := c.Types(t, "/alerts").Press(t, "All alerts on")
		view.WaitFor(t, "Try again in a few minutes")
		view.WaitFor(t, "🔕 Shop")
	}
	if n := openings(w) - before; n != 1 {
		t.Errorf("Discord was asked %d times", n)
	}
	w.StaffRead(t, "Discord has quarantined this bot", "Appeal in the Developer Portal")
	if v := w.AddStaff("sam").Types(t, "/admin status").WaitFor(t, "Direct messages are held, next try <t:"); !v.Contains("Appeal in the Developer Portal") {
		t.Errorf("the status says:\n%s", v.Text())
	}
	if _, health := w.Operator(t, "/healthz?verbose"); !strings.Contains(health, "✗ direct messages: no DMs are opened, the next after 20") {
		t.Errorf("operators read:\n%s", health)
	}
	if _, metrics := w.Operator(t, "/metrics"); !strings.Contains(metrics, "hostbot_alerts_held 1\n") {
		t.Error("the metrics do not tell")
	}
	crash(t, w, anna.ID, "id-shop") // Discord takes messages to those to whom there were some before
	dm.Sees(t, "Shop has crashed")
	staff := w.Channel.Messages()
	if n := len(world.Entries(staff, "Discord has quarantined this bot")); n != 1 {
		t.Errorf("staff read it %d times", n)
	}
	if n := len(world.Entries(staff, "Something broke")); n != 0 {
		t.Errorf("staff read of %d failures", n)
	}
}

// TestAlertThatDiscordForbidsForAllHoldsAll has Discord refuse alerts, for each of its reasons.
func TestAlertThatDiscordForbidsForAllHoldsAll(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"quarantined":        {Status: 403, Body: `{"code": 20026, "message": "flagged"}`},
		"opening too fast":   {Status: 403, Body: `{"code": 40003, "message": "too fast"}`},
		"suspicion of abuse": {Status: 403, Body: `{"code": 10008, "message": "Unknown Message"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna, dm := alerted(t, world.Options{Staff: true})
			dms := func() (n int) { // tries to write to anna
				for _, c := range w.Discord.Calls() {
					if c.Method == http.MethodPost && strings.HasSuffix(c.Path, "/channels/"+dm.ChannelID()+"/messages") {
						n++
					}
				}
				return n
			}
			w.Discord.ExpectFailures()
			before := dms()
			fault.Method, fault.Route, fault.Header = http.MethodPost, discordtest.RouteMessages, http.Header{"Content-Type": {"application/json"}}
			remove := w.Discord.Inject(fault)
			crash(t, w, anna.ID, "id-shop")
			w.Log.WaitFor(t, "they are held and tried again")
			remove() // the log channel meets the fault as well
			w.StaffRead(t, "⚠️ Discord", "discord: status 403, code")
			w.AddStaff("sam").Types(t, "/admin status").WaitFor(t, "Direct messages are held, next try <t:")
			awaitLooks(t, w, 12) // a second each
			if n := dms() - before; n != 1 {
				t.Errorf("the alert was tried %d times", n)
			}
			wantMessages(t, dm, "crashed", 0)
		})
	}
}

// TestCustomersWaitForWhatDiscordLimits has Discord refuse that DMs are opened, for a while.
func TestCustomersWaitForWhatDiscordLimits(t *testing.T) {
	t.Parallel()
	limited := discordtest.RateLimited(http.MethodPost, discordtest.RouteDMs, time.Minute, false)
	tooFast := discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteDMs, Status: 403, Body: `{"code": 40003, "message": "too fast"}`}
	for name, fault := range map[string]discordtest.Fault{"429 on opening DMs": limited, "opening DMs too fast": tooFast} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{Tune: watching}, "Shop")
			w.Discord.Inject(fault)
			for range 3 {
				anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Try again in a few minutes")
			}
			if n := openings(w); n != 1 {
				t.Errorf("Discord was asked %d times", n)
			}
			if n := len(world.Entries(w.Channel.Messages(), "Reference")); n != 0 {
				t.Errorf("staff read of %d failures", n)
			}
		})
	}
}

// TestNoDMIsOpenedWhereItIsKnown has one ask in the DM with the bot, and another twice.
func TestNoDMIsOpenedWhereItIsKnown(t *testing.T) {
	t.Parallel()
	w, anna, dm := alerted(t, world.Options{})
	ben := w.AddCustomer("ben", "Shop").InDM()
	before := openings(w)
	anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "They come to you as direct messages")
	ben.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "They come to you as direct messages")
	if n := openings(w) - before; n != 0 {
		t.Errorf("%d DMs were opened", n)
	}
	wantMessages(t, dm, "I'll message you here", 1)
	wantMessages(t, ben, "I'll message you here", 0)
	awaitLooks(t, w, 4)
	crash(t, w, ben.ID, "id-shop")
	ben.Sees(t, "Shop has crashed")
}

// TestManyTurnAlertsOnAtOnce has more people do so at once than Discord lets the bot write to.
func TestManyTurnAlertsOnAtOnce(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Tune: watching})
	const people = 30
	var customers []*discordtest.User
	for i := range people {
		customers = append(customers, w.AddCustomer("c"+strings.Repeat("c", i), "Shop"))
	}
	w.Start(t)
	var pressed []*discordtest.Reply
	for _, c := range customers {
		pressed = append(pressed, c.Types(t, "/alerts").Press(t, "All alerts on"))
	}
	later := 0
	for _, p := range pressed {
		v := p.WaitUntil(t, func(v discordtest.View) bool {
			return v.Contains("Alerts are on") || v.Contains("Try again in a few minutes")
		})
		if v.Contains("few minutes") {
			later++
		}
	}
	if later == 0 || later == people {
		t.Errorf("%d of %d are asked to come later", later, people)
	}
}
