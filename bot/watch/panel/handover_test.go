package panel_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

// TestPanelOfATermThatEndsIsDueAtOnce for the next leader, which need not wait as it would after a
// failure of Discord's.
func TestPanelOfATermThatEndsIsDueAtOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Retry, s.timing.Work = time.Hour, time.Hour
		s.timing.Check = 10 * time.Minute // so that nothing but what is shown anew is worked on
		client := redistest.Connect(t, url)
		p, stop := s.replica()
		s.create(p, "1001")
		s.channel.WaitFor(t, "shop radio: running")
		remove := s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Hang: true})
		s.show(p, "crashed")
		patience.Until(t, "the panel is worked on", func() bool {
			due, err := client.ZScore(t.Context(), p.Work().Due, "1001").Result()
			return err == nil && due > float64(time.Now().Add(30*time.Minute).UnixMilli())
		})
		stop()
		remove()
		s.replica()
		s.channel.WaitFor(t, "crashed")
	})
}

// TestMessageOfARemovedPanelIsDeletedOnce has a customer remove a panel while the leader edits its
// message.
func TestMessageOfARemovedPanelIsDeletedOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		p, stop := s.replica()
		s.create(p, "1001")
		s.channel.WaitFor(t, "shop radio: running")
		s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, After: true, Hang: true, Times: 1})
		s.show(p, "crashed")
		s.channel.WaitFor(t, "crashed")
		if removal, err := p.Remove(t.Context(), "42", "1001"); err != nil || !removal.Known {
			t.Fatalf("%+v, %v", removal, err)
		}
		stop() // so the leader hears no answer, and does all that it does about the panel
		if n := s.calls(http.MethodDelete); n != 1 {
			t.Errorf("%d messages were deleted", n)
		}
	})
}
