package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/e2e/world"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

func TestBrokenEventsAreSurvived(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Discord.ExpectFailures() // it answers interactions that never were
	for _, data := range []string{
		`{}`, `null`, `[]`, `{"id":"1"}`, `{"id":1,"type":2,"data":{"name":"bot"}}`, `{"id":"1","type":99,"data":{}}`,
		`{"id":"1","type":2,"token":"no-such-token","user":{"id":"2"}}`, `{"id":"1","type":3,"token":"no-such-token","user":{"id":"../3"},"data":{"custom_id":"restart/id-shop"}}`,
		`{"id":"1","type":2,"token":"no-such-token","user":{"id":"2"},"data":{"name":"bot","options":[null]}}`,
		`{"id":"1","type":5,"token":"no-such-token","user":{"id":"2"},"data":{"custom_id":"x","components":[null]}}`,
		`{"id":"1","type":2,"token":"no-such-token","user":{"id":"2"},"data":{"name":"bot","x":"` + strings.Repeat("x", 1<<20) + `"}}`,
	} {
		w.Discord.SendEvent("INTERACTION_CREATE", json.RawMessage(data))
	}
	w.Discord.SendRaw(`{"op":0,"t":"INTERACTION_CREATE","s":`)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	for _, shape := range []string{`"text"`, `5`, `true`, `null`, `[]`, `[{}]`, `{}`} {
		for _, event := range []string{"INTERACTION_CREATE", "READY", "RESUMED", "GUILD_CREATE", "GUILD_DELETE"} {
			w.Discord.SendEvent(event, json.RawMessage(shape))
		}
	}
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	w.WantCalls(t, hostapitest.OpRestart, 0)
}

// TestTheLogSaysWhyAnOldAccountIsShown has the service refuse, at once.
func TestTheLogSaysWhyAnOldAccountIsShown(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "🟢 Shop")
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusUnauthorized, Body: `{"error":"the secret was rotated"}`}, 0)
	list.Press(t, "Refresh").WaitFor(t, "Showing data from")
	w.Log.WaitFor(t, `unauthorized (status 401): the secret was rotated","user"`)
}

// TestServiceThatIsAway is told of, and so is that it is back. The fault matrix has what
// customers read meanwhile.
func TestServiceThatIsAway(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop")
	card := openShop(t, anna)
	w.Service.Fail("", hostapitest.Fault{Status: http.StatusBadGateway}, 0)
	for _, name := range []string{"bert", "carl", "dora", "emil", "finn"} { // whose calls show it
		w.Discord.User(name).Types(t, "/bot list").WaitFor(t, "can't be reached")
	}
	w.StaffRead(t, "The hosting service is down", "502")
	sam.Types(t, "/admin status").WaitFor(t, "Hosting service unreachable")
	w.Service.ClearFaults()
	world.Eventually(t.Context(), func() bool { // until it is tried again
		w.Discord.User("gus").Types(t, "/bot list")
		return len(world.Entries(w.Channel.Messages(), "The hosting service is back")) > 0
	})
	restartOnce(t, w, card)
}

// TestViewWaitsForOneTimeout of a service that hangs: it is not asked again before the customer reads so.
func TestViewWaitsForOneTimeout(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Tune: func(s *configs.Settings) { s.HostAPI.Timeout = 500 * time.Millisecond }}, "Shop")
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Hang: true}, 0)
	anna.Types(t, "/bot list").WaitFor(t, "didn't answer in time")
	if n := w.Service.Count(hostapitest.OpList); n != 1 {
		t.Errorf("the service was asked %d times", n)
	}
}
