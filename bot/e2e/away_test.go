package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

func TestServiceThatIsAway(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, anna, sam := servingStaffed(t, redis, "Shop")
		card := openShop(t, anna)

		w.Service.Fail("", hostapitest.Fault{Status: http.StatusBadGateway}, 0)
		for _, name := range []string{"bert", "carl", "dora", "emil", "finn"} { // whose calls show it
			w.Discord.User(name).Types(t, "/bot list").WaitFor(t, "cannot be reached")
		}
		w.StaffRead(t, "The hosting service is away", "502")
		sam.Types(t, "/admin status").WaitFor(t, "⚠️ Away, noticed")

		// While one call tries whether the service is back, the others are refused:
		// what is known is shown, and nothing is sent that may not arrive.
		w.Service.ClearFaults()
		w.Service.Fail("", hostapitest.Fault{Hang: true}, 0)
		probe(t, w)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		card = card.Press(t, "Restart")
		failed := card.WaitFor(t, "could not be restarted")
		w.StaffRead(t, "❌ Restart", referenceIn(t, failed))
		w.WantCalls(t, hostapitest.OpRestart, 0)

		w.Service.ClearFaults()
		w.StaffRead(t, "The hosting service is back")
		restartOnce(t, w, card)
	})
}

// probe has people come until the service is asked again.
func probe(t *testing.T, w *world.World) {
	t.Helper()
	before := w.Service.Count(hostapitest.OpList)
	pause := time.NewTicker(100 * time.Millisecond)
	defer pause.Stop()
	for i := 0; w.Service.Count(hostapitest.OpList) == before; i++ {
		if i == 300 {
			t.Fatal("the service is never asked again")
		}
		w.Discord.User(fmt.Sprintf("guest%d", i)).Types(t, "/bot list")
		<-pause.C
	}
}
