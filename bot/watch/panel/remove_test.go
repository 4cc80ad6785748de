package panel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi/redistest"
)

// TestPanelIsKeptWhileDiscordFails has Discord not delete the message of a panel for now.
func TestPanelIsKeptWhileDiscordFails(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.discord.ExpectFailures()
		p, _ := s.replica()
		s.create(p, "1001")
		s.create(p, "1002")
		failing := discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Status: http.StatusBadGateway, Body: "{}"}
		s.discord.Inject(failing)
		if removal, err := p.Remove(t.Context(), "42", "1001"); removal.Known || err == nil {
			t.Errorf("Remove() = %v, %v", removal, err)
		}
		if own := s.own(p); len(own) != 2 || len(s.channel.Messages()) != 2 || !s.watched("42") {
			t.Errorf("panels: %+v", own)
		}
		if removal, err := p.Remove(t.Context(), "42", "1001"); !removal.Known || err != nil {
			t.Errorf("again: Remove() = %v, %v", removal, err)
		}
		if own := s.own(p); len(own) != 1 || len(s.channel.Messages()) != 1 {
			t.Errorf("panels: %+v", own)
		}
	})
}

// TestRefusedDeletionIsTold has Discord not delete the message of a panel, and not for now
// alone. The panel is no more, and its message stays.
func TestRefusedDeletionIsTold(t *testing.T) {
	t.Parallel()
	refusing := func(status int, body string) func(s *scene) {
		return func(s *scene) {
			s.discord.ExpectFailures()
			s.discord.Inject(discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Status: status, Body: body})
		}
	}
	for name, test := range map[string]struct {
		refuse func(s *scene)
		stays  bool
		kept   bool // as Discord said nothing of the message
	}{
		"in a locked thread":              {func(s *scene) { s.channel.Allow(discordtest.Locked) }, true, false},
		"in a channel that is not seen":   {func(s *scene) { s.channel.Allow(discordtest.MissingAccess) }, true, false},
		"without a permission":            {refusing(http.StatusForbidden, `{"code": 50013, "message": "Missing Permissions"}`), true, false},
		"on suspicion of abuse":           {refusing(http.StatusForbidden, `{"code": 10008, "message": "Unknown Message"}`), true, false},
		"in a channel that was deleted":   {func(s *scene) { s.channel.Allow(discordtest.Gone) }, false, false},
		"a message that was deleted":      {func(s *scene) { _ = s.channel.Delete(s.channel.Messages()[0].ID) }, false, false},
		"with a token that is not good":   {refusing(http.StatusUnauthorized, `{"code": 0, "message": "401: Unauthorized"}`), false, true},
		"while Discord asks for patience": {refusing(http.StatusTooManyRequests, `{"retry_after": 60, "message": "You are being rate limited."}`), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, redistest.StartMiniredis(t).URL())
			p, stop := s.replica()
			s.create(p, "1001")
			stop() // so that nothing else finds out
			test.refuse(s)
			removal, err := p.Remove(t.Context(), "42", "1001")
			if removal.Known == test.kept || (err != nil) != test.kept || (len(removal.Stays) == 1 && removal.Stays[0] == s.channel.ID) != test.stays {
				t.Errorf("Remove() = %+v, %v", removal, err)
			}
			if own := s.own(p); (len(own) == 1) != test.kept || s.watched("42") != test.kept {
				t.Errorf("panels: %+v", own)
			}
		})
	}
}

