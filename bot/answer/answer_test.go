package answer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/answer"
	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is something that was sent to Discord, and when after the event.
type call struct {
	what string
	at   time.Duration
}

// discord notes what is sent and answers each kind of call as it is told, then
// with success. An answer takes as long as latency says.
type discord struct {
	mu      sync.Mutex
	started time.Time
	calls   []call
	errs    map[string][]error // by kind of call
	latency time.Duration
}

func (d *discord) send(ctx context.Context, kind, text string) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, call{kind + text, time.Since(d.started)})
	if errs := d.errs[kind]; len(errs) > 0 {
		d.errs[kind] = errs[1:]
		return errs[0]
	}
	return nil
}

// sent returns the calls so far.
func (d *discord) sent() []call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

func (d *discord) wait(ctx context.Context) error {
	if d.latency == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return &rest.Error{Message: "timeout", Uncertain: true}
	case <-time.After(d.latency):
		return nil
	}
}

func (d *discord) Respond(ctx context.Context, _ rest.Callback, r interaction.Response) error {
	return d.send(ctx, map[interaction.Form]string{
		interaction.FormReply: "reply", interaction.FormUpdate: "update", interaction.FormSuggest: "suggest", interaction.FormOpen: "modal",
	}[r.Form], " "+r.Message.Content)
}

func (d *discord) Defer(ctx context.Context, _ rest.Callback, f interaction.Form) error {
	return d.send(ctx, map[interaction.Form]string{interaction.FormReply: "defer", interaction.FormUpdate: "defer update"}[f], "")
}

func (d *discord) EditOriginal(ctx context.Context, _ rest.Callback, m interaction.Message) error {
	return d.send(ctx, "edit", " "+m.Content)
}

func (d *discord) FollowUp(ctx context.Context, _ rest.Callback, m interaction.Message) error {
	return d.send(ctx, "follow up", " "+m.Content)
}

// journal notes what staff are told.
type journal struct {
	mu      sync.Mutex
	entries []string
}

func (j *journal) Action(_ *interaction.Request, a interaction.Action) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, "action "+a.Name)
}

func (j *journal) Audit(_ *interaction.Request, a interaction.Audit) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, "audit "+a.Detail)
}

func (j *journal) Failure(_ *interaction.Request, err error, _ bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, "failure "+err.Error())
}

var errRefused = errors.New("refused")

// errUnspeakable can not be explained.
var errUnspeakable = errors.New("unspeakable")

// explain says an error as it is; only errRefused is the caller's to mend.
func explain(_ *interaction.Request, err error) interaction.Explanation {
	if errors.Is(err, errUnspeakable) {
		panic(err)
	}
	return interaction.Explanation{Message: say("sorry"), Fault: !errors.Is(err, errRefused)}
}

func say(text string) interaction.Message { return interaction.Message{Content: text} }

func reply(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Reply(say(text)), nil
	}
}

// slow waits before it answers, unless the interaction is over before.
func slow(d time.Duration, h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		select {
		case <-ctx.Done():
			return interaction.Response{}, ctx.Err()
		case <-time.After(d):
			return h(ctx, r)
		}
	}
}

// then acts after the first response.
func then(first string, next interaction.Handler) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		response := interaction.Update(say(first))
		response.Then = func(ctx context.Context) (interaction.Response, error) { return next(ctx, r) }
		return response, nil
	}
}

func acted(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		response := interaction.Update(say(text))
		response.Action = &interaction.Action{Name: "restart", Outcome: interaction.Done}
		return response, nil
	}
}

func failing(err error) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Response{}, err
	}
}

func command() *interaction.Event {
	return &interaction.Event{
		ID: "1", ApplicationID: "2", Token: "token", Type: discordgo.InteractionApplicationCommand,
		User: interaction.EventUser{ID: "3"}, Data: interaction.EventData{Name: "do"},
	}
}

