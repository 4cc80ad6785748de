package responder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// reply is the answering of one interaction.
type reply struct {
	responder *Responder
	req       *interaction.Request
	to        rest.Callback
	inline    interaction.Inline // takes the first response, if not nil
	message   *trackedMessage    // the request's
	before    shown              // what the message showed before this reply changed it
	notServed bool               // the interaction is refused
	replayed  bool               // see interaction.Event
	// onTheWay is how long the interaction took to arrive, if clocksKnown is set.
	onTheWay    time.Duration
	clocksKnown bool

	first    firstResponse
	deferral bool   // the first response is a deferral, or was meant to be one
	beside   string // the ID of the answer beside the message with the component, or ""
	// unheard says that a try to send the first response had no answer.
	unheard   atomic.Bool
	firstTook time.Duration      // from the arrival until Discord answered the first response
	begun     bool               // promised work has begun
	lock      interaction.Lock   // of the latest action, or nil
	together  []interaction.Lock // of the actions of a Batch
	outcome   string
	reason    string // why the caller was not answered
}

// log begins a line of the process log with the fields that identify the interaction.
func (rep *reply) log(level zerolog.Level) *zerolog.Event {
	return rep.responder.cfg.Log.WithLevel(level).
		Str("interaction", rep.req.ID).Str("reference", rep.req.Reference).Str("route", rep.req.Route).Str("user", rep.req.UserID)
}

// logError is log with an error.
func (rep *reply) logError(level zerolog.Level, err error) *zerolog.Event {
	return rep.log(level).Err(untyped(rep.req, err))
}

// run answers the interaction and reports the measurements.
func (rep *reply) run(h interaction.Handler) {
	by := lifetime
	if rep.req.Kind == interaction.Autocomplete { // Discord takes no second response
		by = suggestBy
	}
	ctx, cancel := context.WithDeadline(rep.responder.ctx, rep.req.ReceivedAt.Add(by))
	defer cancel()
	rep.outcome = "ok"
	_, err := rep.guarded(func() (interaction.Response, error) {
		rep.answer(ctx, h)
		return interaction.Response{}, nil
	})
	if err != nil { // answer handles a handler's panic, so this one is the responder's own
		rep.outcome = "unanswered"
		rep.responder.cfg.Staff.Failure(rep.req, err)
	}
	first := rep.firstTook
	if first > 0 {
		first += rep.onTheWay
	}
	if first >= slowFirst && rep.first.taken() && !rep.notServed && !rep.replayed { // these may be late
		rep.log(zerolog.WarnLevel).Bool("deferred", rep.deferral).Dur("took_ms", first).Dur("waited_ms", rep.onTheWay).Msg("a first response was slow")
	}
	rep.responder.observe(rep.req, Observation{Kind: rep.req.Kind, Route: rep.req.Route, Outcome: rep.outcome, Deferred: rep.deferral, Reason: rep.reason, First: first})
}

// answer calls the handler, sends its response, and then does promised work.
func (rep *reply) answer(ctx context.Context, h interaction.Handler) {
	endDeferral := rep.deferLater(ctx)
	response, err := rep.guarded(func() (interaction.Response, error) { return h(ctx, rep.req) })
	if err == nil {
		rep.keep(response)
	}
	defer rep.unlock()
	refusal := endDeferral()        // Discord's, of the deferral
	tooSlow := rep.first != notSent // the interaction has been deferred
	if errors.Is(err, interaction.ErrHandledElsewhere) && (!tooSlow || refusal != nil) {
		rep.outcome = "elsewhere" // the other process answers the caller
		rep.log(zerolog.InfoLevel).Msg("the interaction is answered elsewhere")
		return
	}
	response = rep.result(response, err)
	// A new message in answer to a component leaves the component's message as it is.
	if response.Form == interaction.FormUpdate || response.Form == interaction.FormDefer || !rep.req.InMessage() {
		rep.change(response)
	}
	err = refusal
	// Before a new message in answer to a menu its message is updated, so that the same can be chosen again.
	follows := tooSlow || response.Form == interaction.FormReply && rep.req.OfMenu()
	switch {
	case tooSlow:
	case response.Form == interaction.FormDefer:
		err = rep.deferNow(ctx)
	case follows:
		if err = rep.deferNow(ctx); rep.first == unknown && !response.Changes() {
			err = nil // the answer itself will show whether Discord has taken the update
		}
	default:
		response, err = rep.orExplained(response, func(r interaction.Response) error { return rep.respond(ctx, r) })
	}
	if err == nil {
		perhapsOthers := rep.first == unknown
		rep.first = rep.sentAs()
		shared, duplicate := rep.begin(ctx, response)
		if duplicate {
			rep.outcome = "elsewhere"
			rep.log(zerolog.InfoLevel).Msg("the interaction is carried out elsewhere")
			return
		}
		if perhapsOthers && !shared {
			response, follows = rep.explained(unsure(response)), true
		}
	}
	if err == nil && follows {
		response, err = rep.replace(ctx, response)
	}
	if err == nil {
		response, err = rep.work(ctx, response)
	}
	if err != nil {
		rep.unanswered(ctx, err, response)
	}
}

