package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// servingStaffed makes a world with a bot that serves, with anna, whose bots have
// these names, and with Sam, who is staff.
func servingStaffed(t *testing.T, redis string, bots ...string) (w *world.World, anna, sam *discordtest.User) {
	t.Helper()
	w, anna = world.Serving(t, world.Options{Redis: redis, Staff: true}, bots...)
	return w, anna, w.AddStaff("sam")
}

func TestStaffLookACustomerUp(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t).URL()
	w, anna, sam := servingStaffed(t, redis, "Shop", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J")
	view := sam.Types(t, "/admin lookup", discordtest.Options{"user": anna})
	view.WaitFor(t, "Staff view** of <@"+anna.ID+">")
	view.WaitFor(t, "data from")
	view.WaitFor(t, "11 of 30") // the plan
	w.StaffRead(t, "Staff command", "admin lookup", sam.ID, anna.ID)

	second := view.Choose(t, "Page 1 of 2", "Page 2 of 2")
	second.WaitFor(t, "Page 2 of 2")
	second.WaitFor(t, "Staff view")
	card := second.Choose(t, "Page 2 of 2", "Page 1 of 2").Choose(t, "Open a bot", "Shop")
	card.WaitFor(t, "Limits: 512 MB RAM")
	card.WaitFor(t, "Staff view")
	for _, own := range []string{"Startup", "Delete"} {
		if _, err := card.View().Button(own); err == nil {
			t.Errorf("staff are offered %s", own)
		}
	}
	restartOnce(t, w, card)
	w.StaffRead(t, "✅ Restart", "🛟 for <@", sam.ID, anna.ID, "id-shop")
	card.Press(t, "All bots").WaitFor(t, "Staff view")

	sam.Uses(t, "Hosted bots", anna).WaitFor(t, "🟢 Shop")
	w.StaffRead(t, "Staff command", "Hosted bots", anna.ID)
}

func TestStaffSeeTheStatus(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		w, anna := world.Serving(t, world.Options{Redis: redis.URL(), Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}}, "Shop")
		sam := w.AddStaff("sam")
		w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: 503}, 1)
		anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "don't know yet whether")
		status := sam.Types(t, "/admin status")
		for _, part := range []string{"`test`", "1 of ", "Failed calls"} {
			status.WaitFor(t, part)
		}
		way := "✓ interactions over HTTP"
		if !world.OverHTTP() {
			status.WaitFor(t, "0: 🟢") // the shard
			way = "✓ gateway, shard 0: "
		}
		_, page := w.Operator(t, "/healthz?verbose")
		for _, line := range []string{"✓ hostbot: version test, ", way, "✗ hosting service: 1 of ", "✓ redis: ", "✓ log channel " + w.Channel.ID} {
			if !strings.Contains(page, line) {
				t.Errorf("/healthz?verbose has no %q:\n%s", line, page)
			}
		}
		redis.Stop()
		sam.Types(t, "/admin status").WaitFor(t, "⚠️ ")
		if _, page = w.Operator(t, "/healthz?verbose"); !strings.Contains(page, "✗ redis: ") {
			t.Errorf("/healthz?verbose, without Redis:\n%s", page)
		}
	})
}

// forget has staff forget what is cached of a customer, as time would.
func forget(t *testing.T, sam, customer *discordtest.User) {
	t.Helper()
	askForget(t, sam, customer).Press(t, "Delete everything").WaitFor(t, "was deleted")
}

// askForget has staff be asked whether what is kept of a customer is to be removed. It may
// be cached a moment after the customer has the answer.
func askForget(t *testing.T, sam, customer *discordtest.User) (asked *discordtest.Reply) {
	t.Helper()
	patience.Until(t, "staff are asked", func() bool {
		asked = sam.Types(t, "/admin forget", discordtest.Options{"user": customer})
		return asked.WaitUntil(t, isShown).Contains("will be deleted")
	})
	return asked
}

func isShown(v discordtest.View) bool { return v.State == discordtest.Shown }

// pressLogged has somebody press a button of the log channel's latest message that
// has one of this label.
func pressLogged(t *testing.T, w *world.World, who *discordtest.User, label string) *discordtest.Reply {
	t.Helper()
	messages := w.Channel.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if button, err := messages[i].Button(label); err == nil {
			reply, err := who.In(w.Channel).Click(t.Context(), messages[i].ID, button.CustomID)
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
	}
	t.Fatalf("no message in the log channel has a button %q", label)
	return nil
}

// TestStaffGoOnFromALogEntry follows staff from a failure's card to the customer and to
// what happened. The card stays as it is.
func TestStaffGoOnFromALogEntry(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop", "Radio")
	w.StaffRead(t, "⚠️", "REDIS_URL isn't set")
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"the node is full"}`}, 1)
	code := referenceIn(t, anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "couldn't be restarted"))
	w.StaffRead(t, "❌ Restart", anna.ID, "id-shop", "current state (409)", code)
	w.StaffRead(t, "❗ ", code, "free it in the hosting service")
	before := w.Channel.Messages()

	reference := pressLogged(t, w, sam, "Reference")
	reference.WaitFor(t, "Reference "+code)
	reference.WaitFor(t, "the node is full")
	reference.WaitFor(t, "free it in the hosting service")
	reference.Press(t, "Look up").WaitFor(t, "Staff view** of <@"+anna.ID)

	// The service takes its time, so that the press is deferred.
	forget(t, sam, anna)
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 4 * time.Second}, 1)
	lookup := pressLogged(t, w, sam, "Look up")
	w.Clock.BlockUntil(t, 1)
	w.Clock.Advance(4 * time.Second)
	lookup.WaitFor(t, "Staff view** of <@"+anna.ID)
	if !lookup.View().Ephemeral {
		t.Error("everybody in the channel sees the customer's account")
	}
	second := lookup.Choose(t, "Open a bot", "Radio")
	second.WaitFor(t, "anna")
	w.StaffRead(t, "Staff command", "`lookup`", sam.ID, anna.ID)
	for i, m := range before {
		if now := w.Channel.Messages()[i]; now.Version != m.Version {
			t.Errorf("an entry has become:\n%s", now.Text())
		}
	}

	pressLogged(t, w, w.AddOutsider("mia"), "Look up").WaitFor(t, "This is for staff")
	sam.SetRoles()
	pressLogged(t, w, sam, "Reference").WaitFor(t, "This is for staff")
}