// numbered gives an event an ID of its own.
func numbered(event *interaction.Event, n int) *interaction.Event {
	event.ID = fmt.Sprint(100 + n)
	return event
}

func press() *interaction.Event {
	return &interaction.Event{
		ID: "1", ApplicationID: "2", Token: "token", Type: discordgo.InteractionMessageComponent,
		User: interaction.EventUser{ID: "3"}, Message: interaction.EventMessage{ID: "4"}, Data: interaction.EventData{CustomID: "do"},
	}
}

func typing() *interaction.Event {
	return &interaction.Event{
		ID: "1", ApplicationID: "2", Token: "token", Type: discordgo.InteractionApplicationCommandAutocomplete,
		User: interaction.EventUser{ID: "3"},
		Data: interaction.EventData{Name: "do", Options: []interaction.EventOption{
			{Name: "bot", Type: discordgo.ApplicationCommandOptionString, Value: "s", Focused: true},
		}},
	}
}

// server is a Server around one handler for everything, with what it tells.
type server struct {
	*answer.Server
	discord *discord
	journal *journal
	log     bytes.Buffer

	mu       sync.Mutex
	observed []answer.Observation
}

func (s *server) observe(o answer.Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observed = append(s.observed, o)
}

func newServer(h interaction.Handler, d *discord) *server {
	router := interaction.NewRouter()
	router.Command("do", h)
	router.Component("do", h)
	router.Autocomplete("do", "bot", h)
	s := &server{discord: d, journal: &journal{}}
	d.started = time.Now()
	s.Server = answer.New(answer.Config{
		Discord: d, Router: router, Explain: explain, Journal: s.journal, Log: zerolog.New(zerolog.SyncWriter(&s.log)), Timing: answer.DefaultTiming(),
		Observe: s.observe,
	})
	return s
}

var (
	unavailable = &rest.Error{Status: 503, Uncertain: true}
	tooLate     = &rest.Error{Status: 404, Code: 10062}
	answered    = &rest.Error{Status: 400, Code: rest.CodeAlreadyAcknowledged}
	malformed   = &rest.Error{Status: 400, Code: rest.CodeInvalidForm}
)

