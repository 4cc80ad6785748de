// Package responder answers every interaction in time and truthfully.
//
// It calls the handler that the router finds, and sends the handler's response. If the handler is slow, it defers
// the interaction within Discord's three seconds and replaces the deferral later. Errors, panics, logging and
// metrics of all handlers are handled here.
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
	// FindOriginal returns the text and the embeds of the first response, or an error if there is none.
	FindOriginal(context.Context, rest.Callback) (interaction.Message, error)
}

// StaffLog logs for staff, before the caller is answered. Its methods return once the entry is saved, within a
// fraction of a second.
type StaffLog interface {
	// Action logs the outcome of an action. failure is nil if it succeeded.
	Action(r *interaction.Request, a interaction.Action, failure error)
	Failure(*interaction.Request, error)
	Audit(*interaction.Request, interaction.Audit)
	// EventUnreadable logs an event that cannot be answered.
	EventUnreadable(error)
	// InteractionStuck logs that an interaction does not end.
	InteractionStuck()
}

// Observation is what is measured of an interaction.
type Observation struct {
	Kind     interaction.Kind
	Route    string
	Outcome  string // "ok", "refused" (the caller's mistake), "failed", "unanswered", "elsewhere" (another process answers)
	Deferred bool
	Reason   string // why the caller was not answered, in a few words; empty otherwise
	// First is how long after sending the event Discord answered the first response, as far as clocks can
	// estimate; at least since the event's arrival. It is 0 if nothing was sent.
	First time.Duration
}

// Config is what a Responder needs.
type Config struct {
	Discord Discord
	Router  *interaction.Router
	Explain func(*interaction.Request, error) interaction.Explanation
	// Interrupted returns the response for an action whose process died. ShowsEnd reports whether a message shows
	// the outcome of an action.
	Interrupted func(*interaction.Request, interaction.Action) interaction.Response
	ShowsEnd    func(interaction.Message) bool
	// Begin is actions.Actions.Begin. It may be nil.
	Begin   func(context.Context, *interaction.Request) (shared bool, err error)
	Staff   StaffLog
	Observe func(Observation)
	// OnBack is rest.Client.OnBack: later responses are then sent at once after an outage. It may be nil.
	OnBack func(func()) (stop func())
	// ObserveAction is called with each action that has ended. It may be nil.
	ObserveAction func(interaction.Action)
	Log           zerolog.Logger
}

// Discord grants 3 s for a first response, and 15 min in all
// (https://discord.com/developers/docs/interactions/receiving-and-responding). Times count from the event's
// arrival.
const (
	// answerBy is when a handler should make do with what it has (Request.AnswerBy).
	answerBy = 1200 * time.Millisecond
	// deferAfter is when the interaction is deferred. It leaves time to send the deferral again.
	deferAfter = 1500 * time.Millisecond
	// suggestBy is when suggestions must be ready, as they cannot be deferred.
	suggestBy = 2 * time.Second
	// stepAside is how long a stopping process waits before it refuses an interaction. The process that replaces
	// it may answer first.
	stepAside = 2 * time.Second
	// slowFirst is how long after Discord sent the event a first response is logged as slow. As slow handlers are
	// deferred, only suggestions are that late because of the hosting service or Redis.
	slowFirst = 2 * time.Second
	// firstBy is when Discord must have the first response.
	firstBy = 2900 * time.Millisecond
	// lifetime is how long a handler may run.
	lifetime = 14*time.Minute + 30*time.Second
	// replayedAge is the assumed age of a replayed event. It leaves a moment before the deferral.
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
	reports   singleflight.Group // edits of messages by Report, by token
}

// New returns a responder.
func New(cfg Config) *Responder {
	r := &Responder{cfg: cfg, messages: messages{tracked: make(map[string]*trackedMessage)}, admission: newAdmission(), clocks: newClocks()}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Accept serves an event in a goroutine of its own.
func (r *Responder) Accept(event *interaction.Event) { go r.Serve(event) }

// Serve serves one event. It may take minutes, and never panics.
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
	if event.Replayed { // the delay is the lost connection's, and not this process's fault
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
	message, release := r.messages.track(req.Message)
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

// Report reports an action whose process died. It logs the outcome for staff unless report.Known is set. Then it
// edits the caller's message, while the token is valid, and unless the message shows an outcome. The actions of
// one interaction share a message; concurrent reports edit it once. Discord is tried once, so that staff's entries
// do not wait for it. After an error the caller may be answered by another call.
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
	_, err, _ := r.reports.Do(req.Token.Reveal(), func() (any, error) { return nil, rep.editUnended(ctx, response.Message) })
	if err != nil {
		rep.logError(zerolog.InfoLevel, err).Msg("the caller could not be told of what was interrupted")
	}
	if rest.IsTemporary(err) || rest.CodeOf(err) == rest.CodeUnknownWebhook && time.Since(req.ReceivedAt) < editPatience { // see maxUnknown
		return err
	}
	return nil
}

// Perform carries out an action for which the program asks by itself (interaction.Program), as if it were pressed. It reports whether
// begin has promised such work, and returns once that has begun. The outcome is logged for staff; then it calls after.
func (r *Responder) Perform(req *interaction.Request, begin interaction.Handler, after func()) (begun bool, err error) {
	leave, err := r.admission.enter(req.UserID)
	if leave == nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, lifetime)
	rep := &reply{responder: r, req: req, first: sent, begun: true}
	end := func() {
		rep.unlock()
		cancel()
		leave()
	}
	var response interaction.Response
	if err == nil {
		response, err = rep.guarded(func() (interaction.Response, error) { return begin(ctx, req) })
	}
	if err != nil || response.Then == nil {
		end()
		return false, err
	}
	rep.keep(response)
	interaction.Go(func() {
		defer end()
		rep.runThen(ctx, response)
		after()
	}, func(p *interaction.PanicError) {
		rep.log(zerolog.ErrorLevel).Str("panic", p.Value).Bytes("stack", p.Stack).Msg("a panic")
	})
	return true, nil
}

// refuse returns the handler of an interaction that is not served. Other processes may have it as well, so a
// stopping process first leaves it to them for a while.
func refuse(why error) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		if errors.Is(why, interaction.ErrStopping) {
			<-time.After(time.Until(r.ReceivedAt.Add(stepAside)))
		}
		return interaction.Response{}, why
	}
}

// Stop refuses all further interactions: users read that the program is stopping. Over HTTP they are declined, so
// that a proxy may ask another process.
func (r *Responder) Stop() { r.admission.stop() }

// Drain calls Stop and waits for the interactions that are being served. When ctx is done, it cancels them; they
// have lastLimit and a second to answer how far they came. An interaction that does not end by then is left
// running.
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

// Close is called after Drain, when no more interactions arrive. It waits until all refusals are sent, or ctx is
// done.
func (r *Responder) Close(ctx context.Context) {
	_ = wait(ctx, r.admission.refused, maxRefused) // the rest is not answered
	r.cancel()
}
