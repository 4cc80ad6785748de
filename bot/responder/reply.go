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
	inline    interaction.Inline // what may take the first response; nil for nothing
	message   *heldMessage       // that the request is about
	before    shown              // what the message showed before this reply changed it
	notServed bool               // the interaction is not served, and told so
	replayed  bool               // by Discord, after the connection was lost
	// onTheWay is for how long the interaction was before it arrived, if clocksKnown is set.
	onTheWay    time.Duration
	clocksKnown bool

	first    firstResponse // what Discord has of it
	deferral bool          // the first response is a deferral, or was to be one
	beside   string        // the ID of the answer beside the message that the caller is in; "" if there is none
	// unheard says that a try to send the first response has had no answer.
	unheard   atomic.Bool
	firstTook time.Duration    // since the arrival, until Discord's word on the first response
	begun     bool             // the work that a response promised has
	lock      interaction.Lock // of the latest action; nil if there was none
	together  []interaction.Lock
	outcome   string
	reason    string // why the caller was not answered
}

// log begins a line of the process log that tells which interaction it is about.
func (rep *reply) log(level zerolog.Level) *zerolog.Event {
	return rep.responder.cfg.Log.WithLevel(level).
		Str("interaction", rep.req.ID).Str("reference", rep.req.Reference).Str("route", rep.req.Route).Str("user", rep.req.UserID)
}

// logError is log, with an error.
func (rep *reply) logError(level zerolog.Level, err error) *zerolog.Event {
	return rep.log(level).Err(untyped(rep.req, err))
}

// run answers the interaction, and observes how that went.
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
	if err != nil { // a handler's panic has been dealt with, so this is the responder's own
		rep.outcome = "unanswered"
		rep.responder.cfg.Staff.Failure(rep.req, err)
	}
	first := rep.firstTook
	if first > 0 {
		first += rep.onTheWay
	}
	if first >= slowFirst && rep.first.taken() && !rep.notServed && !rep.replayed { // others are late for reasons of their own
		rep.log(zerolog.WarnLevel).Bool("deferred", rep.deferral).Dur("took_ms", first).Dur("waited_ms", rep.onTheWay).Msg("a first response was slow")
	}
	rep.responder.observe(rep.req, Observation{Kind: rep.req.Kind, Route: rep.req.Route, Outcome: rep.outcome, Deferred: rep.deferral, Reason: rep.reason, First: first})
}