// work does promised work as long as responses promise more, and shows each response in place of the one before.
// It returns the last response, with why it could not be shown.
func (rep *reply) work(ctx context.Context, response interaction.Response) (last interaction.Response, err error) {
	for err == nil && response.Then != nil {
		rep.begun = true
		before := response
		response = rep.runThen(ctx, response)
		rep.keep(response)
		if !rep.mayChange(before, response) {
			if response.Then != nil { // its result will say both
				continue
			}
			return response, rep.followUp(ctx, response)
		}
		if rep.acted(response) || response.Form == interaction.FormUpdate {
			rep.change(response)
		}
		if isPassing(response) {
			rep.pass(ctx, response)
			continue
		}
		response, err = rep.replace(ctx, response)
	}
	return response, err
}

// keep keeps the locks of the actions that a response starts, for unlock. The lock of an earlier action that has
// ended is closed.
func (rep *reply) keep(r interaction.Response) {
	for _, e := range r.Ended {
		rep.keepLock(e.Lock)
	}
	if r.Then == nil {
		return
	}
	switch does := r.Then.Does.(type) {
	case interaction.Batch:
		for _, lock := range does.Locks {
			rep.keepLock(lock)
		}
	case interaction.Act:
		rep.unlock() // the outcome of the earlier action is logged
		rep.req.Running, rep.lock = does.Action, does.Lock
	}
}

// keepLock keeps the lock of an action of a Batch.
func (rep *reply) keepLock(lock interaction.Lock) {
	if lock != nil && !slices.Contains(rep.together, lock) {
		rep.together = append(rep.together, lock)
	}
}

// begin makes the interaction count as one that has acted, before its work changes something: the event may come
// to several processes, and again after one has died. The lock of an action has done so already. shared reports
// whether no other process can act, and duplicate whether one does or did.
func (rep *reply) begin(ctx context.Context, r interaction.Response) (shared, duplicate bool) {
	if r.Then == nil || rep.responder.cfg.Begin == nil {
		return !alone(r), false
	}
	switch r.Then.Does.(type) {
	case interaction.Act, interaction.Redraw:
		return !alone(r), false
	}
	shared, err := rep.responder.cfg.Begin(ctx, rep.req)
	return shared, errors.Is(err, actions.ErrDuplicate)
}

// alone reports whether a response's lock is this process's only, so that another process may act for the same
// interaction. Its work runs only if Discord has certainly taken this process's response.
func alone(r interaction.Response) bool {
	lock := r.Act().Lock
	return lock != nil && !lock.Shared()
}

// unsure returns the error that another process may carry an action out, and this one does not.
func unsure(r interaction.Response) error {
	starts := r.Act().Action
	if starts == nil {
		return interaction.ErrUnacknowledged
	}
	a := *starts
	a.Outcome = interaction.Unconfirmed
	return &interaction.UnshownError{Action: a, Cause: interaction.ErrUnacknowledged}
}

func (rep *reply) unlock() {
	if rep.lock != nil {
		rep.lock.Close()
	}
	for _, lock := range rep.together {
		lock.Close()
	}
}

