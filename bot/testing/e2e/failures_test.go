package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// times is a fault that meets so many calls.
func times(n int, f discordtest.Fault) discordtest.Fault {
	f.Times = n
	return f
}

func TestRestartIsDoneOnceThoughDiscordFails(t *testing.T) {
	t.Parallel()
	const first, later = discordtest.RouteCallback, discordtest.RouteOriginal
	for name, fault := range map[string]discordtest.Fault{
		// A second first response tells that the first has arrived.
		"acknowledgement is lost": {Method: http.MethodPost, Route: first, Times: 1, Reset: true, After: true},
		"acknowledgement is slow": {Method: http.MethodPost, Route: first, After: true, Delay: 900 * time.Millisecond},
		// Discord says so in plain text.
		"overloaded for a moment": times(3, discordtest.Overloaded(http.MethodPost, first)),
		// For some seconds Discord does not know the token of an interaction that it
		// has let us defer (discord-api-docs#7220).
		"token is not known yet": times(2, discordtest.Refused(http.MethodPatch, later, discordtest.CodeUnknownWebhook)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{}, "Shop")
			w.Discord.ExpectFailures() // what is sent twice
			card := openShop(t, anna)
			w.Discord.Inject(fault)
			restartOnce(t, w, card)
		})
	}
}

func TestDuplicateDeliveryActsOnce(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Discord.ExpectFailures() // the second delivery is answered as well, and refused
	card := openShop(t, anna).Press(t, "Restart")
	w.Discord.Redeliver(card)
	w.Finish(t)
	card.WaitFor(t, "✅ Restarted")
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// TestModeratedEndIsSaidInShort has AutoMod block how an action ended: it is said
// without the words of the service.
func TestModeratedEndIsSaidInShort(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault hostapitest.Fault
		want  string
		staff string
	}{
		"done":          {hostapitest.Fault{}, "**Restart**: done", "✅ Restart"},
		"failed":        {hostapitest.Fault{Status: http.StatusConflict}, "**Restart**: failed", "❌ Restart"},
		"not confirmed": {hostapitest.Fault{ResetAfter: true}, "**Restart**: not confirmed", "⚠️ Restart"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{}, "Shop")
			card := openShop(t, anna)
			w.Discord.Inject(times(1, discordtest.Refused(http.MethodPatch, discordtest.RouteOriginal, discordtest.CodeBlockedMessage)))
			w.Service.Fail(hostapitest.OpRestart, test.fault, 1)
			card = card.Press(t, "Restart")
			if test.fault.Status == 0 {
				w.Finish(t)
			}
			shown := card.WaitFor(t, test.want)
			if shown.Contains("Shop") {
				t.Errorf("it says what Discord has blocked:\n%s", shown.Text())
			}
			w.StaffRead(t, test.staff)
			w.StaffRead(t, "❗ ", referenceIn(t, shown), "200000", "blocked by automatic moderation")
			for _, m := range w.Channel.Messages() { // nobody could press one where staff have no guild
				if len(m.Buttons()) > 0 {
					t.Errorf("an entry has %+v", m.Buttons())
				}
			}
			w.WantCalls(t, hostapitest.OpRestart, 1)
		})
	}
}

// TestModeratedBeginningDoesNothing has AutoMod block that an action begins.
func TestModeratedBeginningDoesNothing(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	card := openShop(t, anna)
	w.Discord.Inject(times(1, discordtest.Refused(http.MethodPost, discordtest.RouteCallback, discordtest.CodeBlockedMessage)))
	shown := card.Press(t, "Restart").WaitFor(t, "nothing was done")
	w.StaffRead(t, "❗ ", referenceIn(t, shown), "200000")
	w.WantCalls(t, hostapitest.OpRestart, 0)
}

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

// TestServiceThatIsAway is told of, and so is that it is back. The fault matrix has what
// customers read meanwhile.
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
