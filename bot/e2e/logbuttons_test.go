package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

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
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"the node is full"}`}, 1)
	code := referenceIn(t, anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "could not be restarted"))
	w.StaffRead(t, "❌ Restart", anna.ID, "id-shop", "mend that or tell the customer", code)
	w.StaffRead(t, "❗ Failure", code, "free it in the hosting service")
	before := w.Channel.Messages()

	reference := pressLogged(t, w, sam, "Reference")
	reference.WaitFor(t, "Reference "+code)
	reference.WaitFor(t, "the node is full")
	reference.WaitFor(t, "free it in the hosting service")
	reference.Press(t, "Look up").WaitFor(t, "anna's bots")

	// The service takes its time, so that the press is deferred.
	flush(t, sam, anna)
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 4 * time.Second}, 1)
	lookup := pressLogged(t, w, sam, "Look up")
	w.Clock.BlockUntil(t, 1)
	w.Clock.Advance(4 * time.Second)
	lookup.WaitFor(t, "anna's bots")
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

func TestWithoutStaffsGuildEntriesHaveNoButtons(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusConflict}, 1)
	anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "could not be restarted")
	w.StaffRead(t, "❌ Restart", "id-shop")
	for _, m := range w.Channel.Messages() {
		if len(m.Buttons()) > 0 {
			t.Errorf("staff cannot press %+v", m.Buttons())
		}
	}
}
