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
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

// Discord is where answers go. Errors are *rest.Error.
type Discord interface {
	Respond(context.Context, rest.Callback, interaction.Response) error
	Defer(context.Context, rest.Callback, interaction.Form) error
	EditOriginal(context.Context, rest.Callback, interaction.Message) error
	FollowUp(context.Context, rest.Callback, interaction.Message) error
}

// StaffLog is told what staff should know, before the caller is answered. Its
// methods return once that is recorded, within a fraction of a second.
type StaffLog interface {
	Action(*interaction.Request, interaction.Action)
	// Failure is told what failed, and whether staff were told the same before.
	Failure(r *interaction.Request, err error, alreadyReported bool)
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
	Outcome  string // "ok", "refused" (the caller's to mend), "failed", "unanswered", "elsewhere"
	Deferred bool
	First    time.Duration // from the event to Discord's word on the first response
	Total    time.Duration // until everything was said and done
}

// Config is what a Responder needs.
type Config struct {
	Discord Discord
	Router  *interaction.Router
	Explain func(*interaction.Request, error) interaction.Explanation
	Staff   StaffLog
	Observe func(Observation)
	Log     zerolog.Logger
	Timing  Timing
}

// Timing is how the time that Discord grants is used, each counted from when
// Discord sent the event first. DefaultTiming is for Discord; tests may be less
// patient.
type Timing struct {
	Patience time.Duration // Request.AnswerBy: by when what is slow should be given up for less
	Direct   time.Duration // wait for the handler before deferring
	Suggest  time.Duration // by when suggestions must be there, which cannot be deferred
	First    time.Duration // by when Discord must have the first response
	Lifetime time.Duration // by when everything must have been said
}

// DefaultTiming leaves room within Discord's 3 s for a first response to be
// sent again, and ends before the token does after 15 min.
func DefaultTiming() Timing {
	return Timing{
		Patience: 1200 * time.Millisecond, Direct: 1500 * time.Millisecond, Suggest: 2 * time.Second,
		First: 2900 * time.Millisecond, Lifetime: 14*time.Minute + 30*time.Second,
	}
}

// Responder answers interactions. It is safe for concurrent use.
type Responder struct {
	cfg    Config
	ctx    context.Context // of all interactions
	cancel context.CancelFunc

	lateness  lateness
	versions  versions
	seen      dedup
	admission *admission
	workers   workers
}

// New returns a responder.
func New(cfg Config) *Responder {
	ctx, cancel := context.WithCancel(context.Background())
	return &Responder{
		cfg: cfg, ctx: ctx, cancel: cancel,
		versions: versions{messages: make(map[string]*messageVersion)}, admission: newAdmission(), workers: newWorkers(),
	}
}

// Serve answers one event of the gateway and returns when all is said, which
// may take minutes. It never panics.
func (r *Responder) Serve(event *interaction.Event) {
	received := time.Now()
	received = received.Add(-r.lateness.of(event.ID, received)) // Discord's clock runs since then
	req, err := interaction.Parse(event, received)
	if req == nil {
		r.cfg.Log.Warn().Err(err).Msg("an event cannot be answered")
		r.cfg.Staff.EventUnreadable(err)
		r.cfg.Observe(Observation{Kind: "none", Route: "none", Outcome: "unanswered"})
		return
	}
	if !r.seen.first(req.ID, received) {
		r.cfg.Log.Info().Str("interaction", req.ID).Msg("an interaction was delivered again")
		return
	}
	ticket := r.admission.enter(req.UserID)
	if ticket == nil {
		r.cfg.Observe(Observation{Kind: req.Kind, Route: "none", Outcome: "unanswered"})
		return
	}
	defer ticket.leave()
	req.AnswerBy = received.Add(r.cfg.Timing.Patience)

	handler := r.cfg.Router.Route(req)
	if err != nil {
		handler = failing(err)
	}
	if ticket.refusal != nil {
		handler = steppingAside(ticket.refusal)
	}

	ctx, cancel := context.WithDeadline(r.ctx, received.Add(r.lifetime(req)))
	defer cancel()
	x := exchange{
		responder: r,
		req:       req,
		ticket:    ticket,
		to:        rest.Callback{InteractionID: event.ID, ApplicationID: event.ApplicationID, Token: event.Token},
	}
	defer r.versions.hold(req.Message)()
	defer func() {
		if p := recover(); p != nil { // a handler's has been dealt with, so this is the server's own
			x.log(zerolog.ErrorLevel).Str("panic", fmt.Sprint(p)).Bytes("stack", debug.Stack()).Msg("an interaction was dropped")
			r.cfg.Staff.Failure(req, fmt.Errorf("%w: %v", interaction.ErrPanic, p), false)
		}
	}()
	x.run(ctx, handler)
	x.observe()
}

// lifetime is how long a handler may go on. It is short where Discord takes no
// second response.
func (r *Responder) lifetime(req *interaction.Request) time.Duration {
	if req.Kind == interaction.Autocomplete {
		return r.cfg.Timing.Suggest
	}
	return r.cfg.Timing.Lifetime
}

// failing stands in for a handler that is not to be called.
func failing(err error) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Response{}, err
	}
}

// stepAside is how long this process waits before it refuses an interaction.
// Another process that runs beside it, or replaces it, may serve the customer
// meanwhile.
const stepAside = 2 * time.Second

// steppingAside refuses an interaction in the place of its handler.
func steppingAside(refusal error) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		<-time.After(time.Until(r.ReceivedAt.Add(stepAside)))
		return interaction.Response{}, refusal
	}
}

// Stop serves no more interactions. Customers who come from now on are told that
// the program is stopping.
func (r *Responder) Stop() { r.admission.stop() }

// Drain stops, and waits for the interactions that are being served. Once ctx is
// done it cancels them, and they have lastLimit to say how far they came. An
// interaction that does not end by then is left behind.
func (r *Responder) Drain(ctx context.Context) {
	r.Stop()
	if r.admission.wait(ctx, false) == nil {
		return
	}
	r.cancel()
	last, cancel := context.WithTimeout(context.Background(), lastLimit+time.Second)
	defer cancel()
	if r.admission.wait(last, false) != nil {
		r.cfg.Log.Error().Msg("an interaction does not end and is left behind")
		r.cfg.Staff.InteractionStuck()
	}
}

// Close waits, after Drain and when no more interactions come, until everybody
// has been told, or until ctx is done.
func (r *Responder) Close(ctx context.Context) {
	_ = r.admission.wait(ctx, true) // whoever is not told by then will not be
	r.cancel()
}
