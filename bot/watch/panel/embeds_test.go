package panel_test

import (
	"net/http"
	"testing"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

// calls counts the requests of a method for messages.
func (s *scene) calls(method string) (n int) {
	for _, c := range s.discord.Calls() {
		if c.Method == method {
			n++
		}
	}
	return n
}

// TestPanelWithoutItsEmbedsIsNone has Discord drop the embeds of a new panel. Nothing of it
// stays.
func TestPanelWithoutItsEmbedsIsNone(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	p, _ := s.replica()
	s.channel.Deny(discordtest.EmbedLinks)
	if posted, err := p.Create(t.Context(), s.made("1001")); posted || !rest.LacksEmbeds(err) {
		t.Fatalf("Create() = %v, %v", posted, err)
	}
	if own := s.own(p); len(own) != 0 || s.watched("42") || len(s.channel.Messages()) != 0 {
		t.Errorf("panels: %+v, messages: %+v", own, s.channel.Messages())
	}
	if n := s.calls(http.MethodPost); n != 1 {
		t.Errorf("it was posted %d times", n)
	}
}

// TestPanelWithoutItsEmbedsIsKnown has Discord drop the embeds of a new panel, and not delete
// it, for now or at all. Its owner can remove it, or it recovers.
func TestPanelWithoutItsEmbedsIsKnown(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{http.StatusBadGateway: "{}", http.StatusForbidden: `{"code": 50013, "message": "Missing Permissions"}`} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			keepUndeletable(t, status, body)
		})
	}
}

func keepUndeletable(t *testing.T, status int, body string) {
	t.Helper()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	p, _ := s.replica()
	s.channel.Deny(discordtest.EmbedLinks)
	s.discord.Inject(discordtest.Fault{Method: http.MethodDelete, Route: discordtest.RouteMessage, Times: 1, Status: status, Body: body})
	if posted, err := p.Create(t.Context(), s.made("1001")); posted || !rest.LacksEmbeds(err) {
		t.Fatalf("Create() = %v, %v", posted, err)
	}
	if own := s.own(p); len(own) != 1 || own[0].TroubleCode != rest.CodeMissingPermissions || own[0].Message.ID != s.channel.Messages()[0].ID {
		t.Errorf("panels: %+v", own)
	}
	s.channel.Grant(discordtest.EmbedLinks)
	s.show(p, "stopped")
	s.channel.WaitFor(t, "shop radio: stopped")
	if n := s.calls(http.MethodPost); n != 1 {
		t.Errorf("it was posted %d times", n)
	}
}

// TestPanelLosesItsEmbeds takes the permission to embed links away and gives it back, also
// while the message is so old that it is posted anew, or in a thread that is archived.
func TestPanelLosesItsEmbeds(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]struct {
		before func(s *scene)
		posts  int
	}{
		"a young message":    {func(*scene) {}, 1},
		"an archived thread": {func(s *scene) { s.channel.Allow(discordtest.Archived) }, 2},
		"an old message": {func(s *scene) {
			s.discord.ExpectFailures()
			s.refuseEdit()
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.Each(t, func(t *testing.T, url string) {
				s := newScene(t, url)
				p, _ := s.replica()
				s.create(p, "1001")
				lose.before(s)
				s.channel.Deny(discordtest.EmbedLinks)
				s.show(p, "crashed")
				bare := s.channel.WaitFor(t, "embed links?")
				patience.Until(t, "the owner can be told", func() bool {
					own := s.own(p)
					return len(own) == 1 && own[0].TroubleCode == rest.CodeMissingPermissions
				})
				if left := s.channel.Messages(); len(left) != 1 || left[0].ID != bare.ID || len(left[0].Buttons()) != 0 {
					t.Errorf("in the channel: %+v", left)
				}
				s.wantLeftAlone(p, "1001")
				s.channel.Grant(discordtest.EmbedLinks)
				s.show(p, "running again")
				again := s.channel.WaitFor(t, "running again")
				patience.Until(t, "nothing is in the way", func() bool { return s.own(p)[0].Trouble == "" })
				if again.ID != bare.ID || again.Content != "" || len(again.Buttons()) != 1 || s.calls(http.MethodPost) != lose.posts {
					t.Errorf("after %d posts the panel is %+v", s.calls(http.MethodPost), again)
				}
			})
		})
	}
}
