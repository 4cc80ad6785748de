package processes_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// TestARefusedRegistrationIsTriedAgain has Discord refuse the commands once.
func TestARefusedRegistrationIsTriedAgain(t *testing.T) {
	t.Parallel()
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for name, refusal := range map[string]discordtest.Fault{
		"403":      {Status: http.StatusForbidden, Body: `{"message": "Missing Access", "code": 50001}`},
		"401":      {Status: http.StatusUnauthorized, Body: `{"message": "401: Unauthorized", "code": 0}`},
		"400":      {Status: http.StatusBadRequest, Body: `{"message": "Invalid Form Body", "code": 50035}`},
		"404 page": {Status: http.StatusNotFound, Header: page, Body: "<html><h1>Not Found</h1></html>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			refusal.Method, refusal.Route, refusal.Times = http.MethodPut, discordtest.RouteCommands, 1
			w.discord.Inject(refusal)
			r := w.launch(t, nil)
			eventually(t, 40*time.Second, "the commands are registered", func() bool { return len(w.discord.Commands()) > 0 || !r.alive() })
			if !r.alive() {
				t.Errorf("the process has ended")
			}
		})
	}
}

// TestTheLastEditIsTriedUntilItIsTaken has Discord take no edits for 20 s, in
// which a restart ends.
func TestTheLastEditIsTriedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	const away = 20 * time.Second
	for name, fault := range map[string]discordtest.Fault{
		"503":               discordtest.Overloaded("", ""),
		"500":               discordtest.ServerError("", ""),
		"429":               discordtest.RateLimited("", "", time.Second, false),
		"a lost connection": {Reset: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{restart: time.Second})
			w.start(t)
			anna := w.customers("anna", 1)[0]
			card := anna.Types(t, "/bot show", discordtest.Options{"bot": anna.bot}).Press(t, "Restart")
			card.WaitFor(t, "Restarting **")
			fault.Method, fault.Route = http.MethodPatch, ""
			remove := w.discord.Inject(fault)
			<-time.After(away) // Discord is away, as it is in an outage
			remove()
			eventually(t, 30*time.Second, "the customer reads the end", func() bool { return card.View().Contains("was restarted") })
			tries := 0
			for _, call := range w.discord.Calls() {
				if call.Method == http.MethodPatch {
					tries++
				}
			}
			t.Logf("%d edits were sent", tries)
			if tries > 40 {
				t.Errorf("%d edits were sent: the intervals do not grow", tries)
			}
		})
	}
}
