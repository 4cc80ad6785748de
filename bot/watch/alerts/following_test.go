package alerts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// scene is a panel of owner 42 with two bots, and the DMs of those who follow it.
type scene struct {
	t      *testing.T
	dms    *notify.Notifier
	redis  redis.UniversalClient
	panels map[string]panel.Panel
	bots   map[string]history.Past  // of owner 42
	stops  map[string]accounts.Note // what the owner did to bots
	sent   map[string][]rest.Posted // by channel
	opened []string                 // whose DM was opened
	// refusal is Discord's, of the next messages; lost is that of the next answer alone.
	refusal, lost error
	uneditable    error  // Discord's, of each edit
	held          string // the ID of a bot under maintenance
	f             *following.Following
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{
		t: t, redis: redistest.Connect(t, redistest.StartMiniredis(t).URL()),
		sent: make(map[string][]rest.Posted), bots: make(map[string]history.Past), stops: make(map[string]accounts.Note),
	}
	s.panels = map[string]panel.Panel{"7": {ID: "7", OwnerID: "42", ChannelID: "9", Bots: []string{"a", "b"}}}
	for _, id := range []string{"a", "b", "c"} {
		s.is(id, hostapi.StateRunning)
	}
	s.connect(s)
	return s
}

// connect has followers be written to by a Discord: the scene's own, or one that refuses what Discord does.
func (s *scene) connect(discord notify.Discord) {
	timing := notify.DefaultTiming()
	timing.Window = time.Millisecond
	s.dms = notify.New(notify.Config{
		Redis: s.redis, Discord: discord, Log: zerolog.Nop(), Timing: timing,
		Wake: func(context.Context, string, ...string) {}, OnPause: func(notify.Pause, error) {}, OnBudget: func() {},
	})
	s.f = following.New(following.Config{
		Held: func(id, _ string) time.Duration {
			if id == s.held {
				return time.Minute
			}
			return 0
		},
		Redis: s.redis, DMs: s.dms, Panels: s, History: s,
		Known: func(context.Context, string) (accounts.Snapshot, error) {
			return accounts.Snapshot{List: hostapi.List{Servers: []hostapi.Server{{ID: "a", Name: "Bot a"}, {ID: "b", Name: "Bot b"}}}, Notes: s.stops}, nil
		},
		Draw: func(n following.News) interaction.Message {
			var text []string
			for _, b := range n.Down {
				text = append(text, b.Name+" is down")
			}
			for _, b := range n.Back {
				text = append(text, b.Name+" is back")
			}
			embed := &discordgo.MessageEmbed{Title: "News", Timestamp: n.At.Format(time.RFC3339Nano)}
			return interaction.Message{Content: strings.Join(text, ", "), Embeds: []*discordgo.MessageEmbed{embed}}
		},
	})
}

// is has the history show a bot in a state from now on.
func (s *scene) is(serverID string, state hostapi.State) {
	spans := append(s.bots[serverID].Spans, history.Span{From: time.Now(), State: state})
	s.bots[serverID] = history.Past{Spans: spans, Standing: history.Standing{State: state, Since: time.Now().Truncate(time.Second)}}
}

