package responder_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
	"github.com/valyala/fastjson"
	"go.uber.org/goleak"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/responder"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is something that was sent to Discord, and when after the event.
type call struct {
	what string
	at   time.Duration
}

// discord notes what is sent when it answers, and answers each kind of call as it
// is told, then with success. The first calls take as long as waits say, all others
// as latency says.
type discord struct {
	mu       sync.Mutex
	started  time.Time
	calls    []call
	errs     map[string][]error // by kind of call
	waits    []time.Duration
	original error  // why the first response cannot be looked at
	shown    string // by the first response
	latency  time.Duration
	first    string // of each first response that was sent: "p" over a connection of the pool, or "n" over a new one
}

func (d *discord) send(ctx context.Context, kind, text string) error {
	d.mu.Lock()
	latency := d.latency
	if len(d.waits) > 0 {
		latency, d.waits = d.waits[0], d.waits[1:]
	}
	d.mu.Unlock()
	select {
	case <-ctx.Done():
		return &rest.Error{Message: "timeout", Uncertain: true}
	case <-time.After(latency):
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

// count returns how many calls of a kind were answered.
func (d *discord) count(what string) int {
	n := 0
	for _, c := range d.sent() {
		if c.what == what {
			n++
		}
	}
	return n
}

func (d *discord) Respond(ctx context.Context, to rest.Callback, r interaction.Response) error {
	over := "p"
	if to.NewConnection {
		over = "n"
	}
	d.mu.Lock()
	d.first += over
	d.mu.Unlock()
	if r.Form == interaction.FormOpen {
		return d.send(ctx, "modal", " "+r.Modal.CustomID)
	}
	return d.send(ctx, map[interaction.Form]string{
		interaction.FormReply: "reply", interaction.FormUpdate: "update", interaction.FormSuggest: "suggest", interaction.FormKeep: "keep",
	}[r.Form], " "+r.Message.Content)
}

func (d *discord) Defer(ctx context.Context, _ rest.Callback, f interaction.Form) error {
	return d.send(ctx, map[interaction.Form]string{interaction.FormReply: "defer", interaction.FormUpdate: "defer update", interaction.FormKeep: "reset"}[f], "")
}

func (d *discord) EditOriginal(ctx context.Context, _ rest.Callback, m interaction.Message) error {
	return d.send(ctx, "edit", " "+m.Content)
}

func (d *discord) FollowUp(ctx context.Context, _ rest.Callback, m interaction.Message) (string, error) {
	return "further", d.send(ctx, "follow up", " "+m.Content)
}

func (d *discord) EditFollowUp(ctx context.Context, _ rest.Callback, messageID string, m interaction.Message) error {
	return d.send(ctx, "edit "+messageID, " "+m.Content)
}

func (d *discord) FindOriginal(context.Context, rest.Callback) (interaction.Message, error) {
	return say(d.shown), d.original
}

// showsEnd reports whether a message shows how an action ended.
func showsEnd(m interaction.Message) bool { return m.Content == "done" }

// lock notes what becomes of an action.
type lock struct {
	discord *discord
	action  string
	alone   bool // other processes may act as well
}

func (l lock) Shared() bool { return !l.alone }
func (l lock) Logged()      { l.discord.note("told " + l.action) }
func (l lock) Close()       { l.discord.note("close " + l.action) }

func (d *discord) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, call{what, time.Since(d.started)})
}

func interrupted(_ *interaction.Request, a interaction.Action) interaction.Response {
	return interaction.Response{Form: interaction.FormUpdate, Message: say("perhaps"), Action: &a, Failure: interaction.ErrInterrupted}
}

// staffLog notes what staff are told.
type staffLog struct {
	mu       sync.Mutex
	entries  []string
	failures []error
}

func (l *staffLog) add(entry string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

func (l *staffLog) Action(_ *interaction.Request, a interaction.Action, _ error) {
	l.add("action " + a.Name)
}
func (l *staffLog) Audit(_ *interaction.Request, a interaction.Audit) { l.add("audit " + a.Detail) }
func (l *staffLog) Failure(_ *interaction.Request, err error) {
	l.add("failure " + err.Error())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, err)
}
func (l *staffLog) EventUnreadable(err error) { l.add("unreadable " + err.Error()) }
func (l *staffLog) InteractionStuck()         { l.add("stuck") }

var errRefused = errors.New("refused")

// errUnspeakable cannot be explained.
var errUnspeakable = errors.New("unspeakable")

// explain says an error as it is; only errRefused is the caller's to mend.
func explain(_ *interaction.Request, err error) interaction.Explanation {
	if errors.Is(err, errUnspeakable) {
		panic(err)
	}
	text := "sorry"
	var unshown *interaction.UnshownError
	switch {
	case errors.As(err, &unshown):
		text = string(unshown.Action.Outcome) + ", in short"
	case errors.Is(err, interaction.ErrOutcomeUnknown):
		text = "perhaps"
	case errors.Is(err, interaction.ErrBlocked):
		text = "blocked"
	case errors.Is(err, interaction.ErrNotBegun):
		text = "not begun"
	}
	return interaction.Explanation{Message: say(text), Fault: !errors.Is(err, errRefused)}
}

