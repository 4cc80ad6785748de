package staff_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/bot/store/record"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// deskOf returns the desk of a process, and what writes its direct messages.
func (s *scene) deskOf(client *rest.Client, redis redis.UniversalClient, wake func(context.Context, string, ...string)) (*support.Desk, *notify.Notifier) {
	dms := notify.New(notify.Config{
		Redis: redis, Discord: client, Wake: wake, OnPause: func(notify.Pause, error) {}, OnBudget: func() {}, Log: zerolog.Nop(),
		Timing: notify.Timing{
			Work: 2 * time.Second, Retry: 50 * time.Millisecond, Pause: 50 * time.Millisecond, LongPause: 100 * time.Millisecond,
			Refused: time.Millisecond, Window: max(s.window, time.Millisecond), Opening: time.Millisecond,
		},
	})
	return support.New(support.Config{
		Redis: redis, Discord: client, ChannelID: s.channel.ID, DMs: dms, Log: zerolog.Nop(),
		Draw: func(a support.Answer) interaction.Message {
			embed := &discordgo.MessageEmbed{Description: a.Text, Timestamp: a.At.Format(time.RFC3339Nano)}
			return interaction.Message{Content: "answer " + a.ID, Embeds: []*discordgo.MessageEmbed{embed}}
		},
		Note: func(a support.Answer, sent bool) interaction.Message {
			return interaction.Message{Content: fmt.Sprintf("note, sent %t: %s", sent, a.Text)}
		},
	}), dms
}

// leads returns the desk of a process that leads. kill ends it as a signal would that it cannot catch.
func (s *scene) leads(t *testing.T) (desk *support.Desk, kill func()) {
	t.Helper()
	client, to := redistest.Connect(t, s.server.URL()), rest.New(secret.Text(s.discord.Token()), s.discord.URL())
	leading := leader.New(leader.Config{Redis: client, Name: "replica", Log: zerolog.Nop(), Timing: leader.Timing{
		Lease: 2 * time.Second, Renew: 20 * time.Millisecond, Read: 20 * time.Millisecond, Window: time.Second, Retry: 50 * time.Millisecond,
	}})
	desk, dms := s.deskOf(to, client, leading.Wake)
	leading.Add(dms.Work())
	leading.Add(desk.Answers())
	end := patience.Run(leading.Run)
	kill = func() {
		_ = client.Close()
		end()
		to.Close()
	}
	t.Cleanup(kill)
	return desk, kill
}

// answered is a case of anna's.
type answered struct {
	*scene
	desk   *support.Desk
	kill   func()
	anna   *discordtest.User
	thread *discordtest.Channel
}

func newAnswered(t *testing.T) *answered {
	t.Helper()
	return newScene(t).answered(t)
}

