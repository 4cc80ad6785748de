package panel_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

// TestStopDoesNotWaitForDiscord has Discord hang when the program stops.
func TestStopDoesNotWaitForDiscord(t *testing.T) {
	url := redistest.StartMiniredis(t).URL()
	s := newScene(t, url)
	s.timing.Lease = time.Minute // in which a delivery may take 30 s
	p, stop := s.replica()
	s.create(p, "1001")
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Route: discordtest.RouteMessage, Hang: true})
	defer release()
	soon := strconv.FormatInt(time.Now().Add(s.timing.Lease/2).UnixMilli(), 10)
	s.show(p, "crashed")
	client := redistest.Connect(t, url)
	eventually(t, "it is being delivered", func() bool {
		return client.ZCount(t.Context(), "hostbot:{panels}:due", soon, "+inf").Val() == 1
	})
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it stopped after %v", took)
	}
}