// TestForgettingTellsWhatStays has staff forget a customer with panels, of which one is in a
// locked thread and one stays where it was before it was posted anew.
func TestForgettingTellsWhatStays(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	p, _ := s.replica()
	s.create(p, "1001")
	first := s.channel.Messages()[0].ID
	refused := discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Status: http.StatusForbidden, Body: `{"code": 50013, "message": "Missing Permissions"}`}
	release := s.discord.Inject(refused)
	s.refuseEdit()
	s.show(p, "crashed")
	patience.Until(t, "it is known that the old message stays", func() bool {
		own := s.own(p)
		return len(own) == 1 && slices.Equal(own[0].Message.Left, []string{first})
	})
	s.state.Store("running again")
	s.channel.WaitFor(t, "running again")
	if n := s.calls(http.MethodDelete); n != 1 {
		t.Errorf("Discord was asked %d times to delete what it refuses to", n)
	}
	release()

	other := s.createElsewhere(p, "1002")
	other.Allow(discordtest.Locked)
	removal, err := p.Forget(t.Context(), "42")
	if err != nil || !removal.Known || len(removal.Stays) != 1 || removal.Stays[0] != other.ID {
		t.Errorf("Forget() = %+v, %v", removal, err)
	}
	if len(s.own(p)) != 0 || len(s.channel.Messages()) != 0 || s.watched("42") {
		t.Errorf("left: %+v, %+v", s.own(p), s.channel.Messages())
	}
}

// TestEachRefusedDeletionIsTriedOnceMore has a panel be posted anew seven times, while Discord
// does not let the old messages be deleted. When the panel is removed, the latest five go.
func TestEachRefusedDeletionIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	s := newSceneAt(t, redistest.StartMiniredis(t).URL(), discordtest.Config{NoRateLimits: true}) // it lets three messages a second be deleted
	s.discord.ExpectFailures()
	s.timing.Between = time.Millisecond
	p, _ := s.replica()
	s.create(p, "1001")
	release := s.discord.Inject(discordtest.Fault{
		Method: http.MethodDelete, Route: discordtest.RouteMessage, Status: http.StatusForbidden, Body: `{"code": 50013, "message": "Missing Permissions"}`,
	})
	for i := range 7 {
		s.channel.Allow(discordtest.Archived)
		s.show(p, fmt.Sprint("state ", i))
		last := s.channel.WaitFor(t, fmt.Sprint("state ", i))
		patience.Until(t, "the new message is known", func() bool { own := s.own(p); return own[0].Message.ID == last.ID && own[0].Message.Stale == "" })
	}
	release()
	removal, err := p.Remove(t.Context(), "42", "1001")
	if err != nil || !removal.Known || len(removal.Stays) != 0 || len(s.channel.Messages()) != 2 {
		t.Errorf("Remove() = %+v, %v, and %d messages stay", removal, err, len(s.channel.Messages()))
	}
}

// TestForgettingTellsWhatStaysBesideAnError has one panel not be removed for now, and Redis
// fail after another was, whose message stays.
func TestForgettingTellsWhatStaysBesideAnError(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	p, _ := s.replica()
	s.create(p, "1001")
	s.stuck = errors.New("redis is away")
	s.channel.Allow(discordtest.Locked)
	removal, err := p.Forget(t.Context(), "42")
	if !errors.Is(err, s.stuck) || !slices.Equal(removal.Stays, []string{s.channel.ID}) {
		t.Errorf("while Redis fails: Forget() = %+v, %v", removal, err)
	}

	s.stuck = nil
	s.channel.Allow(discordtest.FullAccess)
	s.create(p, "1002")
	other := s.createElsewhere(p, "1003")
	other.Allow(discordtest.Locked)
	s.discord.Inject(discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Status: http.StatusBadGateway, Body: "{}"})
	removal, err = p.Forget(t.Context(), "42")
	if own := s.own(p); err == nil || len(own) != 1 || own[0].ID != "1002" || !slices.Equal(removal.Stays, []string{other.ID}) {
		t.Errorf("while Discord fails: Forget() = %+v, %v, left: %+v", removal, err, own)
	}
}

