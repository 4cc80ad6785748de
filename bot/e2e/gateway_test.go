package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/bot/gateway"
	"hostbot/hostapi/redistest"
)

// newGatewayWorld makes a world whose gateway wants a heartbeat each second and
// lets nobody wait: what was asked while the bot was away can still be answered
// when it is back, however slow this machine is.
func newGatewayWorld(t *testing.T, redis string) *world.World {
	t.Helper()
	world.AboutTheGateway(t)
	return world.New(t, world.Options{
		Discord: discordtest.Config{HeartbeatInterval: time.Second, Clock: discordtest.NewManualClock(time.Now())},
		Redis:   redis, Env: []string{"HTTP_ADDR=127.0.0.1:0"},
	})
}

// waitGateway waits until the gateway has seen enough.
func waitGateway(t *testing.T, w *world.World, enough func(discordtest.GatewayStats) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.Discord.WaitGateway(ctx, enough); err != nil {
		t.Fatalf("%v; the log says:\n%s", err, w.Log)
	}
}

// wantCallbacks fails the test unless Discord was sent so many first responses.
func wantCallbacks(t *testing.T, w *world.World, want int) {
	t.Helper()
	n := 0
	for _, call := range w.Discord.Calls() {
		if call.Method == http.MethodPost && call.Route == discordtest.RouteCallback {
			n++
		}
	}
	if n != want {
		t.Errorf("%d interactions were answered %d times", want, n)
	}
}

// loseConnection makes the bot lose its connection, and waits until it says why.
// It cannot come back until the gateway lets it.
func loseConnection(t *testing.T, w *world.World, strike func(*discordtest.Server), why string) {
	t.Helper()
	w.Discord.RefuseConnections(true)
	strike(w.Discord)
	w.Log.WaitFor(t, why)
	wantReady(t, w, false)
}

