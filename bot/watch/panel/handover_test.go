package panel_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestPanelOfATermThatEndsIsDueAtOnce for the next leader, which need not wait as it would after a
// failure of Discord's.
func TestPanelOfATermThatEndsIsDueAtOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Retry, s.timing.Work = time.Hour, time.Hour
		client := redistest.Connect(t, url)
		p, stop := s.replica()
		s.create(p, "1001")
		s.channel.WaitFor(t, "shop radio: running")
		remove := s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Hang: true})
		s.show(p, "crashed")
		eventually(t, "the panel is worked on", func() bool {
			due, err := client.ZScore(t.Context(), p.Work().Due, "1001").Result()
			return err == nil && due > float64(time.Now().Add(30*time.Minute).UnixMilli())
		})
		stop()
		remove()
		s.replica()
		s.channel.WaitFor(t, "crashed")
	})
}
