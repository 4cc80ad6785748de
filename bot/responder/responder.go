// Package responder sees to it that every interaction is answered in time and
// truthfully.
//
// It calls the handler that the router finds and sends what that returns. Where
// the handler is done soon, its response is the first thing that Discord hears;
// otherwise the interaction is deferred before Discord's three seconds are over
// and the response put in place later. Errors, panics, logging and figures are
// dealt with here, once, around all handlers.
package responder

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/singleflight"

	"hostbot/bot/actions"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// Discord is where answers go. Errors are *rest.Error.
type Discord interface {
	Respond(context.Context, rest.Callback, interaction.Response) error
	Defer(context.Context, rest.Callback, interaction.Form) error
	EditOriginal(context.Context, rest.Callback, interaction.Message) error
	EditFollowUp(ctx context.Context, to rest.Callback, messageID string, m interaction.Message) error
	FollowUp(context.Context, rest.Callback, interaction.Message) (messageID string, err error)
	// FindOriginal returns the text and the embeds of the first response. There is no error if there is one.
	FindOriginal(context.Context, rest.Callback) (interaction.Message, error)
}

// StaffLog is told what staff should know, before the caller is answered. Its
// methods return once that is recorded, within a fraction of a second.
type StaffLog interface {
	// Action is told with why the action failed; nil if it went well.
	Action(r *interaction.Request, a interaction.Action, failure error)
	Failure(*interaction.Request, error)
	Audit(*interaction.Request, interaction.Audit)
	// EventUnreadable is told why nobody can be answered.
	EventUnreadable(error)
	// InteractionStuck is told that an interaction does not end.
	InteractionStuck()
}

// Observation is what is measured of an interaction.
type Observation struct {
	Kind     interaction.Kind
	Route    string
	Outcome  string // "ok", "refused" (the caller's to mend), "failed", "unanswered", "elsewhere" (another process answers)
	Deferred bool
	Reason   string // why the caller was not answered, in a few words; empty otherwise
	// First is from when Discord sent the event to its word on the first response, as far as can be
	// told (clocks): no less than from the arrival of the event. It is 0 if nothing was sent.
	First time.Duration
}

// Config is what a Responder needs.
type Config struct {
	Discord Discord
	Router  *interaction.Router
	Explain func(*interaction.Request, error) interaction.Explanation
	// Interrupted says how an action ended whose process died. ShowsEnd reports whether a message shows how
	// an action ended.
	Interrupted func(*interaction.Request, interaction.Action) interaction.Response
	ShowsEnd    func(interaction.Message) bool
	// Begin has an interaction count as one that has acted, as actions.Actions does. It may be
	// nil.
	Begin   func(context.Context, *interaction.Request) (shared bool, err error)
	Staff   StaffLog
	Observe func(Observation)
	// OnBack is rest.Client's: customers who are yet to be told read at once when Discord answers
	// again. It may be nil.
	OnBack func(func()) (stop func())
	// ObserveAction is called with each action that has ended. It may be nil.
	ObserveAction func(interaction.Action)
	Log           zerolog.Logger
}

// How the time is used that Discord grants: 3 s for a first response, and 15 min for
// everything (https://discord.com/developers/docs/interactions/receiving-and-responding).
// Each but slowFirst and replayedAge counts from when the event arrived.
const (
	// answerBy is by when what is slow should be given up for less (Request.AnswerBy).
	answerBy = 1200 * time.Millisecond
	// deferAfter is how long a handler is awaited before the interaction is
	// deferred. It leaves room for the deferral to be sent again.
	deferAfter = 1500 * time.Millisecond
	// suggestBy is by when suggestions must be there, which cannot be deferred.
	suggestBy = 2 * time.Second
	// stepAside is how long a process that stops waits before it says so. The one
	// that replaces it may serve the customer meanwhile.
	stepAside = 2 * time.Second
	// slowFirst is how long after Discord sent the event a first response is one to look into.
	// Neither the hosting service nor Redis delays it for so long, as it is deferred before, but
	// for suggestions.
	slowFirst = 2 * time.Second
	// firstBy is by when Discord must have the first response.
	firstBy = 2900 * time.Millisecond
	// lifetime is how long a handler may go on.
	lifetime = 14*time.Minute + 30*time.Second
	// replayedAge is how old an event is taken to be that Discord sent while the
	// connection was lost. It leaves a moment before the interaction is deferred.
	replayedAge = 1400 * time.Millisecond
)

// Responder answers interactions. It is safe for concurrent use.
type Responder struct {
	cfg    Config
	ctx    context.Context // of all interactions
	cancel context.CancelFunc

	messages  messages
	admission *admission
	clocks    *clocks
	telling   singleflight.Group // of callers whose actions are reported, by token
}

