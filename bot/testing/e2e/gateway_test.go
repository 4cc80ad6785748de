package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

// newGatewayWorld makes a world whose gateway wants a heartbeat each second and
// lets nobody wait: what was asked while the bot was away can still be answered
// when it is back, however slow this machine is.
func newGatewayWorld(t *testing.T, redis string) *world.World {
	t.Helper()
	w, _ := newWorldAt(t, redis)
	return w
}

// newWorldAt makes such a world, and returns Discord's clock.
func newWorldAt(t *testing.T, redis string) (*world.World, *discordtest.ManualClock) {
	t.Helper()
	world.AboutTheGateway(t)
	clock := discordtest.NewManualClock(time.Now())
	w := world.New(t, world.Options{
		Discord: discordtest.Config{HeartbeatInterval: time.Second, Clock: clock},
		Redis:   redis, Env: []string{"HTTP_ADDR=127.0.0.1:0"},
	})
	w.Discord.IdentifyAtOnce() // its clock stands still
	return w, clock
}

// waitGateway waits until the gateway has seen enough.
func waitGateway(t *testing.T, w *world.World, enough func(discordtest.GatewayStats) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), world.Patience)
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
	ctx, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	ready := func() bool {
		status, _ := w.Operator(t, "/readyz")
		return status == http.StatusOK
	}
	if !world.Eventually(ctx, ready) {
		t.Errorf("it is not ready again; the log says:\n%s", w.Log)
	}
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
		"asked to reconnect": {strike: (*discordtest.Server).AskReconnect, why: "asked to reconnect"},
		"session invalid":    {strike: func(d *discordtest.Server) { d.InvalidateSession(false) }, why: "gave up the session", anew: true},
		"cut":                {strike: (*discordtest.Server).Drop, why: "connection to discord lost"},
		"half open": {
			strike: func(d *discordtest.Server) { d.Silence(true) }, why: "acknowledged no heartbeat",
			end: func(d *discordtest.Server) { d.Silence(false) },
		},
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

func TestFinalCloseCodeEndsTheProgram(t *testing.T) {
	t.Parallel()
	w := newGatewayWorld(t, "")
	stop := w.Start(t)
	w.Discord.CloseWith(4014)
	select {
	case <-w.Ended:
	case <-time.After(world.Patience):
		t.Error("it does not end")
	}
	if final, ok := errors.AsType[*gateway.FinalError](stop()); !ok || final.Code != 4014 || strings.Contains(final.Error(), "\n") {
		t.Errorf("Run returned %v", final)
	}
	if s := w.Discord.Gateway(); s.Connections > 1 {
		t.Errorf("it connected %d times", s.Connections)
	}
}

// TestTooFewShardsStopTheProgram has the bot come to be in more guilds than its shards may
// serve. It ends as after SIGTERM, and the process that follows has as many as Discord wants.
func TestTooFewShardsStopTheProgram(t *testing.T) {
	t.Parallel()
	w := newGatewayWorld(t, "")
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	restart := anna.Types(t, "/bot restart", bot("Shop"))
	w.Clock.BlockUntil(t, 1)
	w.Discord.RecommendShards(2)
	w.Discord.RequireShards(2)
	w.Discord.InvalidateSession(false)
	w.Log.WaitFor(t, "hostbot stops")
	wantReady(t, w, false)
	w.Finish(t)
	restart.WaitFor(t, "✅ Restarted")
	select {
	case <-w.Ended:
	case <-time.After(world.Patience):
		t.Error("it does not end")
	}
	if final, ok := errors.AsType[*gateway.FinalError](stop()); !ok || final.Code != gateway.CodeTooFewShards {
		t.Errorf("Run returned %v", final)
	}
	w.StaffRead(t, "🛑", "too many guilds for its number of shards")
	w.Start(t)
	waitGateway(t, w, func(s discordtest.GatewayStats) bool { return s.Open == 2 })
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

func TestGatewayReplaysAnActionThatIsDoneOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
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
		restart.WaitFor(t, "✅ Restarted") // which needs no gateway
		w.Discord.RefuseConnections(false)
		waitBack(t, w, 1, 2)
		wantCallbacks(t, w, 1)
	})
}

// TestWhoIsAnsweredTooLateIsCountedAndToldOf has customers type while the bot is cut off
// for longer than Discord waits.
func TestWhoIsAnsweredTooLateIsCountedAndToldOf(t *testing.T) {
	t.Parallel()
	w, clock := newWorldAt(t, "")
	anna := w.AddCustomer("anna", "Shop")
	w.Start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	loseConnection(t, w, (*discordtest.Server).Drop, "connection to discord lost")
	for _, who := range []*discordtest.User{anna, w.AddCustomer("ben", "Shop"), w.AddCustomer("cleo", "Shop")} {
		if _, err := who.Start("/bot list", nil); err != nil {
			t.Fatal(err)
		}
	}
	w.Discord.ExpectFailures()
	clock.Advance(4 * time.Second)
	w.Discord.RefuseConnections(false)
	waitBack(t, w, 1, 1)
	w.StaffRead(t, "❗ This bot was too late for Discord (10062)", "3 times")

	// An interaction is counted when it is over, which is after staff were told.
	limit, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	for _, want := range []string{
		`hostbot_interactions_total{kind="command",outcome="ok",route="bot list"} 1`,
		`hostbot_interactions_total{kind="command",outcome="unanswered",route="bot list"} 3`,
		"4 first responses of commands",
		"1 interactions answered, 3 without an answer",
	} {
		if !world.Eventually(limit, func() bool {
			_, metrics := w.Operator(t, "/metrics")
			_, health := w.Operator(t, "/healthz?verbose")
			return strings.Contains(metrics+health+fmt.Sprint(firstResponses(metrics), " first responses of commands"), want)
		}) {
			t.Errorf("operators do not read %s", want)
		}
	}
}

// firstResponses counts those of commands on a page of metrics, deferred or not.
func firstResponses(metrics string) (n int) {
	for _, found := range regexp.MustCompile(`hostbot_first_response_seconds_count\{deferred="\w+",kind="command"\} (\d+)`).FindAllStringSubmatch(metrics, -1) {
		count, _ := strconv.Atoi(found[1])
		n += count
	}
	return n
}
