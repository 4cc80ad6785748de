package bot_test

import (
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/redisconn/redistest"
	"hostbot/hostapi/hostapitest"
)

// startTwo starts two replicas, as a rolling update has them for a while: both
// get each event.
func (w *world) startTwo(t *testing.T) {
	t.Helper()
	w.start(t)
	w.start(t)
	w.waitGateway(t, func(s discordtest.GatewayStats) bool { return s.Open == 2 && s.Identifies == 2 })
}

func TestTwoReplicasActOnce(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w := newWorld(t, redis.URL())
		w.discord.ExpectFailures() // the second to answer is told that the first has
		anna := w.addAnna(t, "Shop")
		w.startTwo(t)
		for range 3 {
			before := w.service.Count(hostapitest.OpRestart)
			reply := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
			reply.WaitFor(t, "Restarting **Shop**")
			w.clock.BlockUntil(t, 1)
			w.clock.Advance(4 * time.Second)
			reply.WaitFor(t, "**Shop** was restarted")
			if n := w.service.Count(hostapitest.OpRestart) - before; n != 1 {
				t.Errorf("the service was told %d times", n)
			}
			if n := len(reply.FollowUps()); n != 0 {
				t.Errorf("%d more answers", n)
			}
		}
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	})
}

func TestFiftyPressesAtOnceAreOneAction(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w := newWorld(t, redis.URL())
		w.discord.ExpectFailures()
		anna := w.addAnna(t, "Shop")
		w.startTwo(t)
		card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
		card.WaitFor(t, "node index.js")
		button, err := card.View().Button("Restart")
		if err != nil {
			t.Fatal(err)
		}
		var presses sync.WaitGroup
		for range 50 {
			// Some are refused, as the button is disabled by then.
			presses.Go(func() { _, _ = anna.Click(t.Context(), card.View().ID, button.CustomID) })
		}
		presses.Wait()
		w.clock.BlockUntil(t, 1)
		other := anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "Shop"})
		other.WaitFor(t, "Restarting **Shop**")
		other.WaitFor(t, "already running")
		w.clock.Advance(4 * time.Second)
		w.waitForLog(t, "✅ Restart")
		if n := w.service.Count(hostapitest.OpRestart); n != 1 {
			t.Errorf("the service was told %d times", n)
		}
	})
}

func TestWithoutRedisStaffAreToldThatReplicasActAlone(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w := newWorld(t, redis.URL())
		anna := w.addAnna(t, "Shop")
		w.start(t)
		redis.Stop()
		card := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		card.WaitFor(t, "**Shop** was restarted")
		w.waitForLog(t, "Redis does not answer", "do not see each other's actions")
		redis.Restart()
		w.waitForLog(t, "Redis answers again after")
	})
}
