package alerts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// scene is a panel of owner 42 with two bots, and the DMs of those who follow it.
type scene struct {
	t      *testing.T
	redis  redis.UniversalClient
	panels map[string]panel.Panel
	sent   map[string][]rest.Posted // by channel
	due    []string
	opened []string // whose DM was opened
	held   time.Duration
	// refusal is Discord's, of the next messages; lost is that of the next answer alone.
	refusal, lost error
	closed        error
	f             *following.Following
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, sent: make(map[string][]rest.Posted), redis: redistest.Connect(t, redistest.StartMiniredis(t).URL())}
	s.panels = map[string]panel.Panel{"7": {ID: "7", OwnerID: "42", ChannelID: "9", Bots: []string{"a", "b"}}}
	s.f = following.New(following.Config{
		Redis: s.redis, Discord: s, DMs: s, Panels: s, Log: zerolog.Nop(), Timing: following.DefaultTiming(),
		Draw: func(n following.News) interaction.Message {
			var text []string
			for _, b := range n.Down {
				text = append(text, b.Name+" is down")
			}
			for _, b := range n.Back {
				text = append(text, b.Name+" is back")
			}
			embed := &discordgo.MessageEmbed{Timestamp: n.At.Format(time.RFC3339Nano)}
			return interaction.Message{Content: strings.Join(text, ", "), Embeds: []*discordgo.MessageEmbed{embed}}
		},
		Wake: func(_ context.Context, _ string, ids ...string) { s.due = append(s.due, ids...) },
	})
	return s
}

func (s *scene) Of(context.Context, string) (own []panel.Panel, err error) {
	for _, p := range s.panels {
		own = append(own, p)
	}
	return own, nil
}

func (s *scene) Get(_ context.Context, customerID, id string) (*panel.Panel, error) {
	p, known := s.panels[id]
	if !known || p.OwnerID != customerID {
		return nil, nil
	}
	return &p, nil
}

func (s *scene) Kept(context.Context, string) (alerts.Settings, alerts.Contact, error) {
	return alerts.Settings{}, alerts.Contact{}, nil
}
func (s *scene) HeldFor(context.Context) (time.Duration, error) { return s.held, nil }
func (s *scene) Introduce(_ context.Context, to alerts.Recipient) (string, error) {
	s.opened = append(s.opened, to.CustomerID)
	return "dm-" + to.CustomerID, s.closed
}

func (s *scene) CreateMessage(_ context.Context, channelID, _ string, m interaction.Message) (string, error) {
	if s.refusal != nil {
		return "", s.refusal
	}
	id := fmt.Sprint((time.Now().UnixMilli() - 1420070400000) << 22)
	s.sent[channelID] = append(s.sent[channelID], rest.Posted{ID: id, Content: m.Content, Embeds: m.Embeds})
	lost := s.lost
	s.lost = nil
	return id, lost
}
func (s *scene) EditMessage(context.Context, string, string, interaction.Message) error { return nil }
func (s *scene) DeleteMessage(context.Context, string, string) error                    { return nil }
func (s *scene) LatestMessages(_ context.Context, channelID string, _ int) ([]rest.Posted, error) {
	return s.sent[channelID], nil
}

// follow has somebody follow the panel.
func (s *scene) follow(userID string) {
	s.t.Helper()
	if began, err := s.f.Follow(s.t.Context(), "42", "7", alerts.Recipient{CustomerID: userID}); err != nil || !began {
		s.t.Fatalf("%s does not follow: %v, %v", userID, began, err)
	}
}

// fill has as many follow the panel as may, each as somebody does who follows it already.
func (s *scene) fill(userID string) {
	s.t.Helper()
	const script = `
local known = redis.call('HGETALL', KEYS[1])
for n = 2, tonumber(ARGV[1]) do
	redis.call('HSET', KEYS[1] .. n, unpack(known))
	redis.call('SADD', KEYS[2], ARGV[2] .. n)
end
return 1`
	keys := []string{"hostbot:{follows}:record:7/" + userID, "hostbot:{follows}:of:7"}
	if err := s.redis.Eval(s.t.Context(), script, keys, following.MostFollowers, "7/"+userID).Err(); err != nil {
		s.t.Fatal(err)
	}
	if n, err := s.f.Followers(s.t.Context(), "7"); n != following.MostFollowers || err != nil {
		s.t.Fatalf("%d follow: %v", n, err)
	}
}

// began is when the bots of a test began to run.
var began = time.Now().Add(-24 * time.Hour).Truncate(time.Second)

// falls has a bot go down, for the nth time.
func (s *scene) falls(serverID string, n int) {
	s.t.Helper()
	s.changes(watcher.Change{
		CustomerID: "42", ServerID: serverID, Name: "Bot " + serverID, From: hostapi.StateRunning, To: hostapi.StateCrashed,
		Since: began.Add(time.Duration(n) * time.Hour), At: time.Now(), Unexpected: true,
	})
}