// New returns a responder.
func New(cfg Config) *Responder {
	r := &Responder{cfg: cfg, messages: messages{held: make(map[string]*heldMessage)}, admission: newAdmission(), clocks: newClocks()}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Accept has an event served, and returns at once.
func (r *Responder) Accept(event *interaction.Event) { go r.Serve(event) }

// Serve answers one event and returns when all is said, which may take minutes. It never panics.
func (r *Responder) Serve(event *interaction.Event) {
	interaction.Try(func() { r.serve(event) }, func(p *interaction.PanicError) {
		r.cfg.Log.Error().Str("panic", p.Value).Bytes("stack", p.Stack).Str("interaction", event.ID).Msg("a panic")
	})
}

func (r *Responder) serve(event *interaction.Event) {
	req := &event.Request
	if event.Inline != nil {
		defer event.Inline.Leave()
	}
	if req.ReceivedAt.IsZero() {
		req.ReceivedAt = time.Now()
	}
	onTheWay, clocksKnown := r.clocks.onTheWay(req.ID, req.ReceivedAt)
	if event.Replayed { // it was on its way for as long as the connection was lost, which is no fault of this process
		req.ReceivedAt = req.ReceivedAt.Add(-replayedAge)
		onTheWay, clocksKnown = 0, false
	}
	req.AnswerBy = req.ReceivedAt.Add(answerBy)
	if !event.Answerable() {
		r.cfg.Log.Warn().Msg("an event cannot be answered")
		r.cfg.Staff.EventUnreadable(interaction.ErrIncomplete)
		r.observe(req, Observation{Kind: "none", Route: "none", Outcome: "unanswered"})
		return
	}
	leave, refusal := r.admission.enter(req.UserID)
	if leave != nil {
		defer leave()
	}
	if event.Inline != nil && errors.Is(refusal, interaction.ErrStopping) {
		event.Inline.Decline()
		r.observe(req, Observation{Kind: req.Kind, Route: "none", Outcome: "elsewhere"})
		return
	}
	if leave == nil {
		r.observe(req, Observation{Kind: req.Kind, Route: "none", Outcome: "unanswered"})
		return
	}
	message, release := r.messages.hold(req.Message)
	defer release()
	rep := &reply{
		responder: r, req: req, message: message, notServed: refusal != nil, replayed: event.Replayed,
		to:     rest.Callback{InteractionID: event.ID, ApplicationID: event.ApplicationID, Token: event.Token},
		inline: event.Inline, onTheWay: onTheWay, clocksKnown: clocksKnown,
	}
	handler := r.cfg.Router.Route(req)
	if refusal != nil {
		handler = refuse(refusal)
	}
	rep.run(handler)
}

// Report tells how an action ended whose process died: staff, if they do not know yet, and the caller, for
// as long as Discord lets us and unless the message shows an end. The actions of one interaction share a
// message, which is changed once for those that are reported at the same time. Discord is tried once, so
// that staff do not wait for it to read of others. After an error the caller may be told later.
func (r *Responder) Report(ctx context.Context, report actions.Report) error {
	req := &report.Request
	req.Running = &report.Action
	rep := &reply{
		responder: r, req: req, first: sent, begun: true, lock: report.Lock,
		to: rest.Callback{InteractionID: req.ID, ApplicationID: req.ApplicationID, Token: req.Token},
	}
	response := r.cfg.Interrupted(req, report.Action)
	if !report.Known {
		response = rep.result(response, nil)
	}
	if req.Token == "" {
		return nil
	}
	_, err, _ := r.telling.Do(req.Token.Reveal(), func() (any, error) { return nil, rep.editUnended(ctx, response.Message) })
	if err != nil {
		rep.logError(zerolog.InfoLevel, err).Msg("the caller could not be told of what was interrupted")
	}
	e, ok := errors.AsType[*rest.Error](err)
	if ok && (e.Temporary() || e.Code == rest.CodeUnknownWebhook && time.Since(req.ReceivedAt) < editPatience) { // see maxUnknown
		return err
	}
	return nil
}

// refuse returns what stands in for the handler of an interaction that is not served.
// Other processes may have it as well: one that stops leaves it to them for a while.
func refuse(why error) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		if errors.Is(why, interaction.ErrStopping) {
			<-time.After(time.Until(r.ReceivedAt.Add(stepAside)))
		}
		return interaction.Response{}, why
	}
}

// Stop serves no more interactions. Customers who come from now on are told that
// the program is stopping; over HTTP their interactions are declined, so that a proxy may
// ask another process.
func (r *Responder) Stop() { r.admission.stop() }

// Drain stops, and waits for the interactions that are being served. Once ctx is
// done it cancels them, and they have lastLimit and a second to say how far they came. An
// interaction that does not end by then is left behind.
func (r *Responder) Drain(ctx context.Context) {
	r.Stop()
	if wait(ctx, r.admission.served, maxServed) == nil {
		return
	}
	r.cancel()
	last, cancel := context.WithTimeout(context.Background(), lastLimit+time.Second)
	defer cancel()
	if wait(last, r.admission.served, maxServed) != nil {
		r.cfg.Log.Error().Msg("an interaction does not end and is left behind")
		r.cfg.Staff.InteractionStuck()
	}
}

// Close waits, after Drain and when no more interactions come, until everybody
// has been told, or until ctx is done.
func (r *Responder) Close(ctx context.Context) {
	_ = wait(ctx, r.admission.refused, maxRefused) // those who are not told by then will not be
	r.cancel()
}