// TestServe runs on a clock of its own: times are exact and take no time.
func TestServe(t *testing.T) {
	const deferral = 1500 * time.Millisecond
	tests := map[string]struct {
		event   *interaction.Event
		handler interaction.Handler
		errs    map[string][]error // Discord's, by kind of call
		calls   []call
		journal []string
		outcome string
	}{
		"in time": {
			event: command(), handler: slow(time.Second, reply("hello")),
			calls: []call{{"reply hello", time.Second}}, outcome: "ok",
		},
		"a slow command is deferred and edited": {
			event: command(), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"defer", deferral}, {"edit hello", 5 * time.Second}}, outcome: "ok",
		},
		"a slow press is deferred and its message edited": {
			event: press(), handler: slow(5*time.Second, acted("done")),
			calls:   []call{{"defer update", deferral}, {"edit done", 5 * time.Second}},
			journal: []string{"action restart"}, outcome: "ok",
		},
		"a reply to a slow press leaves its message alone": {
			event: press(), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"defer update", deferral}, {"follow up hello", 5 * time.Second}}, outcome: "ok",
		},
		"suggestions are never deferred": {
			event: typing(), handler: slow(2*time.Second, func(context.Context, *interaction.Request) (interaction.Response, error) {
				return interaction.Suggest(nil), nil
			}),
			calls: []call{{"suggest ", 2 * time.Second}}, outcome: "ok",
		},
		"work goes on after the first response": {
			event: press(), handler: then("running", slow(time.Minute, acted("done"))),
			calls:   []call{{"update running", 0}, {"edit done", time.Minute}},
			journal: []string{"action restart"}, outcome: "ok",
		},
		"work that goes on fails": {
			event: press(), handler: then("running", failing(errors.New("broken"))),
			calls:   []call{{"update running", 0}, {"edit sorry", 0}},
			journal: []string{"failure broken"}, outcome: "failed",
		},
		"what the caller can mend is not told to staff": {
			event: command(), handler: failing(errRefused),
			calls: []call{{"reply sorry", 0}}, outcome: "refused",
		},
		"a fault is": {
			event: press(), handler: failing(errors.New("broken")),
			calls:   []call{{"reply sorry", 0}},
			journal: []string{"failure broken"}, outcome: "failed",
		},
		"a panic is a fault": {
			event: command(), handler: func(context.Context, *interaction.Request) (interaction.Response, error) { panic("oh") },
			calls:   []call{{"reply sorry", 0}},
			journal: []string{"failure interaction: handler panicked: oh"}, outcome: "failed",
		},
		"the first response is sent again": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {unavailable}},
			calls: []call{{"reply hello", 0}, {"reply hello", 100 * time.Millisecond}}, outcome: "ok",
		},
		"an answer that was lost is no failure": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {unavailable, answered}},
			calls: []call{{"reply hello", 0}, {"reply hello", 100 * time.Millisecond}}, outcome: "ok",
		},
		"nothing is done for a caller who was answered elsewhere": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {answered}},
			calls: []call{{"update running", 0}}, outcome: "ok",
		},
		"nothing is done for a caller who can not be told": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {tooLate}},
			calls:   []call{{"update running", 0}},
			journal: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"what Discord finds malformed is replaced": {
			event: command(), handler: reply("x"), errs: map[string][]error{"reply": {malformed}},
			calls:   []call{{"reply x", 0}, {"reply sorry", 0}},
			journal: []string{"failure discord: status 400, code 50035: "}, outcome: "failed",
		},
		"nothing is done after a malformed response": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {malformed}},
			calls:   []call{{"update running", 0}, {"reply sorry", 0}},
			journal: []string{"failure discord: status 400, code 50035: "}, outcome: "failed",
		},
		"an edit is repeated until Discord is back": {
			event: press(), handler: then("running", acted("done")),
			errs:    map[string][]error{"edit": {&rest.Error{Status: 429, RetryAfter: 7 * time.Second}}},
			calls:   []call{{"update running", 0}, {"edit done", 0}, {"edit done", 7 * time.Second}},
			journal: []string{"action restart"}, outcome: "ok",
		},
		"a response that may have been taken is corrected where it is refused later": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {unavailable, tooLate}},
			calls:   []call{{"update running", 0}, {"update running", 100 * time.Millisecond}, {"edit sorry", 100 * time.Millisecond}},
			journal: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"suggestions that come too late are not told to staff": {
			event: typing(), handler: slow(time.Hour, reply("x")), errs: map[string][]error{"suggest": {tooLate}},
			calls: []call{{"suggest ", 2 * time.Second}}, outcome: "unanswered",
		},
		"a slow press whose work fails later": {
			event: press(), handler: slow(2*time.Second, then("running", failing(errors.New("broken")))),
			calls:   []call{{"defer update", deferral}, {"edit running", 2 * time.Second}, {"edit sorry", 2 * time.Second}},
			journal: []string{"failure broken"}, outcome: "failed",
		},
		"a message of its own is not sent twice": {
			event: press(), handler: slow(2*time.Second, reply("hello")), errs: map[string][]error{"follow up": {unavailable}},
			calls:   []call{{"defer update", deferral}, {"follow up hello", 2 * time.Second}},
			journal: []string{"failure the caller could not be told: discord: status 503: "}, outcome: "unanswered",
		},
		"what was acknowledged in the end is not corrected when its end can not be told": {
			event: press(), handler: then("running", acted("done")),
			errs:    map[string][]error{"update": {unavailable, answered}, "edit": {&rest.Error{Status: 403, Code: 50001}}},
			calls:   []call{{"update running", 0}, {"update running", 100 * time.Millisecond}, {"edit done", 100 * time.Millisecond}},
			journal: []string{"action restart", "failure the caller could not be told: discord: status 403, code 50001: "}, outcome: "unanswered",
		},
		"a message that was dismissed": {
			event: press(), handler: then("running", acted("done")),
			errs:    map[string][]error{"edit": {&rest.Error{Status: 404, Code: rest.CodeUnknownMessage}}},
			calls:   []call{{"update running", 0}, {"edit done", 0}},
			journal: []string{"action restart"}, outcome: "ok",
		},
		"what explains an error may fail as well": {
			event: command(), handler: failing(errUnspeakable), outcome: "",
		},
		"an event without data": {
			event: &interaction.Event{ID: "1", Token: "token", Type: discordgo.InteractionApplicationCommand, User: interaction.EventUser{ID: "3"}}, handler: reply("x"),
			calls:   []call{{"reply sorry", 0}},
			journal: []string{"failure interaction: event is incomplete"}, outcome: "failed",
		},
		"an event without anything": {
			event: &interaction.Event{}, handler: reply("x"), outcome: "unanswered",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{errs: test.errs}
				s := newServer(test.handler, d)
				s.Serve(test.event)
				if !slices.Equal(d.calls, test.calls) {
					t.Errorf("calls %v, want %v", d.calls, test.calls)
				}
				if !slices.Equal(s.journal.entries, test.journal) {
					t.Errorf("journal %q, want %q", s.journal.entries, test.journal)
				}
				if test.outcome != "" && (len(s.observed) != 1 || s.observed[0].Outcome != test.outcome) {
					t.Errorf("observed %+v, want outcome %q", s.observed, test.outcome)
				}
				if bytes.Contains(s.log.Bytes(), []byte("token")) {
					t.Errorf("the log holds the interaction's token: %s", s.log.String())
				}
			})
		})
	}
}

func TestStoppingDoesNotWaitForAnEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := &rest.Error{Status: 429, RetryAfter: 110 * time.Second}
		d := &discord{errs: map[string][]error{"edit": {limited, limited}}}
		s := newServer(then("running", acted("done")), d)
		served := make(chan struct{})
		go func() {
			s.Serve(press())
			close(served)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.Drain(ctx)
		<-served
		if took := time.Since(d.started); took > 12*time.Second {
			t.Errorf("Drain took %v of the 10 s and what a last word takes", took)
		}
		if n := len(d.calls); n != 3 {
			t.Errorf("%d calls, want a last try when the time was over: %v", n, d.calls)
		}
	})
}

func TestNothingIsDoneWhereDiscordStaysSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: 10 * time.Second}
		ran := false
		s := newServer(then("running", func(context.Context, *interaction.Request) (interaction.Response, error) {
			ran = true
			return interaction.Update(say("done")), nil
		}), d)
		s.Serve(press())
		if ran {
			t.Error("it acted although Discord did not acknowledge")
		}
		if first := s.observed[0].First; first > 3*time.Second {
			t.Errorf("it tried for %v, which is past Discord's limit", first)
		}
	})
}

func TestDrainWaitsAndThenCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newServer(then("running", func(ctx context.Context, _ *interaction.Request) (interaction.Response, error) {
			<-ctx.Done()
			return interaction.Update(say("not confirmed")), nil
		}), d)
		served := make(chan struct{})
		go func() {
			s.Serve(press())
			close(served)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		s.Drain(ctx)
		<-served
		want := []call{{"update running", 0}, {"edit not confirmed", 20 * time.Second}}
		if !slices.Equal(d.calls, want) {
			t.Errorf("calls %v, want %v", d.calls, want)
		}

		for i := range 3 { // the program is stopping, and stays so
			s.Serve(numbered(command(), i))
		}
		if last := d.calls[len(d.calls)-1].what; last != "reply sorry" {
			t.Errorf("while stopping it answered %q", last)
		}
	})
}
