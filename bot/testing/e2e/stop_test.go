package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// stopDuringRestart has anna restart a bot, and tells the program to stop before
// that is done.
func stopDuringRestart(t *testing.T, w *world.World, anna *discordtest.User, stop func() error) (restart *discordtest.Reply, stopped <-chan error) {
	t.Helper()
	restart = anna.Types(t, "/bot restart", bot("Shop"))
	w.Clock.BlockUntil(t, 1)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	w.Log.WaitFor(t, "hostbot stops")
	return restart, ended
}

func TestStopLetsCustomersSeeTheEnd(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	anna := w.AddCustomer("anna", "Shop", "Radio")
	restart, stopped := stopDuringRestart(t, w, anna, w.Start(t))
	wantReady(t, w, false)
	if !world.OverHTTP() { // where the bot serves until a load balancer has noticed
		late := anna.Types(t, "/bot restart", bot("Radio"))
		late.WaitFor(t, "We're restarting")
		if choices := anna.Completes(t, "/bot restart", "bot", "s"); len(choices) != 0 {
			t.Errorf("suggested %+v", choices)
		}
	}
	w.Finish(t)
	restart.WaitFor(t, "✅ Restarted")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	w.StaffRead(t, "✅ Restart")
	w.StaffRead(t, "🛑")
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// TestStopIsBounded has the service hang: what runs is given up, and the customer
// told so.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Env: []string{"HOSTAPI_TIMEOUT=1m"}})
	anna := w.AddCustomer("anna", "Shop")
	started := time.Now()
	restart, stopped := stopDuringRestart(t, w, anna, w.Start(t)) // and nobody moves the clock
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %v", took)
	}
	if v := restart.View(); !v.Contains("don't know yet whether") {
		t.Errorf("the customer sees:\n%s", v.Text())
	}
	w.StaffRead(t, "⚠️ Restart", "Not confirmed")
}

// wantReady fails the test unless /readyz says so.
func wantReady(t *testing.T, w *world.World, want bool) {
	t.Helper()
	status, body := w.Operator(t, "/readyz")
	if (status == http.StatusOK) != want {
		t.Errorf("/readyz says %d %s; ready: %v", status, body, want)
	}
}
