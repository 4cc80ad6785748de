package panel_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

// TestStopDoesNotWaitForRoom has Discord hang with as many panels as are delivered at
// once when the program stops.
func TestStopDoesNotWaitForRoom(t *testing.T) {
	url := redistest.StartMiniredis(t).URL()
	s := newScene(t, url)
	s.timing.Lease = time.Minute // in which a delivery may take 40 s
	p, stop := s.replica()
	const atOnce = 8
	for i := range atOnce + 1 {
		s.create(p, fmt.Sprint(1001+i))
		s.clock.Advance(time.Minute)
	}
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Route: discordtest.RouteMessage, Hang: true})
	defer release()
	s.show(p, "crashed")
	client := redistest.Connect(t, url)
	eventually(t, "there is no room", func() bool { return client.HLen(t.Context(), "hostbot:{panels}:leases").Val() == atOnce })
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it stopped after %v", took)
	}
}
