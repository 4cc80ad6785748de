package e2e_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

var reference = regexp.MustCompile("Reference: `([0-9A-Z]{7})`")

// referenceIn returns the reference that a customer reads.
func referenceIn(t *testing.T, v discordtest.View) string {
	t.Helper()
	found := reference.FindStringSubmatch(v.Text())
	if found == nil {
		t.Fatalf("no reference in:\n%s", v.Text())
	}
	return found[1]
}

func TestFailuresOfTheService(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault hostapitest.Fault
		want  string
		staff string
	}{
		"refuses the secret": {hostapitest.Fault{Status: http.StatusUnauthorized}, "turned us away", "unauthorized (401)"},
		"broken":             {hostapitest.Fault{Status: http.StatusInternalServerError, Body: "<h1>oh</h1>"}, "cannot be reached", "unavailable (500)"},
		"too many requests":  {hostapitest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"2"}}}, "too many requests", "rate_limited"},
		"malformed":          {hostapitest.Fault{Malformed: true}, "makes no sense", "malformed (200)"},
		"wrong types":        {hostapitest.Fault{WrongTypes: true}, "makes no sense", "malformed (200)"},
		"huge":               {hostapitest.Fault{Huge: true}, "makes no sense", "malformed (200)"},
		"cut off":            {hostapitest.Fault{Reset: true}, "cannot be reached", "unavailable"},
		"mentions in errors": {hostapitest.Fault{Status: http.StatusTeapot, Body: `{"error":"@everyone <@1> hosting-secret"}`}, "our side", "internal (418)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			anna := w.addAnna(t, "Shop")
			w.start(t)
			w.service.Fail(hostapitest.OpList, test.fault, 0)

			for _, command := range []string{"/bot list", "/plan"} {
				shown := anna.Types(t, command).WaitFor(t, test.want)
				w.waitForLog(t, "❗ Failure", referenceIn(t, shown), test.staff, anna.ID)
			}
			if choices := anna.Completes(t, "/bot show", "bot", "s"); len(choices) != 0 {
				t.Errorf("suggested %+v", choices)
			}
			for _, entry := range w.channel.Messages() {
				if len(entry.Pings) > 0 {
					t.Errorf("an entry pings %v", entry.Pings)
				}
			}
			w.service.ClearFaults()
			typesUntil(t, anna, "/bot list", "🟢 Shop")
		})
	}
}

// typesUntil types a command again and again, as the service is left alone for
// a second after a failure, until the answer says text.
func typesUntil(t *testing.T, person *discordtest.User, command, text string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		answer := person.Types(t, command).WaitUntil(t, func(v discordtest.View) bool { return v.State == discordtest.Shown })
		if answer.Contains(text) {
			return
		}
	}
	t.Fatalf("%s never says %q", command, text)
}

func TestASlowServiceIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute}, 1)
	list := anna.Types(t, "/bot list")
	if state := list.View().State; state != discordtest.Thinking {
		t.Fatalf("the customer sees %v", state)
	}
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(time.Minute)
	list.WaitFor(t, "🟢 Shop")
}

func TestWhatIsNotKnownIsSaidToBe(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newWorld(t, redis)
		anna := w.addAnna(t, "Shop")
		w.start(t)
		card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
		w.service.Fail(hostapitest.OpRestart, hostapitest.Fault{ResetAfter: true}, 1)
		card = card.Press(t, "Restart")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		shown := card.WaitFor(t, "not confirmed")
		w.waitForLog(t, "⚠️ Restart", "Not confirmed", referenceIn(t, shown))
		w.waitForLog(t, "❗ Failure", referenceIn(t, shown))
		if n := w.service.Count(hostapitest.OpRestart); n != 1 {
			t.Errorf("the service was told to restart %d times", n)
		}
		lists := w.service.Count(hostapitest.OpList)
		card.Press(t, "Refresh").WaitFor(t, "🟢 Shop")
		if n := w.service.Count(hostapitest.OpList); n != lists+1 {
			t.Errorf("Refresh asked the service %d times", n-lists)
		}
	})
}

func TestARefusedActionNamesItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.service.Fail(hostapitest.OpReinstall, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"busy"}`}, 1)
	reply := anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "Shop"})
	shown := reply.WaitFor(t, "could not be reinstalled")
	w.waitForLog(t, "❌ Reinstall", "Failed", referenceIn(t, shown))
	if n := w.service.Count(hostapitest.OpReinstall); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

func TestRedisComesAndGoes(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w := newWorld(t, redis.URL())
		anna := w.addAnna(t, "Shop")
		w.start(t)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		redis.Stop()
		for range 2 {
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		}
		redis.Restart()
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	})
}

func TestNobodyWithoutAnAccountIsAFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	eli := w.discord.User("eli")
	w.start(t)
	for _, command := range []string{"/bot list", "/plan"} {
		eli.Types(t, command).WaitFor(t, "No hosting account is linked")
	}
	for _, entry := range w.channel.Messages() {
		if entry.Contains("Failure") {
			t.Errorf("staff read: %s", entry.Text())
		}
	}
}

func TestBrokenEventsAreSurvived(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	for _, data := range []string{
		`{}`, `null`, `[]`, `{"id":"1"}`, `{"id":1,"type":2,"data":{"name":"bot"}}`, `{"id":"1","type":99,"data":{}}`,
		`{"id":"1","type":2,"token":"no-such-token","user":{"id":"2"}}`, `{"id":"1","type":3,"token":"no-such-token","user":{"id":"../3"},"data":{"custom_id":"restart/id-shop"}}`,
		`{"id":"1","type":2,"token":"no-such-token","user":{"id":"2"},"data":{"name":"bot","options":[null]}}`,
		`{"id":"1","type":5,"token":"no-such-token","user":{"id":"2"},"data":{"custom_id":"x","components":[null]}}`,
	} {
		if json.Valid([]byte(data)) {
			w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(data))
		}
	}
	w.discord.SendRaw(`{"op":0,"t":"INTERACTION_CREATE","s":`)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	if n := w.service.Count(hostapitest.OpRestart); n != 0 {
		t.Error("a broken event restarted a bot")
	}
	w.discord.ExpectFailures() // it answered interactions that never were
}

func TestAnAcknowledgementThatIsLostIsNotRepeatedAsAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.ExpectFailures() // a second first response, which tells that the first arrived
	card := showShop(t, anna)
	w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteCallback, Times: 1, Reset: true, After: true})
	w.restartOnce(t, card)
}

func TestNothingIsDoneForWhomDiscordDidNotHear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	card := showShop(t, anna)
	w.discord.ExpectFailures() // there is no answer in time
	remove := w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteCallback, Status: http.StatusServiceUnavailable})
	w.discord.ForgetCalls()
	card.Press(t, "Restart").WaitUntil(t, func(v discordtest.View) bool { return v.State == discordtest.Failed || v.State == discordtest.Shown })
	w.waitForLog(t, "❗ Failure", "could not be told")
	remove()
	if n := w.service.Count(hostapitest.OpRestart); n != 0 {
		t.Errorf("restarted %d times", n)
	}
	tries := 0
	for _, call := range w.discord.Calls() {
		if call.Route == discordtest.RouteCallback {
			tries++
		}
	}
	if tries < 2 || tries > 5 {
		t.Errorf("the first response was sent %d times", tries)
	}
}

func TestADuplicateDeliveryActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.ExpectFailures() // the second delivery is answered as well, and refused
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card = card.Press(t, "Restart")
	w.discord.Redeliver(card)
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
}
