package staff_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// scene is a support channel, and the desk of a process.
type scene struct {
	discord *discordtest.Server
	channel *discordtest.Channel
	redis   redis.UniversalClient
	server  *redistest.Server
	desk    *support.Desk
	window  time.Duration // in which five DMs are opened at once
}

func newScene(t *testing.T) *scene {
	t.Helper()
	return newSceneAt(t, discordtest.Config{NoRateLimits: true})
}

// newSceneAt is newScene at a Discord of its own.
func newSceneAt(t *testing.T, c discordtest.Config) *scene {
	t.Helper()
	s := &scene{discord: discordtest.RunT(t, c), server: redistest.StartMiniredis(t)}
	s.discord.ExpectFailures()
	s.channel = s.discord.AddChannel("support")
	s.redis = redistest.Connect(t, s.server.URL())
	s.desk = s.process(t)
	return s
}

// process returns the desk of another process.
func (s *scene) process(t *testing.T) *support.Desk {
	client := rest.New(secret.Text(s.discord.Token()), s.discord.URL())
	t.Cleanup(client.Close)
	desk, _ := s.deskOf(client, s.redis, func(context.Context, string, ...string) {})
	return desk
}

// failure is a case of customer 42.
func failure(reference string) support.Case {
	button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "Reference", CustomID: "aside/reference/" + reference}
	return support.Case{
		Reference: reference, CustomerID: "42", ThreadName: "Shop · " + reference,
		Message: interaction.Message{
			Content: "anna needs help: " + reference, Embeds: []*discordgo.MessageEmbed{{Title: "A failure"}},
			Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}},
		},
	}
}

// threads returns the names of the channel's threads.
func (s *scene) threads() (names []string) {
	for _, ch := range s.discord.Channels() {
		if parent := ch.Parent(); parent != nil && parent.ID == s.channel.ID {
			names = append(names, ch.Name)
		}
	}
	return names
}

// wantOne fails unless there is one message with one thread.
func (s *scene) wantOne(t *testing.T) {
	t.Helper()
	if shown, threads := s.channel.Messages(), s.threads(); len(shown) != 1 || len(threads) != 1 || threads[0] != "Shop · REF1234" || !shown[0].Contains("A failure") {
		t.Fatalf("%d messages, threads %q", len(shown), threads)
	}
}

func TestOneThreadForAFailure(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	if told, err := s.desk.Tell(t.Context(), failure("REF1234")); err != nil || told.Already || told.Trouble != nil {
		t.Fatalf("Tell() = %+v, %v", told, err)
	}
	s.wantOne(t)
	before := len(s.discord.Calls())
	if told, err := s.process(t).Tell(t.Context(), failure("REF1234")); err != nil || !told.Already || told.Trouble != nil {
		t.Errorf("again: Tell() = %+v, %v", told, err)
	}
	if n := len(s.discord.Calls()) - before; n != 0 {
		t.Errorf("Discord was asked %d times for what is known", n)
	}
	s.wantOne(t)
}

