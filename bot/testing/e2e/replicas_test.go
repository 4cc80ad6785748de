package e2e_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// startTwo starts two replicas, as a rolling update that changes the number of shards
// has them for a while: both get each event. Over HTTP that takes a load balancer that
// sends a request again. stop stops both once they have done what they were asked for.
func startTwo(t *testing.T, w *world.World, redis string) (stop func()) {
	t.Helper()
	w.Discord.ExpectFailures() // the second to answer is told that the first has
	one := w.Start(t)
	w.Env = append(w.Env, "DISCORD_SHARDS=2")
	letIdentify(t, w, redis)
	other := w.Start(t)
	if world.OverHTTP() {
		w.Discord.RepeatInteractions(true)
	} else {
		waitGateway(t, w, func(s discordtest.GatewayStats) bool { return s.Open == 3 && s.Identifies == 3 })
	}
	return func() {
		if err := errors.Join(one(), other()); err != nil {
			t.Error(err)
		}
	}
}

func TestReplicasActOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w := world.New(t, world.Options{Redis: redis})
		anna := w.AddCustomer("anna", "Shop", "Radio")
		startTwo(t, w, redis)
		for range 3 {
			reply := anna.Types(t, "/bot restart", bot("Radio"))
			w.Finish(t)
			reply.WaitFor(t, "✅ Restarted")
			if n := len(reply.FollowUps()); n != 0 {
				t.Errorf("%d more answers", n)
			}
		}
		w.WantCalls(t, hostapitest.OpRestart, 3)

		card := openShop(t, anna)
		button, err := card.View().Button("Restart")
		if err != nil {
			t.Fatal(err)
		}
		var presses sync.WaitGroup
		for range 10 { // more take a slow machine longer than the 3 s that Discord waits
			// Some are refused, as the button is disabled by then.
			presses.Go(func() { _, _ = anna.Click(t.Context(), card.View().ID, button.CustomID) })
		}
		presses.Wait()
		w.Clock.BlockUntil(t, 1)
		anna.Types(t, "/bot stop", bot("Shop")).WaitFor(t, "already running")
		w.Finish(t)
		w.StaffRead(t, "✅ Restart", "id-shop")
		w.WantCalls(t, hostapitest.OpRestart, 4)
	})
}

func TestReplicasActAloneWithoutRedisAndTellStaff(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		w, anna := world.Serving(t, world.Options{Redis: redis.URL()}, "Shop")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		redis.Stop()
		restartOnce(t, w, openShop(t, anna))
		w.StaffRead(t, "Redis is unavailable", "don't see each other's actions")
		redis.Restart()
		w.StaffRead(t, "Redis is available again (outage:")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	})
}

// TestReplicasTellStaffOnce has both replicas handle what only one of them gets to
// answer.
func TestReplicasTellStaffOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w := world.New(t, world.Options{Redis: redis, Staff: true})
		anna := w.AddCustomer("anna", "Shop")
		startTwo(t, w, redis)
		w.AddStaff("sam").Types(t, "/admin lookup", discordtest.Options{"user": anna}).WaitFor(t, "🟢 Shop")
		w.AddOutsider("mia").Types(t, "/admin status").WaitFor(t, "This is for staff")
		elsewhere := func(times int) {
			if !world.OverHTTP() { // where nobody tells which answer counts
				w.Log.WaitForTimes(t, "the interaction was answered elsewhere", times)
			}
		}
		elsewhere(2) // or the other replica may meet what is broken next
		w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusForbidden}, 0)
		shown := w.Discord.User("ben").Types(t, "/bot list").WaitFor(t, "isn't allowed")
		elsewhere(3)
		w.Service.ClearFaults()
		w.Service.Fail(hostapitest.OpStop, hostapitest.Fault{Status: http.StatusConflict}, 1)
		anna.Types(t, "/bot stop", bot("Shop")).WaitFor(t, "couldn't be stopped")
		code := referenceIn(t, shown)
		w.StaffRead(t, "❗ ", code) // perhaps from the other replica
		w.StaffRead(t, "stop: conflict")
		for _, want := range []struct {
			texts []string
			n     int
		}{
			{[]string{"Staff command", "admin lookup"}, 1}, {[]string{"Staff command refused", "admin status"}, 1},
			{[]string{"❗ ", code}, 1}, {[]string{"2 times", code}, 0},
		} {
			if n := len(world.Entries(w.Channel.Messages(), want.texts...)); n != want.n {
				t.Errorf("staff read %d entries with %q, want %d", n, want.texts, want.n)
			}
		}
	})
}
