package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestActionIsNeverBegunByAnAnswer: an answer may be lost, and nobody would know. An
// action waits for what Discord says to a call.
func TestActionIsNeverBegunByAnAnswer(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{HTTP: true}, "Shop")
	card := openShop(t, anna)
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteEndpoint, Times: 1, Reset: true}) // the answer is lost
	restartOnce(t, w, card)
	w.Discord.ExpectFailures() // an interaction without a response
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteCallback, Status: http.StatusForbidden})
	card = anna.Types(t, "/bot show", bot("Shop"))
	if _, err := card.Click(t.Context(), "Restart"); err != nil {
		t.Fatal(err)
	}
	w.Log.WaitFor(t, "the caller could not be told")
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// TestEndpointServesUntilALoadBalancerHasNoticed that the bot stops.
func TestEndpointServesUntilALoadBalancerHasNoticed(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{HTTP: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	wantReady(t, w, true)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.Log.WaitFor(t, "hostbot stops")
	wantReady(t, w, false)
	for range 10 {
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	wantCallbacks(t, w, 0)
}

func TestAddressThatIsTakenEndsTheProgram(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{HTTP: true})
	w.Env = append(w.Env, "INTERACTIONS_ADDR="+strings.TrimPrefix(w.Service.URL(), "http://"))
	stop := w.Launch(t)
	<-w.Ended
	if err := stop(); err == nil || !strings.Contains(err.Error(), "INTERACTIONS_ADDR") {
		t.Errorf("Run returned %v", err)
	}
}