// TestFiveADay: the sixth failure waits until the first is a day ago, and another customer's does not.
func TestFiveADay(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, reference := range []string{"REF0001", "REF0002", "REF0003", "REF0004", "REF0005"} {
		if _, err := s.desk.Tell(t.Context(), failure(reference)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.desk.Tell(t.Context(), failure("REF0006"))
	limit, ok := errors.AsType[*support.LimitError](err)
	if !ok || time.Until(limit.Until) > support.Window || time.Until(limit.Until) < support.Window-time.Minute {
		t.Fatalf("the sixth: %v", err)
	}
	if told, err := s.desk.Tell(t.Context(), failure("REF0005")); err != nil || !told.Already {
		t.Errorf("the fifth again: %+v, %v", told, err)
	}
	another := failure("REF0007")
	another.CustomerID = "43"
	if _, err := s.desk.Tell(t.Context(), another); err != nil {
		t.Errorf("another customer's: %v", err)
	}
	if n := len(s.threads()); n != 6 {
		t.Errorf("%d threads", n)
	}
	for _, key := range s.redis.Keys(t.Context(), "*").Val() {
		if left := s.redis.TTL(t.Context(), key).Val(); left <= 0 || left > support.Window {
			t.Errorf("%s is kept for %v", key, left)
		}
		if strings.Contains(key, ":record:REF000") && strings.HasSuffix(key, "1") {
			s.redis.Del(t.Context(), key) // as after a day
		}
	}
	if _, err := s.desk.Tell(t.Context(), failure("REF0006")); err != nil {
		t.Errorf("the sixth, a day later: %v", err)
	}
}

// TestLostAnswers has the answer to each step be lost, for good or for a moment. Whoever goes on opens no
// second thread.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	lost := func(route string) discordtest.Fault {
		return discordtest.Fault{Method: http.MethodPost, Route: route, Times: 1, After: true, Reset: true}
	}
	for name, fault := range map[string]discordtest.Fault{
		"the message's": lost(discordtest.RouteMessages), "the thread's": lost(discordtest.RouteThreads),
		"no message": {Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, Status: http.StatusBadGateway, Body: "{}"},
		"no thread":  {Method: http.MethodPost, Route: discordtest.RouteThreads, Times: 1, Status: http.StatusBadGateway, Body: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.discord.Inject(fault)
			if told, err := s.desk.Tell(t.Context(), failure("REF1234")); err != nil || told.Trouble != nil {
				t.Fatalf("Tell() = %+v, %v", told, err)
			}
			s.wantOne(t)
			if told, err := s.desk.Tell(t.Context(), failure("REF1234")); err != nil || !told.Already {
				t.Errorf("again: Tell() = %+v, %v", told, err)
			}
			s.wantOne(t)
		})
	}
}

// TestDeathBetween: a process died after the message, or after its thread. The next press goes on.
func TestDeathBetween(t *testing.T) {
	t.Parallel()
	for _, route := range []string{discordtest.RouteMessages, discordtest.RouteThreads} {
		s := newScene(t)
		remove := s.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: route, After: true, Status: http.StatusTooManyRequests, Body: `{"retry_after": 600, "message": "x"}`})
		told, err := s.desk.Tell(t.Context(), failure("REF1234"))
		if (err == nil) != (route == discordtest.RouteThreads) || told.Trouble != nil {
			t.Fatalf("%s: Tell() = %+v, %v", route, told, err)
		}
		remove()
		if told, err := s.process(t).Tell(t.Context(), failure("REF1234")); err != nil || told.Trouble != nil {
			t.Errorf("%s: again: Tell() = %+v, %v", route, told, err)
		}
		s.wantOne(t)
	}
}

// TestThreadThatIsPutOff: others have started so many threads in the guild that Discord puts this one off for five
// minutes. Staff have the message, and read of no failure; the leader starts the thread when the wait is over.
func TestThreadThatIsPutOff(t *testing.T) {
	t.Parallel()
	clock := discordtest.NewManualClock(time.Now())
	s := newSceneAt(t, discordtest.Config{Clock: clock})
	s.discord.UseUpThreads()
	began := time.Now()
	for _, already := range []bool{false, true} { // a second press changes nothing
		told, err := s.desk.Tell(t.Context(), failure("REF1234"))
		if err != nil || told.Already != already || told.Trouble != nil {
			t.Fatalf("Tell() = %+v, %v", told, err)
		}
	}
	if len(s.channel.Messages()) != 1 || len(s.threads()) != 0 {
		t.Fatalf("%d messages, threads %q", len(s.channel.Messages()), s.threads())
	}
	due := func() time.Duration {
		t.Helper()
		at := s.redis.ZScore(t.Context(), s.desk.Work().Due, "REF1234").Val()
		return time.UnixMilli(int64(at)).Sub(began)
	}
	if after := due(); after < 299*time.Second {
		t.Errorf("it is tried again %v after it was put off", after)
	}

	work := func() {
		t.Helper()
		leader := s.process(t).Work()
		if again, err := leader.Reconcile(t.Context(), "REF1234"); again == 0 || err != nil {
			t.Errorf("before it is due: %v, %v", again, err)
		}
		s.redis.ZAdd(t.Context(), leader.Due, redis.Z{Score: 1, Member: "REF1234"}) // as when the wait is over
		if _, err := leader.Reconcile(t.Context(), "REF1234"); err != nil {
			t.Error(err)
		}
	}
	clock.Advance(time.Minute)
	work()
	if after := due(); after < 239*time.Second || len(s.threads()) != 0 {
		t.Errorf("put off once more, it is tried %v later; threads %q", after, s.threads())
	}
	clock.Advance(4 * time.Minute)
	work()
	s.wantOne(t)
	if n := s.redis.ZCard(t.Context(), s.desk.Work().Due).Val(); n != 0 {
		t.Errorf("%d are still due", n)
	}
}

