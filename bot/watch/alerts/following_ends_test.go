package alerts_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/secret"
)

// TestRefusedFollowerIsTriedAgain has Discord refuse a follower's DM until it is opened once more, and the
// follower take no messages for a while, as customers with alerts do.
func TestRefusedFollowerIsTriedAgain(t *testing.T) {
	s, discord := newScene(t), discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	client := rest.New(secret.Text(discord.Token()), discord.URL())
	t.Cleanup(client.Close)
	s.connect(client)
	ben := discord.User("ben")
	s.follow(ben.ID)
	lost := refusing(403, rest.CodeMissingAccess)
	lost.Times = 1
	discord.Inject(lost)
	s.falls("a")
	s.work()
	if _, err := s.dms.Work().Reconcile(t.Context(), ben.ID); err != nil {
		t.Fatal(err)
	}
	if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 2 {
		t.Errorf("the DM was opened %d times", n)
	}
	s.work()
	ben.InDM().Sees(t, "Bot a is down")

	ben.CloseDMs(true)
	s.returns("a")
	s.work()
	if since, err := s.dms.Refused(t.Context(), ben.ID); err != nil || since.IsZero() {
		t.Errorf("ben is refused since %v: %v", since, err)
	}
	if own, err := s.f.Of(t.Context(), ben.ID); err != nil || len(own) != 1 {
		t.Errorf("ben follows %d panels: %v", len(own), err)
	}
	ben.CloseDMs(false)
	passNext(t, s.redis, ben.ID)
	s.falls("b")
	s.work()
	ben.InDM().Sees(t, "Bot b is down")
	if since, err := s.dms.Refused(t.Context(), ben.ID); err != nil || !since.IsZero() {
		t.Errorf("ben is refused since %v: %v", since, err)
	}
}

// TestTopicThatReachesNobodyNeedsNoContact has Redis lose the contact of a person to whom a topic writes without Reach,
// and that topic's record be unreadable.
func TestTopicThatReachesNobodyNeedsNoContact(t *testing.T) {
	s := newScene(t)
	type note struct{ notify.Delivery }
	topic := notify.Add(s.dms, notify.Topic[note]{
		Name: "notes", Format: 1, AtOnce: 1, Lenient: true,
		Delivery: func(n *note) *notify.Delivery { return &n.Delivery },
		Next: func(context.Context, *record.Record[note]) (*notify.Wanted[note], time.Duration, error) {
			return &notify.Wanted[note]{
				UserID: "1", Name: "note", Draw: func(string) interaction.Message { return interaction.Message{Content: "note"} },
				Notified: func(*note) {}, Again: func(*note) time.Duration { return notify.Drop },
			}, 0, nil
		},
	})
	if _, err := topic.Records.Add(t.Context(), "1", "1", note{}, 0, 0); err != nil {
		t.Fatal(err)
	}
	for _, work := range []func(context.Context, string) (time.Duration, error){topic.Work().Reconcile, s.dms.Work().Reconcile} {
		if _, err := work(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
	}
	if channel, _, err := s.dms.Contact(t.Context(), "1"); err != nil || channel != "dm-1" {
		t.Errorf("the DM is %q: %v", channel, err)
	}
	s.follow("1")
	if err := s.f.Unfollow(t.Context(), "1", "7"); err != nil {
		t.Fatal(err)
	}
	if channel, _, err := s.dms.Contact(t.Context(), "1"); err != nil || channel != "" {
		t.Errorf("a contact is left, with the DM %q: %v", channel, err)
	}
	if err := s.redis.HSet(t.Context(), "hostbot:{notes}:record:1", "r", "[").Err(); err != nil {
		t.Fatal(err)
	}
	if r, err := topic.Records.Get(t.Context(), "1", "1"); err != nil || r == nil {
		t.Errorf("an unreadable record is %+v: %v", r, err)
	}
}

// TestFollowingEnds leaves nothing of a follower, whoever ends it.
func TestFollowingEnds(t *testing.T) {
	for name, end := range map[string]func(s *scene) error{
		"by the follower": func(s *scene) error { return s.f.Unfollow(s.t.Context(), "1", "7") },
		"by staff": func(s *scene) error {
			known, err := s.f.Forget(s.t.Context(), "1")
			if !known {
				s.t.Error("no panel is said to be followed")
			}
			return err
		},
		"with the panel": func(s *scene) error { return s.f.End(s.t.Context(), "7") },
		"with a panel that ended unheard": func(s *scene) error {
			delete(s.panels, "7")
			own, err := s.f.Of(s.t.Context(), "1")
			if len(own) > 0 {
				s.t.Errorf("panels are followed: %+v", own)
			}
			return err
		},
		"by closed messages": func(s *scene) error {
			s.refusal = &rest.Error{Status: 403, Code: rest.CodeCannotMessageUser}
			for range 6 { // after which nothing is tried any more
				s.falls("a")
				s.work()
				if _, err := s.redis.HGet(s.t.Context(), "hostbot:{contacts}:record:1", "v").Result(); err == nil {
					passNext(s.t, s.redis, "1")
				}
				s.returns("a")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.follow("1")
			if n, err := s.f.Followers(t.Context(), "7"); n != 1 || err != nil {
				t.Errorf("%d follow: %v", n, err)
			}
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			left := slices.DeleteFunc(s.redis.Keys(t.Context(), "*").Val(), func(key string) bool {
				return strings.Contains(key, ":{dms}:") || strings.HasSuffix(key, ":counts") // which name nobody
			})
			if len(left) > 0 {
				t.Errorf("these keys are left: %q", left)
			}
		})
	}
}

func TestFollowingIsRefused(t *testing.T) {
	for want, refuse := range map[error]func(s *scene){
		following.ErrNoPanel: func(s *scene) { delete(s.panels, "7") },
		notify.ErrClosed:     func(s *scene) { s.refusal = &rest.Error{Status: 403, Code: rest.CodeCannotMessageUser} },
		following.ErrFull: func(s *scene) {
			s.follow("90")
			s.fill("90")
			s.opened = nil
		},
	} {
		s := newScene(t)
		refuse(s)
		began, err := s.f.Follow(t.Context(), "42", "7", notify.Recipient{UserID: "1", Greeting: "hello"})
		if began || !errors.Is(err, want) {
			t.Errorf("it is refused with %v, want %v", err, want)
		}
		if errors.Is(want, following.ErrFull) && len(s.opened) > 0 {
			t.Error("a DM was opened for nothing")
		}
	}
	s := newScene(t)
	s.follow("1")
	if again, err := s.f.Follow(t.Context(), "42", "7", notify.Recipient{UserID: "1"}); again || err != nil {
		t.Errorf("it is followed twice: %v, %v", again, err)
	}
}