// TestRemovedWhileItIsPostedAnew has a panel be removed whose old message is being
// replaced: the removal began before there was a new one, and takes until after.
func TestRemovedWhileItIsPostedAnew(t *testing.T) {
	t.Parallel()
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
		if removal, err := p.Remove(context.Background(), "42", "1001"); !removal.Known || err != nil {
			t.Errorf("Remove() = %v, %v", removal, err)
		}
	}()
	patience.Until(t, "its message is being deleted", func() bool { return s.calls(http.MethodDelete) == 1 })
	s.refuseEdit()
	s.show(p, "crashed")
	s.channel.WaitFor(t, "crashed")
	patience.Until(t, "the new message is known", func() bool { own := s.own(p); return len(own) == 1 && own[0].Message.ID != first })
	s.passTimeUntil(t, "the post is answered", done)
	patience.Until(t, "no message stays", func() bool { return len(s.channel.Messages()) == 0 })
}

// TestStopDoesNotWaitForDiscord has Discord hang when the program stops.
func TestStopDoesNotWaitForDiscord(t *testing.T) {
	t.Parallel()
	url := redistest.StartMiniredis(t).URL()
	s := newScene(t, url)
	s.timing.Work = time.Minute       // in which a delivery may take 30 s
	s.timing.Check = 10 * time.Second // so that nothing but what is shown anew is delivered
	p, stop := s.replica()
	s.create(p, "1001")
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Route: discordtest.RouteMessage, Hang: true})
	defer release()
	soon := strconv.FormatInt(time.Now().Add(s.timing.Work/2).UnixMilli(), 10)
	s.show(p, "crashed")
	client := redistest.Connect(t, url)
	patience.Until(t, "it is being delivered", func() bool {
		return client.ZCount(t.Context(), "hostbot:{panels}:due", soon, "+inf").Val() == 1
	})
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it stopped after %v", took)
	}
}

func TestRemovedPanels(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newSceneAt(t, url, discordtest.Config{NoRateLimits: true}) // it lets three messages a second be deleted
		s.discord.ExpectFailures()                                      // a delivery may delete a message that Remove has deleted
		p, _ := s.replica()
		for i := range panel.MostPanels {
			s.create(p, fmt.Sprint(1001+i))
		}
		if _, err := p.Create(t.Context(), s.made("2000")); !errors.Is(err, panel.ErrTooMany) {
			t.Errorf("one too many: %v", err)
		}
		if removal, err := p.Remove(t.Context(), "43", "1001"); removal.Known || err != nil {
			t.Errorf("somebody else removes it: %v, %v", removal, err)
		}
		if removal, err := p.Remove(t.Context(), "42", "1001"); !removal.Known || err != nil {
			t.Errorf("Remove() = %v, %v", removal, err)
		}
		if own := s.own(p); len(own) != panel.MostPanels-1 || own[0].ID != "1002" || len(s.channel.Messages()) != len(own) || !s.watched("42") {
			t.Errorf("panels: %+v", own)
		}
		if removal, err := p.Forget(t.Context(), "42"); !removal.Known || err != nil {
			t.Errorf("Forget() = %v, %v", removal, err)
		}
		if len(s.own(p)) != 0 || len(s.channel.Messages()) != 0 || s.watched("42") {
			t.Error("something is left")
		}
		if removal, err := p.Forget(t.Context(), "42"); removal.Known || err != nil {
			t.Errorf("a second time: %v, %v", removal, err)
		}
	})
}

// TestRemovedWhileItIsPosted has a panel be removed while Discord takes its time with
// the message.
func TestRemovedWhileItIsPosted(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	p, _ := s.replica()
	release := s.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Delay: time.Minute})
	defer release()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = p.Create(context.Background(), s.made("1001"))
	}()
	s.channel.WaitFor(t, "running")
	if removal, err := p.Remove(t.Context(), "42", "1001"); !removal.Known || err != nil {
		t.Fatalf("Remove() = %v, %v", removal, err)
	}
	s.passTimeUntil(t, "the post is answered", done)
	patience.Until(t, "no message stays", func() bool { return len(s.channel.Messages()) == 0 })
}

// passTimeUntil lets time pass until something is done: an answer may not be held back yet while the
// first minutes pass.
func (s *scene) passTimeUntil(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	patience.Until(t, what, func() bool {
		s.clock.Advance(time.Minute)
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
}