func (s *scene) answered(t *testing.T) *answered {
	t.Helper()
	a := &answered{scene: s, anna: s.discord.User("anna")}
	a.desk, a.kill = s.leads(t)
	c := failure("REF1234")
	c.CustomerID = a.anna.ID
	if _, err := a.desk.Tell(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, ch := range s.discord.Channels() {
		if ch.Parent() != nil {
			a.thread = ch
		}
	}
	return a
}

// answer has staff answer, and reports whether that is new.
func (a *answered) answer(t *testing.T, text string) bool {
	t.Helper()
	err := a.desk.Answer(t.Context(), support.Answer{
		CustomerID: a.anna.ID, Locale: "en-US", Reference: "REF1234", ThreadID: a.thread.ID, StaffID: "7", Text: text,
	})
	if err != nil && !errors.Is(err, record.ErrExists) {
		t.Fatal(err)
	}
	return err == nil
}

// sent has staff answer, and returns the ID of the answer that anna has got.
func (a *answered) sent(t *testing.T, text string) (id string) {
	t.Helper()
	a.answer(t, text)
	a.thread.WaitFor(t, "note, sent true: "+text)
	_, id, _ = strings.Cut(a.anna.InDM().Sees(t, text).Content, "answer ")
	return id
}

// reply has anna reply.
func (a *answered) reply(t *testing.T, id, text string) error {
	t.Helper()
	return a.desk.Reply(t.Context(), a.anna.ID, id, text, func(about support.Answer) interaction.Message {
		return interaction.Message{Content: about.Reference + ", reply: " + text}
	})
}

// count returns how many messages have a text.
func count(messages []discordtest.View, text string) (n int) {
	for _, m := range messages {
		if m.Contains(text) {
			n++
		}
	}
	return n
}

// wantOnce fails unless anna has one message with a text, and staff one note of it.
func (a *answered) wantOnce(t *testing.T, text string) {
	t.Helper()
	if dms, notes := count(a.anna.InDM().Messages(), text), count(a.thread.Messages(), text); dms != 1 || notes != 1 {
		t.Errorf("%d direct messages and %d notes have %q", dms, notes, text)
	}
}

// TestAnswerIsADirectMessage: the first of all to anna, once, in the order in which they were written. Redis forgets the
// text then.
func TestAnswerIsADirectMessage(t *testing.T) {
	t.Parallel()
	a := newAnswered(t)
	for _, text := range []string{"Try once more.", "And now?"} {
		if !a.answer(t, text) {
			t.Errorf("%q is not new", text)
		}
	}
	a.thread.WaitFor(t, "note, sent true: And now?")
	for _, text := range []string{"Try once more.", "And now?"} {
		if a.answer(t, text) {
			t.Errorf("%q is new again", text)
		}
		a.wantOnce(t, text)
	}
	if first := a.anna.InDM().Messages()[0]; !first.Contains("Try once more.") {
		t.Errorf("the first is:\n%s", first.Text())
	}
	patience.Until(t, "Redis forgets what was sent", func() bool {
		for _, key := range a.redis.Keys(t.Context(), "*{answers}:record:*").Val() {
			if strings.Contains(a.redis.HGet(t.Context(), key, "r").Val(), `"text"`) {
				return false
			}
		}
		return true
	})
	for _, key := range a.redis.Keys(t.Context(), "*"+a.anna.ID+"*").Val() {
		if left := a.redis.TTL(t.Context(), key).Val(); left <= 0 || left > 30*24*time.Hour {
			t.Errorf("%s is kept for %v", key, left)
		}
	}
	if s, err := a.desk.Status(t.Context()); s.Sent != 2 || err != nil {
		t.Errorf("the status is %+v: %v", s, err)
	}
}

// TestAnswersToMany open as many DMs at once as Discord takes. The leader opens the others.
func TestAnswersToMany(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.window = time.Hour
	a := s.answered(t)
	for i := range 7 {
		a.anna = s.discord.User(fmt.Sprint("c", i))
		a.sent(t, fmt.Sprint("Answer ", i))
	}
}

// TestAnswerOnceWhoeverDies has the leader die when Discord has taken the message, or the note of it.
func TestAnswerOnceWhoeverDies(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]int{"in the message": 0, "in the note": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnswered(t)
			if before > 0 {
				a.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: before})
			}
			remove := a.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Hang: true})
			a.answer(t, "Try once more.")
			a.anna.InDM().Sees(t, "Try once more.")
			if before > 0 {
				a.thread.WaitFor(t, "note, sent true")
			}
			a.kill()
			remove()
			a.leads(t)
			a.thread.WaitFor(t, "note, sent true")
			patience.Until(t, "nothing is due", func() bool { return a.redis.ZCard(t.Context(), a.desk.Answers().Due).Val() == 0 })
			a.wantOnce(t, "Try once more.")
		})
	}
}