// answer calls the handler, sends its response, and goes on with work as long as
// there is one.
func (rep *reply) answer(ctx context.Context, h interaction.Handler) {
	endDeferral := rep.deferLater(ctx)
	response, err := rep.guarded(func() (interaction.Response, error) { return h(ctx, rep.req) })
	if err == nil {
		rep.keep(response)
	}
	defer rep.unlock()
	refusal := endDeferral()        // Discord's
	tooSlow := rep.first != notSent // the handler was, and the interaction has been deferred
	if errors.Is(err, interaction.ErrHandledElsewhere) && (!tooSlow || refusal != nil) {
		rep.outcome = "elsewhere" // the other process sees to the caller
		rep.log(zerolog.InfoLevel).Msg("the interaction is answered elsewhere")
		return
	}
	response = rep.result(response, err)
	// A reply to somebody who is in a message leaves that as it is.
	if response.Form == interaction.FormUpdate || response.Form == interaction.FormDefer || !rep.req.InMessage() {
		rep.change(response)
	}
	err = refusal
	// An answer beside a menu comes after an update of its message, so that the same can be chosen again.
	follows := tooSlow || response.Form == interaction.FormReply && rep.req.OfMenu()
	switch {
	case tooSlow:
	case response.Form == interaction.FormDefer:
		err = rep.deferNow(ctx)
	case follows:
		if err = rep.deferNow(ctx); rep.first == unknown && !response.Changes() {
			err = nil // whether Discord has taken the update, the answer itself finds out
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

// work goes on as long as responses promise that, each in the place of the one before.
// It returns the last, with why the caller could not be told of that.
func (rep *reply) work(ctx context.Context, response interaction.Response) (last interaction.Response, err error) {
	for err == nil && response.Then != nil {
		rep.begun = true
		before := response
		response = rep.runThen(ctx, response)
		rep.keep(response)
		if !rep.mayChange(before, response) {
			if response.Then != nil { // whose end tells of both
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

// keep keeps the lock of the action that a response starts, if any, in the place of
// that of an action which has ended, and those of actions that run together.
func (rep *reply) keep(r interaction.Response) {
	for _, e := range r.Ended {
		rep.hold(e.Lock)
	}
	if r.Then == nil {
		return
	}
	switch does := r.Then.Does.(type) {
	case interaction.Batch:
		for _, lock := range does.Locks {
			rep.hold(lock)
		}
	case interaction.Act:
		rep.unlock() // staff were told how it ended
		rep.req.Running, rep.lock = does.Action, does.Lock
	}
}

// hold keeps the lock of one of several actions.
func (rep *reply) hold(lock interaction.Lock) {
	if lock != nil && !slices.Contains(rep.together, lock) {
		rep.together = append(rep.together, lock)
	}
}

// begin has the interaction count as one that acts, once Discord has taken a response whose work
// changes something: the event may come to several processes, and again after one has died. The
// lock of an action has done so before. shared reports whether no other process acts, and
// duplicate whether one does, or did.
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

// alone reports whether no other process was kept from acting for the same interaction as
// a response does. Its work is run only if it is certain that Discord took this process's response,
// and not another one's.
func alone(r interaction.Response) bool {
	lock := r.Act().Lock
	return lock != nil && !lock.Shared()
}

// unsure says that another process may carry an action out, and this one does not.
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

// followUp tells the end of work whose message shows something else by now. The
// end of an action gets a message of its own; anything else is not told at all.
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
	if p, ok := errors.AsType[*interaction.PanicError](err); ok { // in it, or in what it has waited for
		value := withoutTyped(rep.req, p.Value)
		rep.log(zerolog.ErrorLevel).Str("panic", value).Bytes("stack", p.Stack).Msg("a panic")
		err = fmt.Errorf("%w: %s", interaction.ErrPanic, value)
	}
	return response, err
}

// runThen runs the work that a response promised. After a panic in it nobody knows
// how far it came.
func (rep *reply) runThen(ctx context.Context, r interaction.Response) interaction.Response {
	r, err := rep.guarded(func() (interaction.Response, error) { return r.Then.Run(ctx) })
	if errors.Is(err, interaction.ErrPanic) {
		err = fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, err)
	}
	return rep.result(r, err)
}

// result makes of what a handler returned the response to send, and tells
// staff what they should know of it.
func (rep *reply) result(r interaction.Response, err error) interaction.Response {
	if r.Audit != nil {
		line := rep.log(zerolog.InfoLevel).Bool("refused", r.Audit.Refused).Str("customer", rep.req.CustomerID)
		if rep.req.Kind != interaction.Command { // what was typed stands in staff's channel alone
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
		rep.log(zerolog.InfoLevel).Msg("what was entered was refused") // in words that may repeat it
	} else if r.Failure != nil {
		rep.failed("failed", r.Failure)
	}
	if r.Action != nil {
		rep.tell(interaction.Ended{Request: rep.req, Action: *r.Action, Failure: r.Failure, Lock: rep.lock})
	}
	for _, e := range r.Ended {
		if e.Failure != nil {
			rep.outcome = "failed"
			rep.logError(zerolog.ErrorLevel, e.Failure).Str("bot", e.Action.BotID).Msg("an interaction failed")
			rep.responder.cfg.Staff.Failure(e.Request, untyped(e.Request, e.Failure))
		}
		rep.tell(e)
	}
	return r
}

// explained turns an error into what the caller is told, and tells staff where
// it is a fault.
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

// failed logs a failure and tells staff.
func (rep *reply) failed(outcome string, err error) {
	rep.outcome = outcome
	if rep.req.Kind == interaction.Autocomplete { // every key that is pressed would be told
		rep.logError(zerolog.WarnLevel, err).Msg("nothing can be suggested")
		return
	}
	rep.logError(zerolog.ErrorLevel, err).Msg("an interaction failed")
	rep.responder.cfg.Staff.Failure(rep.req, untyped(rep.req, err))
}