// waitBack waits until the bot serves again: it has identified and resumed so many
// times in all.
func waitBack(t *testing.T, w *world.World, identifies, resumes int) {
	t.Helper()
	waitGateway(t, w, func(s discordtest.GatewayStats) bool {
		return s.Identifies == identifies && s.Resumes == resumes && s.Open == 1
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ready := func() bool {
		status, _ := w.Operator(t, "/readyz")
		return status == http.StatusOK
	}
	if !world.Eventually(ctx, ready) {
		t.Errorf("it is not ready again; the log says:\n%s", w.Log)
	}
}

func closeWith(code int) func(*discordtest.Server) {
	return func(d *discordtest.Server) { d.CloseWith(code) }
}

// TestGatewayFaultsPass: where the session can be resumed, what customers did
// meanwhile is answered, once. Where it cannot, Discord replays nothing.
func TestGatewayFaultsPass(t *testing.T) {
	t.Parallel()
	type fault struct {
		strike func(*discordtest.Server)
		why    string
		anew   bool // the session is begun anew
		end    func(*discordtest.Server)
	}
	for name, test := range map[string]fault{
		"asked to reconnect":  {strike: (*discordtest.Server).AskReconnect, why: "asked to reconnect"},
		"session still valid": {strike: func(d *discordtest.Server) { d.InvalidateSession(true) }, why: "asked to re"},
		"session invalid":     {strike: func(d *discordtest.Server) { d.InvalidateSession(false) }, why: "gave up the session", anew: true},
		"cut":                 {strike: (*discordtest.Server).Drop, why: "connection to discord lost"},
		"half open": {
			strike: func(d *discordtest.Server) { d.Silence(true) }, why: "acknowledged no heartbeat",
			end: func(d *discordtest.Server) { d.Silence(false) },
		},
		"nonsense":                    {strike: func(d *discordtest.Server) { d.SendRaw("null") }, why: "makes no sense"},
		"resuming is left unanswered": {strike: func(d *discordtest.Server) { d.IgnoreSessions(1); d.Drop() }, why: "connection to discord lost"},
		"closed":                      {strike: closeWith(1000), why: "with code 1000"},
		"closed with an error":        {strike: closeWith(4000), why: "with code 4000"},
		"timed out":                   {strike: closeWith(4009), why: "with code 4009", anew: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGatewayWorld(t, "")
			anna := w.AddCustomer("anna", "Shop")
			w.Start(t)
			wantReady(t, w, true)
			loseConnection(t, w, test.strike, test.why)
			missed, err := anna.Start("/bot list", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.Discord.RefuseConnections(false)
			if test.end != nil {
				test.end(w.Discord)
			}
			if test.anew {
				waitBack(t, w, 2, 0)
			} else {
				waitBack(t, w, 1, 1)
				missed.WaitFor(t, "🟢 Shop")
				wantCallbacks(t, w, 1)
			}
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			w.StaffRead(t, "🔌")
			w.StaffRead(t, "🔗")
			if s := w.Discord.Gateway(); s.Connections > 3 {
				t.Errorf("it connected %d times", s.Connections)
			}
		})
	}
}

// TestGatewayTroubleBeforeTheFirstSession has Discord not tell the address at first,
// then take no connection, and then leave an IDENTIFY unanswered.
func TestGatewayTroubleBeforeTheFirstSession(t *testing.T) {
	t.Parallel()
	w := newGatewayWorld(t, "")
	anna := w.AddCustomer("anna", "Shop")
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteGatewayBot, Times: 1, Status: http.StatusBadGateway})
	w.Discord.RefuseConnections(true)
	w.Discord.IgnoreSessions(1)
	w.Launch(t)
	w.Log.WaitFor(t, "ask where the gateway is: discord: status 502")
	w.Log.WaitFor(t, "connection to discord lost")
	wantReady(t, w, false)
	w.Discord.RefuseConnections(false)
	waitBack(t, w, 2, 0)
	w.Log.WaitFor(t, "the commands are registered")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

// TestFinalCloseCodesEndTheProgram, whether Discord says so at once or later.
func TestFinalCloseCodesEndTheProgram(t *testing.T) {
	t.Parallel()
	for when, code := range map[string]int{"at once": 4004, "later": 4014, "on resuming": 4013} {
		t.Run(fmt.Sprint(code, " ", when), func(t *testing.T) {
			t.Parallel()
			w := newGatewayWorld(t, "")
			var stop func() error
			switch when {
			case "at once":
				w.Discord.RefuseSessions(code)
				stop = w.Launch(t)
			case "later":
				stop = w.Start(t)
				w.Discord.CloseWith(code)
			case "on resuming":
				stop = w.Start(t)
				w.Discord.RefuseSessions(code)
				w.Discord.Drop()
			}
			select {
			case <-w.Ended:
			case <-time.After(10 * time.Second):
				t.Error("it does not end")
			}
			var final *gateway.FinalError
			if err := stop(); !errors.As(err, &final) || final.Code != code || strings.Contains(err.Error(), "\n") {
				t.Errorf("Run returned %v", err)
			}
			if s := w.Discord.Gateway(); s.Connections > 2 || s.Identifies > 1 {
				t.Errorf("it identified %d times over %d connections", s.Identifies, s.Connections)
			}
		})
	}
}

func TestGatewayReplaysAnActionThatIsDoneOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newGatewayWorld(t, redis)
		anna := w.AddCustomer("anna", "Shop")
		w.Start(t)
		loseConnection(t, w, (*discordtest.Server).Drop, "connection to discord lost")
		restart, err := anna.Start("/bot restart", bot("Shop"))
		if err != nil {
			t.Fatal(err)
		}
		w.Discord.RefuseConnections(false)
		restart.WaitFor(t, "Restarting **Shop**")
		loseConnection(t, w, (*discordtest.Server).AskReconnect, "asked to reconnect") // in the middle of it
		w.Finish(t)
		restart.WaitFor(t, "**Shop** was restarted") // which needs no gateway
		w.Discord.RefuseConnections(false)
		waitBack(t, w, 1, 2)
		wantCallbacks(t, w, 1)
	})
}