func (s *scene) Bots(_ context.Context, _ string, _ time.Time, serverIDs ...string) (map[string]history.Past, error) {
	past := make(map[string]history.Past)
	for _, id := range serverIDs {
		if bot, known := s.bots[id]; known {
			past[id] = bot
		}
	}
	return past, nil
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

func (s *scene) OpenDM(_ context.Context, userID string) (string, error) {
	s.opened = append(s.opened, userID)
	return "dm-" + userID, nil
}

func (s *scene) CreateMessage(_ context.Context, channelID, _ string, m interaction.Message) (string, error) {
	if s.refusal != nil {
		return "", s.refusal
	}
	id := fmt.Sprint((time.Now().UnixMilli()-1420070400000)<<22 + int64(len(s.sent[channelID])))
	s.sent[channelID] = append(s.sent[channelID], rest.Posted{ID: id, Content: m.Content, Embeds: m.Embeds})
	lost := s.lost
	s.lost = nil
	return id, lost
}
func (s *scene) EditMessage(_ context.Context, channelID, messageID string, m interaction.Message) error {
	i := slices.IndexFunc(s.sent[channelID], func(p rest.Posted) bool { return p.ID == messageID })
	switch {
	case s.uneditable != nil:
		return s.uneditable
	case i < 0:
		return &rest.Error{Status: 404, Code: rest.CodeUnknownMessage}
	}
	s.sent[channelID][i].Content = m.Content
	return nil
}
func (s *scene) DeleteMessage(context.Context, string, string) error { return nil }
func (s *scene) LatestMessages(_ context.Context, channelID string, _ int) ([]rest.Posted, error) {
	return s.sent[channelID], nil
}

// follow has somebody follow the panel, who is greeted.
func (s *scene) follow(userID string) {
	s.t.Helper()
	if began, err := s.f.Follow(s.t.Context(), "42", "7", notify.Recipient{UserID: userID, Greeting: "hello"}); err != nil || !began {
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

// falls has a bot go down.
func (s *scene) falls(serverID string) {
	s.t.Helper()
	s.becomes(watcher.Change{ServerID: serverID, From: hostapi.StateRunning, To: hostapi.StateCrashed, Unexpected: true})
}

// returns has a bot be back.
func (s *scene) returns(serverID string) {
	s.t.Helper()
	s.becomes(watcher.Change{ServerID: serverID, From: hostapi.StateCrashed, To: hostapi.StateRunning})
}

// becomes has a poll show a change, which the history has after that.
func (s *scene) becomes(c watcher.Change) {
	s.t.Helper()
	if err := s.f.Observe(s.t.Context(), watcher.Poll{CustomerID: "42", Changes: []watcher.Change{c}}); err != nil {
		s.t.Fatal(err)
	}
	s.is(c.ServerID, c.To)
}

// work does what the leader does with followers who are due.
func (s *scene) work() {
	s.t.Helper()
	s.does(s.f.Work())
}

// does does what the leader does with what is due of a kind, until nothing is due soon.
func (s *scene) does(k leader.Kind) {
	s.t.Helper()
	hastenAll(s.t, s.redis, k.Due)
	for _, id := range s.redis.ZRange(s.t.Context(), k.Due, 0, -1).Val() {
		for again := time.Millisecond; again > 0 && again < time.Second; {
			var err error
			if again, err = k.Reconcile(s.t.Context(), id); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// reads checks what somebody was sent.
func (s *scene) reads(userID string, want ...string) {
	s.t.Helper()
	s.work()
	s.has(userID, want...)
}

// has checks what is in somebody's DM.
func (s *scene) has(userID string, want ...string) {
	s.t.Helper()
	var got []string
	for _, m := range s.sent["dm-"+userID] {
		if m.Content != "hello" {
			got = append(got, m.Content)
		}
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		s.t.Errorf("%s reads %q, want %q", userID, got, want)
	}
}

func TestFollowersAreTold(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.follow("2")
	s.falls("a")
	s.falls("c") // which is not on the panel
	s.reads("1", "Bot a is down")
	s.falls("a") // again, without being back
	s.reads("1", "Bot a is down")
	s.returns("a")
	s.reads("1", "Bot a is back", "Bot a is back") // the first was red
	s.falls("b")
	s.returns("b") // before anybody was told
	s.reads("2", "Bot a is back", "Bot a is back")
	if err := s.f.Unfollow(t.Context(), "1", "7"); err != nil {
		t.Fatal(err)
	}
	s.falls("a")
	s.reads("1", "Bot a is back", "Bot a is back")
	s.reads("2", "Bot a is back", "Bot a is back", "Bot a is down")
}

// TestFallDuringMaintenanceIsToldAfterIt to followers, if the bot is still down then.
func TestFallDuringMaintenanceIsToldAfterIt(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.held = "a"
	s.falls("a")
	s.falls("b") // which is no part of it
	s.reads("1", "Bot b is down")
	s.returns("a") // before it is over
	s.returns("b")
	s.reads("1", "Bot b is back", "Bot b is back")
	s.falls("a")
	s.reads("1", "Bot b is back", "Bot b is back")
	s.held = ""
	s.reads("1", "Bot b is back", "Bot b is back", "Bot a is down")
}

// TestRedMessageTurns has two bots of one message come back one after the other, whatever becomes of an edit.
func TestRedMessageTurns(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.falls("a")
	s.falls("b")
	s.reads("1", "Bot a is down, Bot b is down")
	s.uneditable = &rest.Error{Status: 502} // it is edited later
	s.returns("a")
	s.reads("1", "Bot a is down, Bot b is down", "Bot a is back")
	s.uneditable = nil
	s.returns("b")
	s.reads("1", "Bot a is back, Bot b is back", "Bot a is back", "Bot b is back")

	s.falls("a")
	s.work()
	s.uneditable = &rest.Error{Status: 404, Code: rest.CodeUnknownMessage} // the follower has deleted it
	s.returns("a")
	s.reads("1", "Bot a is back, Bot b is back", "Bot a is back", "Bot b is back", "Bot a is down", "Bot a is back")
	s.uneditable = nil
	s.falls("b")
	s.returns("a")
	s.reads("1", "Bot a is back, Bot b is back", "Bot a is back", "Bot b is back", "Bot a is down", "Bot a is back", "Bot b is down")
}

// TestStopThatTheOwnerWantsIsNoNews has a bot be stopped, while another falls.
func TestStopThatTheOwnerWantsIsNoNews(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.stops["a"] = accounts.Note{Action: "stop", At: time.Now().Add(-time.Minute)}
	s.becomes(watcher.Change{ServerID: "a", From: hostapi.StateRunning, To: hostapi.StateStopped})
	s.falls("b")
	s.reads("1", "Bot b is down")
	s.returns("a")
	s.stops["a"] = accounts.Note{Action: "stop", At: time.Now().Add(-time.Hour)}
	s.becomes(watcher.Change{ServerID: "a", From: hostapi.StateRunning, To: hostapi.StateStopped, Unexpected: true})
	s.reads("1", "Bot b is down", "Bot a is down")
}

// TestFollowingBeginsWithHowItIs has somebody follow a panel with a bot that is down.
func TestFollowingBeginsWithHowItIs(t *testing.T) {
	s := newScene(t)
	s.falls("a")
	s.follow("1")
	s.falls("b")
	s.reads("1", "Bot b is down")
	s.returns("a")
	s.reads("1", "Bot b is down", "Bot a is back")
}

// TestPanelOfAllBotsIsFollowed: it names none, and one of them is down before.
func TestPanelOfAllBotsIsFollowed(t *testing.T) {
	s := newScene(t)
	s.panels["7"] = panel.Panel{ID: "7", OwnerID: "42", ChannelID: "9", All: true}
	s.falls("a")
	s.follow("1")
	s.falls("b")
	s.reads("1", "Bot b is down")
}

// TestFollowersAreNotTroubled has a bot fall all the time.
func TestFollowersAreNotTroubled(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	for range 10 {
		s.falls("a")
		s.work()
		s.returns("a")
		s.work()
	}
	if n := len(s.sent["dm-1"]); n != 1+6 {
		t.Errorf("%d messages are sent in an hour", n)
	}
}

func TestLostAnswerPostsNothingTwice(t *testing.T) {
	s := newScene(t)
	s.follow("1")
	s.lost = &rest.Error{Status: 502, Uncertain: true}
	s.falls("a")
	s.work()
	s.returns("a") // which is told where it is known that the first message is there
	s.reads("1", "Bot a is back", "Bot a is back")
}
