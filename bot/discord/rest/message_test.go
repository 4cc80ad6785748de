package rest_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/secret"
)

// scene is a Discord with a channel, and a record with what is known of a message there.
type scene struct {
	server  *discordtest.Server
	clock   *discordtest.ManualClock
	channel *discordtest.Channel
	discord message.Discord
	record  message.State
	repost  bool // see message.Wanted
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{clock: discordtest.NewManualClock(time.Now())}
	s.server = discordtest.RunT(t, discordtest.Config{Clock: s.clock})
	s.channel = s.server.AddChannel("general")
	client := rest.New(secret.Text(s.server.Token()), s.server.URL())
	t.Cleanup(client.Close)
	s.discord = client
	return s
}

// show has the message show a text beside a button, and keeps what is known of it.
func (s *scene) show(t *testing.T, text string) (err error) {
	t.Helper()
	button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "Shop", CustomID: "shop"}
	s.record, err = message.Show(t.Context(), s.discord, s.record, message.Wanted{
		ChannelID: s.channel.ID, Name: "1001", Repost: s.repost,
		Message: interaction.Message{
			Embeds:     []*discordgo.MessageEmbed{{Description: text}},
			Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}},
		},
		Save: func(_ context.Context, state message.State) error {
			s.record = state
			return nil
		},
	})
	return err
}

// only checks that one message is in the channel, and returns it.
func (s *scene) only(t *testing.T, text string) discordtest.View {
	t.Helper()
	shown := s.channel.Messages()
	if len(shown) != 1 || !shown[0].Contains(text) || s.record.ID != shown[0].ID || s.record.Tried != 0 || s.record.Stale != "" {
		t.Fatalf("messages: %+v; known: %+v", shown, s.record)
	}
	return shown[0]
}

func TestShow(t *testing.T) {
	s := newScene(t)
	if err := s.show(t, "running"); err != nil {
		t.Fatal(err)
	}
	first := s.only(t, "running").ID
	if err := s.show(t, "stopped"); err != nil || s.only(t, "stopped").ID != first {
		t.Errorf("an edit: %v", err)
	}
	s.channel.Allow(discordtest.Archived)
	if err := s.show(t, "crashed"); err != nil || s.only(t, "crashed").ID == first || s.record.Posts != 2 {
		t.Errorf("reposted: %v, %+v", err, s.record)
	}
	if err := s.channel.Delete(s.record.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.show(t, "running"); !rest.IsUnknownMessage(err) || len(s.channel.Messages()) != 0 {
		t.Errorf("somebody deleted it: %v", err)
	}
}

// TestRepost has a message be posted in the place of the one that is there: it notifies, and the other is
// gone. Where Discord asks for another message, that notifies nobody.
func TestRepost(t *testing.T) {
	s := newScene(t)
	silent := func(text string, repost bool) bool {
		t.Helper()
		s.server.ForgetCalls()
		s.repost = repost
		if err := s.show(t, text); err != nil {
			t.Fatal(err)
		}
		s.only(t, text)
		for _, c := range s.server.Calls() {
			if c.Method == http.MethodPost {
				return strings.Contains(string(c.Request), `"flags":4096`)
			}
		}
		t.Errorf("%s: nothing was posted", text)
		return false
	}
	if silent("crashed", false) || silent("crashed again", true) {
		t.Error("it notifies nobody")
	}
	s.channel.Allow(discordtest.Archived)
	if !silent("running", false) {
		t.Error("what only takes the place of another notifies")
	}
}

// TestLostAnswer has the answer to a post be lost, and Discord know the nonce or not any more
// when somebody goes on.
func TestLostAnswer(t *testing.T) {
	for name, later := range map[string]time.Duration{"at once": 0, "an hour later": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			// Another message with the same buttons has nothing to do with it.
			if err := s.show(t, "another"); err != nil {
				t.Fatal(err)
			}
			other := s.record.ID
			s.record = message.State{Posts: 1}
			s.clock.Advance(2 * time.Minute)
			lost := discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Reset: true}
			s.server.Inject(lost)
			if err := s.show(t, "running"); err == nil || s.record.Tried == 0 {
				t.Fatalf("the answer was to be lost: %v, %+v", err, s.record)
			}
			s.record.Tried = time.Now().Add(2 * time.Minute).UnixMilli() // by Discord's clock
			s.clock.Advance(later)
			if err := s.show(t, "stopped"); err != nil {
				t.Fatal(err)
			}
			shown := s.channel.Messages()
			i := slices.IndexFunc(shown, func(v discordtest.View) bool { return v.ID == s.record.ID })
			if len(shown) != 2 || i < 0 || s.record.ID == other || !shown[i].Contains("stopped") {
				t.Errorf("messages: %+v; known: %+v", shown, s.record)
			}
		})
	}
}

// TestRefusedPost: what Discord refuses, or puts off, is not there, and is no reason to look for it.
func TestRefusedPost(t *testing.T) {
	s := newScene(t)
	s.channel.Allow(discordtest.MissingPermissions)
	if err := s.show(t, "running"); rest.CodeOf(err) != rest.CodeMissingPermissions || s.record.Tried != 0 || s.record.ID != "" {
		t.Errorf("%v, %+v", err, s.record)
	}
	s.channel.Allow(discordtest.FullAccess)
	limited := discordtest.RateLimited(http.MethodPost, discordtest.RouteMessages, time.Minute, false)
	limited.Times = 1
	s.server.Inject(limited)
	for range 2 { // the second one is not sent
		if err := s.show(t, "running"); !rest.IsLimited(err) || s.record.Tried != 0 || s.record.ID != "" {
			t.Errorf("%v, %+v", err, s.record)
		}
	}
}

// TestNothingIsPostedUnsaved: nobody could go on with a message of which no record knows.
func TestNothingIsPostedUnsaved(t *testing.T) {
	s := newScene(t)
	away := errors.New("redis is away")
	_, err := message.Show(t.Context(), s.discord, message.State{}, message.Wanted{
		ChannelID: s.channel.ID, Name: "1001", Message: interaction.Message{Content: "running"},
		Save: func(context.Context, message.State) error { return away },
	})
	if !errors.Is(err, away) || len(s.server.Calls()) != 0 {
		t.Errorf("%v after %d calls", err, len(s.server.Calls()))
	}
}
