package panel_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi/redistest"
)

// swap changes the order of a panel's bots.
func swap(p *panel.Panel) { p.Bots = slices.Clone(p.Bots); slices.Reverse(p.Bots) }

func TestPanelIsChanged(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		p, _ := s.replica()
		s.create(p, "1001")
		s.channel.WaitFor(t, "shop radio: running")
		now, err := p.Change(t.Context(), "42", "1001", swap)
		if err != nil || now == nil || !slices.Equal(now.Bots, []string{"radio", "shop"}) {
			t.Fatalf("Change() = %+v, %v", now, err)
		}
		s.channel.WaitFor(t, "radio shop: running")
		for _, other := range [][2]string{{"43", "1001"}, {"42", "1002"}} {
			if now, err := p.Change(t.Context(), other[0], other[1], swap); now != nil || err != nil {
				t.Errorf("%s changes %s: %+v, %v", other[0], other[1], now, err)
			}
		}
	})
}

// TestChangedWhileItIsPostedAnew has the owner change a panel while Discord takes its time with a new
// message of it. That is the panel's all the same.
func TestChangedWhileItIsPostedAnew(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	p, _ := s.replica()
	s.create(p, "1001")
	s.refuseEdit()
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Delay: time.Minute})
	defer release()
	s.show(p, "crashed")
	second := s.channel.WaitFor(t, "shop radio: crashed").ID
	if now, err := p.Change(t.Context(), "42", "1001", swap); err != nil || now == nil {
		t.Fatalf("Change() = %+v, %v", now, err)
	}
	s.clock.BlockUntil(t, 1)
	s.clock.Advance(time.Minute)
	s.channel.WaitFor(t, "radio shop: crashed")
	patience.Until(t, "one message is there, and known", func() bool {
		shown, own := s.channel.Messages(), s.own(p)
		return len(shown) == 1 && len(own) == 1 && own[0].Message.ID == shown[0].ID && shown[0].ID == second
	})
}