// followUp sends the result of work whose message shows something else by now. The outcome of an action gets a
// message of its own; anything else is dropped.
func (rep *reply) followUp(ctx context.Context, r interaction.Response) error {
	if !rep.acted(r) {
		return nil
	}
	_, err := rep.orExplained(r, func(r interaction.Response) error { return rep.sendFollowUp(ctx, r.Message) })
	return err
}

// guarded calls a function and turns a panic into an error.
func (rep *reply) guarded(handle func() (interaction.Response, error)) (response interaction.Response, err error) {
	err = interaction.Guard(func() (err error) {
		response, err = handle()
		return err
	})
	if p, ok := errors.AsType[*interaction.PanicError](err); ok { // in the function, or beside it
		value := withoutTyped(rep.req, p.Value)
		rep.log(zerolog.ErrorLevel).Str("panic", value).Bytes("stack", p.Stack).Msg("a panic")
		err = fmt.Errorf("%w: %s", interaction.ErrPanic, value)
	}
	return response, err
}

// runThen runs the work that a response promised. After a panic the outcome is not known.
func (rep *reply) runThen(ctx context.Context, r interaction.Response) interaction.Response {
	r, err := rep.guarded(func() (interaction.Response, error) { return r.Then.Run(ctx) })
	if errors.Is(err, interaction.ErrPanic) {
		err = fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, err)
	}
	return rep.result(r, err)
}

// result returns the response to send for what a handler returned, and logs for staff.
func (rep *reply) result(r interaction.Response, err error) interaction.Response {
	if r.Audit != nil {
		line := rep.log(zerolog.InfoLevel).Bool("refused", r.Audit.Refused).Str("customer", rep.req.CustomerID)
		if rep.req.Kind != interaction.Command { // typed text goes to staff's channel only
			line = line.Str("detail", r.Audit.Detail)
		}
		line.Msg("staff command")
		rep.responder.cfg.Staff.Audit(rep.req, *r.Audit)
	}
	if err == nil && r.Form == 0 {
		err = interaction.ErrNoResponse
	}
	if err != nil {
		return rep.explained(err)
	}
	if r.Action != nil && r.Action.Outcome == interaction.Refused {
		rep.outcome = "refused"
		rep.log(zerolog.InfoLevel).Msg("what was entered was refused") // without the service's words: they may repeat it
	} else if r.Failure != nil {
		rep.failed("failed", r.Failure)
	}
	if r.Action != nil {
		rep.logOutcome(interaction.Ended{Request: rep.req, Action: *r.Action, Failure: r.Failure, Lock: rep.lock})
	}
	for _, e := range r.Ended {
		if e.Failure != nil {
			rep.outcome = "failed"
			rep.logError(zerolog.ErrorLevel, e.Failure).Str("bot", e.Action.BotID).Msg("an interaction failed")
			rep.responder.cfg.Staff.Failure(e.Request, untyped(e.Request, e.Failure))
		}
		rep.logOutcome(e)
	}
	return r
}

// explained returns the response to an error, and logs it for staff if it is a fault.
func (rep *reply) explained(err error) interaction.Response {
	explanation := rep.responder.cfg.Explain(rep.req, err)
	if explanation.Fault {
		rep.failed("failed", err)
	} else {
		rep.outcome = "refused"
		rep.logError(zerolog.InfoLevel, err).Msg("an interaction was refused")
	}
	if rep.req.Kind == interaction.Autocomplete {
		return interaction.Suggest(nil)
	}
	return interaction.Reply(explanation.Message)
}

// failed logs a failure, also for staff.
func (rep *reply) failed(outcome string, err error) {
	rep.outcome = outcome
	if rep.req.Kind == interaction.Autocomplete { // staff would read of each key press
		rep.logError(zerolog.WarnLevel, err).Msg("nothing can be suggested")
		return
	}
	rep.logError(zerolog.ErrorLevel, err).Msg("an interaction failed")
	rep.responder.cfg.Staff.Failure(rep.req, untyped(rep.req, err))
}
