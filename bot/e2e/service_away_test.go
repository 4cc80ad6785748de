package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

func TestAServiceThatIsAway(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, sam, _ := newStaffedWorld(t, redis)
		anna := w.addAnna(t, "Shop")
		w.start(t)
		card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
		card.WaitFor(t, "node index.js")

		w.service.Fail("", hostapitest.Fault{Status: http.StatusBadGateway}, 0)
		for _, name := range []string{"bert", "carl", "dora", "emil", "finn"} { // whose calls show it
			w.discord.User(name).Types(t, "/bot list").WaitFor(t, "cannot be reached")
		}
		w.waitForLog(t, "The hosting service is away", "502")
		sam.Types(t, "/admin status").WaitFor(t, "⚠️ Away, noticed")

		// While one call tries whether the service is back, the others are refused:
		// what is known is shown, and nothing is sent that may not arrive.
		w.service.ClearFaults()
		w.service.Fail("", hostapitest.Fault{Hang: true}, 0)
		w.probe(t)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		card = card.Press(t, "Restart")
		failed := card.WaitFor(t, "could not be restarted")
		w.waitForLog(t, "❌ Restart", referenceIn(t, failed))
		if n := w.service.Count(hostapitest.OpRestart); n != 0 {
			t.Errorf("told to restart %d times", n)
		}

		w.service.ClearFaults()
		w.waitForLog(t, "The hosting service is back")
		card = card.Press(t, "Restart")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		card.WaitFor(t, "**Shop** was restarted")
		if n := w.service.Count(hostapitest.OpRestart); n != 1 {
			t.Errorf("told to restart %d times", n)
		}
	})
}

// probe has people come until the service is asked again.
func (w *world) probe(t *testing.T) {
	t.Helper()
	before := w.service.Count(hostapitest.OpList)
	pause := time.NewTicker(100 * time.Millisecond)
	defer pause.Stop()
	for i := 0; w.service.Count(hostapitest.OpList) == before; i++ {
		if i == 300 {
			t.Fatal("the service is never asked again")
		}
		w.discord.User(fmt.Sprintf("guest%d", i)).Types(t, "/bot list")
		<-pause.C
	}
}
