package e2e_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestRequestThatBreaksOffIsAnsweredByACall has Discord's request, or the load
// balancer's, break off before it is answered.
func TestRequestThatBreaksOffIsAnsweredByACall(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{HTTP: true, Service: &hostapitest.Options{}}, "Shop")
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 800 * time.Millisecond}, 1)
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteEndpoint, Times: 1, Delay: 200 * time.Millisecond})
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	wantCallbacks(t, w, 1)
}

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
	began := time.Now()
	go func() { stopped <- stop() }()
	w.Log.WaitFor(t, "hostbot stops")
	wantReady(t, w, false)
	for time.Since(began) < 3*time.Second {
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("with nothing to wait for it took %v", took)
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

// TestKeyOfAnotherApplicationIsNoticed, and nothing is served with it.
func TestKeyOfAnotherApplicationIsNoticed(t *testing.T) {
	t.Parallel()
	key, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := world.New(t, world.Options{HTTP: true, Env: []string{"DISCORD_PUBLIC_KEY=" + hex.EncodeToString(key), "HTTP_ADDR=127.0.0.1:0"}})
	w.Discord.ExpectFailures() // PINGs are refused
	w.Start(t)
	w.Log.WaitFor(t, "DISCORD_PUBLIC_KEY is another application's")
	if !world.Eventually(t.Context(), func() bool { status, _ := w.Operator(t, "/readyz"); return status == http.StatusServiceUnavailable }) {
		t.Error("the program is ready")
	}
}
