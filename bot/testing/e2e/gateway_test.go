package e2e_test

import (
	"context"
	"errors"
	"net/http"
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
	world.AboutTheGateway(t)
	w := world.New(t, world.Options{
		Discord: discordtest.Config{HeartbeatInterval: time.Second, Clock: discordtest.NewManualClock(time.Now())},
		Redis:   redis, Env: []string{"HTTP_ADDR=127.0.0.1:0"},
	})
	w.Discord.IdentifyAtOnce() // its clock stands still
	return w
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

// letIdentify has the pause between two sessions of a shard be over, which is five seconds.
func letIdentify(t *testing.T, w *world.World, redis string) {
	t.Helper()
	w.Discord.IdentifyAtOnce()
	client := redistest.Connect(t, redis)
	keys, err := redistest.Keys(t.Context(), client, "*:{shards}:identify:*")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if err := client.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTooFewShardsStopTheProgram has the bot come to be in more guilds than its shards may
// serve. It ends as after SIGTERM, and the process that follows has as many as Discord wants.
func TestTooFewShardsStopTheProgram(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t).URL()
	w := newGatewayWorld(t, redis)
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	letIdentify(t, w, redis)
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
	letIdentify(t, w, redis)
	w.Start(t)
	w.StaffRead(t, "🛑", "too many guilds for its number of shards") // who leads next delivers it, if there was no time
	waitGateway(t, w, func(s discordtest.GatewayStats) bool { return s.Open == 2 && s.Identifies == 3 })
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

// wantReady fails the test unless /readyz says so.
func wantReady(t *testing.T, w *world.World, want bool) {
	t.Helper()
	status, body := w.Operator(t, "/readyz")
	if (status == http.StatusOK) != want {
		t.Errorf("/readyz says %d %s; ready: %v", status, body, want)
	}
}

// TestOperatorsReadThatDiscordRefusesToSayWhereTheGatewayIs has a process start that is served at the address of before
// (discord-api-docs#8570).
func TestOperatorsReadThatDiscordRefusesToSayWhereTheGatewayIs(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t).URL()
	w := newGatewayWorld(t, redis)
	anna := w.AddCustomer("anna", "Shop")
	_ = w.Start(t)()
	w.Discord.Inject(discordtest.RateLimited(http.MethodGet, discordtest.RouteGatewayBot, 82_721*time.Second, false))
	letIdentify(t, w, redis)
	w.Start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	const says = "! gateway address: Discord won't say which address to connect to, so the last known one is used. discord: status 429: it asks to wait for 22h58m41s"
	if _, page := w.Operator(t, "/healthz?verbose"); !strings.Contains(page, says) {
		t.Errorf("/healthz?verbose:\n%s", page)
	}
}