// returns has a bot be back.
func (s *scene) returns(serverID string) {
	s.t.Helper()
	s.changes(watcher.Change{CustomerID: "42", ServerID: serverID, From: hostapi.StateCrashed, To: hostapi.StateRunning, At: time.Now()})
}

func (s *scene) changes(c watcher.Change) {
	s.t.Helper()
	if err := s.f.Changed(s.t.Context(), []watcher.Change{c}); err != nil {
		s.t.Fatal(err)
	}
}

// work does what the leader does with what is due, until nothing is due soon.
func (s *scene) work() {
	s.t.Helper()
	for ; len(s.due) > 0; s.due = s.due[1:] {
		for again := time.Millisecond; again > 0 && again < time.Second; {
			var err error
			if again, err = s.f.Work().Reconcile(s.t.Context(), s.due[0]); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// reads checks what somebody was sent.
func (s *scene) reads(userID string, want ...string) {
	s.t.Helper()
	s.work()
	var got []string
	for _, m := range s.sent["dm-"+userID] {
		got = append(got, m.Content)
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		s.t.Errorf("%s reads %q, want %q", userID, got, want)
	}
}

func TestFollowersAreTold(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.follow("2")
	s.falls("a", 1)
	s.falls("c", 1) // which is not on the panel
	s.reads("1", "Bot a is down")
	s.falls("a", 1) // told twice
	s.reads("1", "Bot a is down")
	s.returns("a")
	s.reads("1", "Bot a is down", "Bot a is back")
	s.falls("b", 1)
	s.returns("b") // before anybody was told
	s.reads("2", "Bot a is down", "Bot a is back")
	if err := s.f.Unfollow(t.Context(), "1", "7"); err != nil {
		t.Fatal(err)
	}
	s.falls("a", 2)
	s.reads("1", "Bot a is down", "Bot a is back")
	s.reads("2", "Bot a is down", "Bot a is back", "Bot a is down")
}

// TestFollowingBeginsWithHowItIs has somebody follow a panel with a bot that is down.
func TestFollowingBeginsWithHowItIs(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.falls("a", 1)
	s.work()
	s.follow("2")
	s.reads("2")
	s.returns("a")
	s.reads("2", "Bot a is back")
}

// TestFollowersAreNotTroubled has a bot fall all the time.
func TestFollowersAreNotTroubled(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	for n := range 10 {
		s.falls("a", n)
		s.work()
		s.returns("a")
		s.work()
	}
	if n := len(s.sent["dm-1"]); n != 6 {
		t.Errorf("%d messages are sent in an hour", n)
	}
}

func TestLostAnswerPostsNothingTwice(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.lost = &rest.Error{Status: 502, Uncertain: true}
	s.falls("a", 1)
	s.work()
	if err := s.redis.ZAddXX(t.Context(), s.f.Work().Due, redis.Z{Member: "7/1"}).Err(); err != nil {
		t.Fatal(err)
	}
	s.due = []string{"7/1"}
	s.reads("1", "Bot a is down")
	s.returns("a") // which is told where it is known that the first message is there
	s.reads("1", "Bot a is down", "Bot a is back")
}

// TestFollowingEnds leaves nothing of a follower, whoever ends it.
func TestFollowingEnds(t *testing.T) {
	for name, end := range map[string]func(s *scene) error{
		"by the follower": func(s *scene) error { return s.f.Unfollow(s.t.Context(), "1", "7") },
		"by staff": func(s *scene) error {
			n, err := s.f.Forget(s.t.Context(), "1")
			if n != 1 {
				s.t.Errorf("%d panels are said to be followed", n)
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
			s.falls("a", 1)
			s.work()
			_, err := s.f.Forget(s.t.Context(), "42") // which has what fell
			return err
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
			if keys := s.redis.Keys(t.Context(), "*").Val(); len(keys) > 0 {
				t.Errorf("these keys are left: %q", keys)
			}
		})
	}
}

func TestFollowingIsRefused(t *testing.T) {
	s := newScene(t)
	for want, refuse := range map[error]func(){
		following.ErrNoPanel: func() { delete(s.panels, "7") },
		alerts.ErrClosed:     func() { s.closed = alerts.ErrClosed },
		following.ErrFull: func() {
			s.follow("90")
			s.fill("90")
			s.opened = nil
		},
	} {
		refuse()
		began, err := s.f.Follow(t.Context(), "42", "7", alerts.Recipient{CustomerID: "1"})
		if began || !errors.Is(err, want) {
			t.Errorf("it is refused with %v, want %v", err, want)
		}
		if errors.Is(want, following.ErrFull) && len(s.opened) > 0 {
			t.Error("a DM was opened for nothing")
		}
		s.panels["7"], s.closed = panel.Panel{ID: "7", OwnerID: "42", ChannelID: "9", Bots: []string{"a", "b"}}, nil
		if err := s.redis.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	s.follow("1")
	if again, err := s.f.Follow(t.Context(), "42", "7", alerts.Recipient{CustomerID: "1"}); again || err != nil {
		t.Errorf("it is followed twice: %v, %v", again, err)
	}
}