// TestTwoPressesAtOnce, in two processes.
func TestTwoPressesAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	other := s.process(t)
	var both sync.WaitGroup
	for _, desk := range []*support.Desk{s.desk, other, s.desk, other} {
		both.Go(func() {
			if told, err := desk.Tell(t.Context(), failure("REF1234")); err != nil || told.Trouble != nil {
				t.Errorf("Tell() = %+v, %v", told, err)
			}
		})
	}
	both.Wait()
	s.wantOne(t)
}

// TestChannelThatRefuses: what staff cannot be told of does not count, and the error says that the channel is
// the reason. Without a thread or an embed they have the message.
func TestChannelThatRefuses(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*discordtest.Channel){
		"not seen":    func(ch *discordtest.Channel) { ch.Allow(discordtest.MissingAccess) },
		"not written": func(ch *discordtest.Channel) { ch.Allow(discordtest.MissingPermissions) },
		"a forum":     func(ch *discordtest.Channel) { ch.Allow(discordtest.Forum) },
		"gone":        func(ch *discordtest.Channel) { ch.Allow(discordtest.Gone) },
	} {
		s := newScene(t)
		refuse(s.channel)
		for range support.PerWindow + 1 {
			if _, err := s.desk.Tell(t.Context(), failure("REF1234")); !errors.Is(err, incident.ErrNoThread) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		s.channel.Allow(discordtest.FullAccess)
		if told, err := s.desk.Tell(t.Context(), failure("REF1234")); err != nil || told.Already {
			t.Errorf("%s: then Tell() = %+v, %v", name, told, err)
		}
		s.wantOne(t)
	}
	for name, permission := range map[string]discordtest.Permission{"no thread": discordtest.CreatePublicThreads, "no embed": discordtest.EmbedLinks} {
		s := newScene(t)
		s.channel.Deny(permission)
		told, err := s.desk.Tell(t.Context(), failure("REF1234"))
		if err != nil || !errors.Is(told.Trouble, incident.ErrNoThread) || len(s.channel.Messages()) != 1 {
			t.Errorf("%s: Tell() = %+v, %v", name, told, err)
		}
		s.channel.Grant(permission)
		if told, err := s.desk.Tell(t.Context(), failure("REF1234")); err != nil || !told.Already || len(s.threads()) != 1 || len(s.channel.Messages()) != 1 {
			t.Errorf("%s: then Tell() = %+v, %v, %d threads", name, told, err, len(s.threads()))
		}
	}
}

// TestWithoutRedis nobody is told, as nobody would know of it.
func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.server.Stop()
	if _, err := s.desk.Tell(t.Context(), failure("REF1234")); err == nil || errors.Is(err, incident.ErrNoThread) || len(s.discord.Calls()) > 0 {
		t.Errorf("Tell() = %v after %d calls", err, len(s.discord.Calls()))
	}
}
