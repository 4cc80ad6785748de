package e2e_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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

// TestTwoReplicasTellStaffOnce has both replicas handle what only one of them
// gets to answer.
func TestTwoReplicasTellStaffOnce(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w, sam, mia := newStaffedWorld(t, redis.URL())
		w.discord.ExpectFailures() // the second to answer is told that the first has
		anna := w.addAnna(t, "Shop")
		w.startTwo(t)
		sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}).WaitFor(t, "🟢 Shop")
		mia.Types(t, "/admin status").WaitFor(t, "This is for staff")
		w.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusForbidden}, 0)
		shown := w.discord.User("ben").Types(t, "/bot list").WaitFor(t, "not allowed")
		w.log.waitForTimes(t, "the interaction was answered elsewhere", 3)
		w.service.ClearFaults()
		w.service.Fail(hostapitest.OpStop, hostapitest.Fault{Status: http.StatusConflict}, 1)
		anna.Types(t, "/bot stop", discordtest.Options{"bot": "Shop"}).WaitFor(t, "could not be stopped")
		w.waitForLog(t, "stop: conflict") // comes last
		told := func(texts ...string) int {
			n := 0
			for _, message := range w.channel.Messages() {
				for _, embed := range message.Embeds {
					entry := discordtest.View{Embeds: []discordtest.Embed{embed}}
					if !slices.ContainsFunc(texts, func(text string) bool { return !entry.Contains(text) }) {
						n++
					}
				}
			}
			return n
		}
		if used, refused := told("Staff command", "admin lookup"), told("Staff command refused", "admin status"); used != 1 || refused != 1 {
			t.Errorf("staff read %d times of what they used, and %d times of who was refused", used, refused)
		}
		code := referenceIn(t, shown)
		if n := told("Failure", code); n != 1 || told("2 times", code) != 0 {
			t.Errorf("staff read %d times of a failure, or that it happened twice", n)
		}
	})
}
