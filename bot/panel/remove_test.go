package panel_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

// TestPanelIsKeptWhileDiscordFails has Discord not delete the message of a panel, once for
// now and then for good.
func TestPanelIsKeptWhileDiscordFails(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.discord.ExpectFailures()
		p, _ := s.replica()
		s.create(p, "1001")
		s.create(p, "1002")
		failing := discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Status: http.StatusBadGateway, Body: "{}"}
		s.discord.Inject(failing)
		if removed, err := p.Remove(t.Context(), "42", "1001"); removed || err == nil {
			t.Errorf("Remove() = %v, %v", removed, err)
		}
		if own := s.own(p); len(own) != 2 || len(s.channel.Messages()) != 2 || !s.watched("42") {
			t.Errorf("panels: %+v", own)
		}
		if removed, err := p.Remove(t.Context(), "42", "1001"); !removed || err != nil {
			t.Errorf("again: Remove() = %v, %v", removed, err)
		}
		if own := s.own(p); len(own) != 1 || len(s.channel.Messages()) != 1 {
			t.Errorf("panels: %+v", own)
		}
		failing.Status, failing.Body = http.StatusForbidden, `{"code": 50013, "message": "Missing Permissions"}`
		s.discord.Inject(failing)
		if removed, err := p.Remove(t.Context(), "42", "1002"); !removed || err != nil || len(s.own(p)) != 0 {
			t.Errorf("without the permission: Remove() = %v, %v", removed, err)
		}
	})
}

// TestRemovedWhileItIsPostedAnew has a panel be removed whose old message is being
// replaced: the removal began before there was a new one, and takes until after.
func TestRemovedWhileItIsPostedAnew(t *testing.T) {
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	p, _ := s.replica()
	s.create(p, "1001")
	first := s.channel.Messages()[0].ID
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Delay: time.Minute})
	defer release()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if removed, err := p.Remove(context.Background(), "42", "1001"); !removed || err != nil {
			t.Errorf("Remove() = %v, %v", removed, err)
		}
	}()
	s.discord.Inject(discordtest.Fault{
		Method: http.MethodPatch, Route: discordtest.RouteMessage, Times: 1,
		Status: http.StatusTooManyRequests, Body: `{"code": 30046, "message": "too many edits", "retry_after": 1}`,
	})
	s.show(p, "crashed")
	s.channel.WaitFor(t, "crashed")
	eventually(t, "the new message is known", func() bool { own := s.own(p); return len(own) == 1 && own[0].MessageID != first })
	s.clock.Advance(time.Minute)
	<-done
	eventually(t, "no message stays", func() bool { return len(s.channel.Messages()) == 0 })
}

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