// TestAnswerThatCannotBeSent waits for who takes no direct messages, or is no user any more. Nobody else reads it.
func TestAnswerThatCannotBeSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*answered){
		"closed":  func(a *answered) { a.anna.CloseDMs(true) },
		"blocked": func(a *answered) { a.anna.Block(true) },
		"no user": func(a *answered) { a.anna.ID = "43" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnswered(t)
			change(a)
			unread := func(customerID string) *support.Answer {
				return support.Unread(a.redis.HGetAll(t.Context(), support.UnreadKey("", customerID)).Val())
			}
			id, left := "", []string{"Try once more.", "And now?"}
			for _, text := range left {
				a.answer(t, text)
				a.thread.WaitFor(t, "note, sent false: "+text)
			}
			for len(left) > 0 { // those of one second in any order
				own := unread(a.anna.ID)
				if own == nil || !slices.Contains(left, own.Text) {
					t.Fatalf("anna reads %+v", own)
				}
				id, left = own.ID, slices.DeleteFunc(left, func(text string) bool { return text == own.Text })
				if err := a.desk.Read(t.Context(), "44", id); err != nil || unread(a.anna.ID).ID != id {
					t.Errorf("another reads in her place: %v", err)
				}
				if err := a.desk.Read(t.Context(), a.anna.ID, id); err != nil {
					t.Fatal(err)
				}
			}
			if own := unread(a.anna.ID); own != nil {
				t.Errorf("%+v is unread", own)
			}
			if err := a.reply(t, id, "It works."); err != nil {
				t.Errorf("a reply to it: %v", err)
			}
		})
	}
}

// TestReplyLandsInTheThread, once, also if the thread is archived or deleted. Nobody replies to another's answer.
func TestReplyLandsInTheThread(t *testing.T) {
	t.Parallel()
	a := newAnswered(t)
	id := a.sent(t, "Try once more.")
	for range 2 { // as after a lost response
		if err := a.reply(t, id, "It works."); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(a.thread.Messages(), "REF1234, reply: It works."); n != 1 {
		t.Errorf("%d replies", n)
	}
	a.thread.Allow(discordtest.Archived)
	if err := a.reply(t, id, "Or not."); err != nil || count(a.thread.Messages(), "reply: Or not.") != 1 {
		t.Errorf("in an archived thread: %v", err)
	}
	a.thread.Allow(discordtest.Gone)
	if err := a.reply(t, id, "Anybody?"); err != nil || count(a.channel.Messages(), "reply: Anybody?") != 1 {
		t.Errorf("in a deleted thread: %v", err)
	}
	a.anna.ID = "44"
	if err := a.reply(t, id, "Me too."); !errors.Is(err, support.ErrEnded) {
		t.Errorf("another's reply: %v", err)
	}
}

// TestReplyIsNotTaken where staff have locked the thread, or in one that the bot may not write in.
func TestReplyIsNotTaken(t *testing.T) {
	t.Parallel()
	a := newAnswered(t)
	id := a.sent(t, "Try once more.")
	for access, want := range map[discordtest.Access]error{discordtest.Locked: support.ErrEnded, discordtest.MissingThreadPermission: incident.ErrNoThread} {
		a.thread.Allow(access)
		if err := a.reply(t, id, "It works."); !errors.Is(err, want) {
			t.Errorf("%v: %v", access, err)
		}
	}
}

// TestAnswersAreForgotten with all that names anna, but for how she is reached.
func TestAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	a := newAnswered(t)
	id := a.sent(t, "Try once more.")
	a.anna.CloseDMs(true)
	a.answer(t, "Yes?")
	a.thread.WaitFor(t, "note, sent false")
	for _, want := range []bool{true, false} {
		if known, err := a.desk.Forget(t.Context(), a.anna.ID); known != want || err != nil {
			t.Errorf("Forget() = %v, %v", known, err)
		}
	}
	if left := a.redis.Keys(t.Context(), "*answers*"+a.anna.ID+"*").Val(); len(left) > 0 || a.redis.Exists(t.Context(), support.UnreadKey("", a.anna.ID)).Val() > 0 {
		t.Errorf("these keys are left: %q", left)
	}
	if err := a.reply(t, id, "It works."); !errors.Is(err, support.ErrEnded) {
		t.Errorf("a reply then: %v", err)
	}
}