func say(text string) interaction.Message { return interaction.Message{Content: text} }

func reply(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Reply(say(text)), nil
	}
}

// renewed answers with what is old, and a second later with what is new.
func renewed(old, latest string) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		response := interaction.Reply(say(old))
		response.Then = &interaction.Work{Does: interaction.Redraw{}, Run: func(ctx context.Context) (interaction.Response, error) {
			return slow(time.Second, reply(latest))(ctx, r)
		}}
		return response, nil
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

// change is work that changes something.
func change(run func(context.Context) (interaction.Response, error)) *interaction.Work {
	return &interaction.Work{Does: interaction.Change{}, Run: run}
}

// then acts after the first response.
func then(first string, next interaction.Handler) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		response := interaction.Update(say(first))
		response.Then = change(func(ctx context.Context) (interaction.Response, error) { return next(ctx, r) })
		return response, nil
	}
}

// deferring acts once Discord has taken that an answer will follow.
func deferring(next interaction.Handler) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		return interaction.Defer("the page", func(ctx context.Context) (interaction.Response, error) { return next(ctx, r) }), nil
	}
}

func updated(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		r := interaction.Update(say(text))
		r.Subject = "the page"
		return r, nil
	}
}

func acted(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		response := interaction.Update(say(text))
		response.Action = &interaction.Action{Name: "restart", Outcome: interaction.Done}
		return response, nil
	}
}

// refusing ends an action as one does whose form the hosting service has refused, in these words.
func refusing(words string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		response := interaction.Update(say("not accepted"))
		response.Action = &interaction.Action{Name: "create", Outcome: interaction.Refused}
		response.Failure = errors.New(words)
		return response, nil
	}
}

func failing(err error) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Response{}, err
	}
}

// aside is the custom ID of what is answered with a message of its own.
const aside = interaction.ReplyPrefix + "do"

const interactionToken = "token-of-the-test"

// event reads an event as Discord sends it.
func event(kind discordgo.InteractionType, rest string) *interaction.Event {
	return interaction.ReadEvent(fastjson.MustParse(fmt.Sprintf(
		`{"id":"1","application_id":"2","token":%q,"type":%d,"user":{"id":"3"},%s}`, interactionToken, kind, rest)))
}

func command() *interaction.Event {
	return event(discordgo.InteractionApplicationCommand, `"data":{"name":"do"}`)
}

func press() *interaction.Event {
	return event(discordgo.InteractionMessageComponent, `"message":{"id":"4"},"data":{"custom_id":"do"}`)
}

// choose is the use of a menu: one whose message may be changed, or is to stay.
func choose(customID string) *interaction.Event {
	return event(discordgo.InteractionMessageComponent, `"message":{"id":"4"},"data":{"custom_id":"`+customID+`","values":["a"]}`)
}

func typing() *interaction.Event {
	return event(discordgo.InteractionApplicationCommandAutocomplete,
		`"data":{"name":"do","options":[{"name":"bot","type":3,"value":"s","focused":true}]}`)
}

// numbered gives an event an ID of its own.
func numbered(event *interaction.Event, n int) *interaction.Event {
	inMessage := event.InMessage()
	event.ID = fmt.Sprint(100 + n)
	if !inMessage {
		event.Message = event.ID
	}
	return event
}

// of returns an event of a certain user.
func of(user int, event *interaction.Event) *interaction.Event {
	event.UserID = strconv.Itoa(user)
	return event
}

// server is a Server around one handler for everything, with what it tells.
type server struct {
	*responder.Responder
	discord *discord
	staff   *staffLog
	log     bytes.Buffer

	mu       sync.Mutex
	observed []responder.Observation
}

func (s *server) observe(o responder.Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observed = append(s.observed, o)
}

func newResponder(h interaction.Handler, d *discord) *server {
	router := interaction.NewRouter()
	routes := router.Group(interaction.Everybody)
	routes.Command("do", h)
	routes.Component("do", h)
	routes.Component(aside, h)
	routes.Autocomplete("do", "bot", h)
	s := &server{discord: d, staff: &staffLog{}}
	d.started = time.Now()
	s.Responder = responder.New(responder.Config{
		Discord: d, Router: router, Explain: explain, Staff: s.staff, Log: zerolog.New(zerolog.SyncWriter(&s.log)),
		Observe: s.observe, Interrupted: interrupted, ShowsEnd: showsEnd,
	})
	return s
}

var (
	unavailable = &rest.Error{Status: 503, Uncertain: true}
	tooLate     = &rest.Error{Status: 404, Code: 10062}
	answered    = &rest.Error{Status: 400, Code: rest.CodeAlreadyAcknowledged}
	malformed   = &rest.Error{Status: 400, Code: rest.CodeInvalidForm}
	moderated   = &rest.Error{Status: 400, Code: 200000, Message: "Message was blocked by automatic moderation"}
	unknown     = &rest.Error{Status: 404, Code: rest.CodeUnknownWebhook}
)
