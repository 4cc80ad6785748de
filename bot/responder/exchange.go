package responder

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"

	"hostbot/bot/actions/recovery"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// exchange is the answering of one interaction.
type exchange struct {
	responder *Responder
	req       *interaction.Request
	to        rest.Callback
	inline    interaction.Inline // what may take the first response; nil for nothing
	message   *heldMessage       // that the request is about
	refused   bool               // the interaction is not served, and told so
	replayed  bool               // by Discord, after the connection was lost

	deferred     bool
	edited       bool        // the original shows a response, and not just a deferral
	acknowledged bool        // Discord has taken a first response
	assumed      bool        // that may be another process's
	uncertain    atomic.Bool // Discord may have taken a first response that counts as failed
	begun        bool        // the work that a response promised has
	ended        func()      // ends the record of the action that runs
	first        time.Duration
	outcome      string
}

// log begins a line of the process log that tells which interaction it is about.
func (x *exchange) log(level zerolog.Level) *zerolog.Event {
	return x.responder.cfg.Log.WithLevel(level).
		Str("interaction", x.req.ID).Str("reference", x.req.Reference).Str("route", x.req.Route).Str("user", x.req.UserID)
}

// run answers the interaction, and observes how that went.
func (x *exchange) run(h interaction.Handler) {
	by := lifetime
	if x.req.Kind == interaction.Autocomplete { // Discord takes no second response
		by = suggestBy
	}
	ctx, cancel := context.WithDeadline(x.responder.ctx, x.req.ReceivedAt.Add(by))
	defer cancel()
	x.outcome = "ok"
	_, err := x.guarded(func() (interaction.Response, error) {
		x.answer(ctx, h)
		return interaction.Response{}, nil
	})
	if err != nil { // a handler's panic has been dealt with, so this is the responder's own
		x.outcome = "unanswered"
		x.responder.cfg.Staff.Failure(x.req, err)
	}
	if x.first >= slowFirst && x.acknowledged && !x.refused && !x.replayed { // others are late for reasons of their own
		x.log(zerolog.WarnLevel).Bool("deferred", x.deferred).Dur("took", x.first).Msg("a first response was slow")
	}
	x.responder.cfg.Observe(Observation{Kind: x.req.Kind, Route: x.req.Route, Outcome: x.outcome, Deferred: x.deferred, First: x.first})
}

// answer calls the handler, sends its response, and goes on with Then as long as
// there is one.
func (x *exchange) answer(ctx context.Context, h interaction.Handler) {
	deferral := x.deferLater(ctx)
	response, err := x.guarded(func() (interaction.Response, error) { return h(ctx, x.req) })
	if err == nil {
		x.record(response)
	}
	defer func() { x.ended() }()
	var refusal error // Discord's, of the deferral
	x.deferred, refusal = deferral()
	if errors.Is(err, interaction.ErrHandledElsewhere) && (!x.deferred || refusal != nil) {
		x.outcome = "elsewhere" // the other process sees to the caller
		x.log(zerolog.InfoLevel).Msg("the interaction is answered elsewhere")
		return
	}
	response = x.result(response, err)
	// A reply to somebody who is in a message leaves that as it is.
	if response.Form == interaction.FormUpdate || response.Form == interaction.FormDefer || !x.req.InMessage() {
		x.change(response)
	}
	err = refusal
	switch {
	case !x.deferred && response.Form == interaction.FormDefer:
		x.deferred, err = true, x.deferNow(ctx)
	case !x.deferred:
		response, err = x.orExplained(response, func(r interaction.Response) error { return x.respond(ctx, r) })
	case err == nil && (!response.Unshared || !x.assumed):
		response, err = x.replace(ctx, response)
	}
	if err == nil && response.Unshared && x.assumed {
		err = x.withdraw(ctx, response)
		response.Then = nil
	}
	if err == nil {
		response, err = x.work(ctx, response)
	}
	if err != nil {
		x.unanswered(ctx, err, response)
	}
}

// work goes on as long as responses promise that, each in the place of the one before.
// It returns the last, with why the caller could not be told of that.
func (x *exchange) work(ctx context.Context, response interaction.Response) (last interaction.Response, err error) {
	for err == nil && response.Then != nil {
		x.begun = true
		before := response
		response = x.goOn(ctx, response)
		x.record(response)
		if !x.mayChange(before, response) {
			if response.Then != nil { // whose end tells of both
				continue
			}
			return response, x.tellAside(ctx, response)
		}
		if response.Action != nil || response.Form == interaction.FormUpdate {
			x.change(response)
		}
		response, err = x.replace(ctx, response)
	}
	return response, err
}

// record keeps a record of the action that a response begins, if any, in the place of
// that of an action which has ended.
func (x *exchange) record(r interaction.Response) {
	if r.Begins == nil {
		return
	}
	x.ended() // staff were told how
	x.req.Begun = r.Begins
	x.ended = x.responder.cfg.Records.Add(recovery.Record{Request: *x.req, Action: *r.Begins, To: x.to})
}

// tellAside tells the end of work whose message shows something else by now. The
// end of an action gets a message of its own; anything else is not told at all.
func (x *exchange) tellAside(ctx context.Context, r interaction.Response) error {
	if r.Action == nil {
		return nil
	}
	_, err := x.orExplained(r, func(r interaction.Response) error { return x.followUp(ctx, r.Message) })
	return err
}

// guarded calls a function and turns a panic into an error.
func (x *exchange) guarded(handle func() (interaction.Response, error)) (response interaction.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.log(zerolog.ErrorLevel).Str("panic", fmt.Sprint(p)).Bytes("stack", debug.Stack()).Msg("a panic")
			err = fmt.Errorf("%w: %v", interaction.ErrPanic, p)
		}
	}()
	return handle()
}

// goOn runs the work that a response promised. After a panic in it nobody knows
// how far it came.
func (x *exchange) goOn(ctx context.Context, r interaction.Response) interaction.Response {
	r, err := x.guarded(func() (interaction.Response, error) { return r.Then(ctx) })
	if errors.Is(err, interaction.ErrPanic) {
		err = fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, err)
	}
	return x.result(r, err)
}

// result makes of what a handler returned the response to send, and tells
// staff what they should know of it.
func (x *exchange) result(r interaction.Response, err error) interaction.Response {
	if r.Audit != nil {
		x.log(zerolog.InfoLevel).Bool("refused", r.Audit.Refused).Str("customer", x.req.CustomerID).Str("detail", r.Audit.Detail).Msg("staff command")
		x.responder.cfg.Staff.Audit(x.req, *r.Audit)
	}
	if err == nil && r.Form == 0 {
		err = interaction.ErrNoResponse
	}
	if err != nil {
		return x.explained(err)
	}
	if r.Failure != nil {
		x.failed("failed", r.Failure)
	}
	if r.Action != nil {
		x.log(zerolog.InfoLevel).Str("action", r.Action.Name).Str("bot", r.Action.BotID).
			Str("outcome", string(r.Action.Outcome)).Dur("took", r.Action.Duration).Msg("action")
		if observe := x.responder.cfg.ObserveAction; observe != nil {
			observe(*r.Action)
		}
		x.responder.cfg.Staff.Action(x.req, *r.Action)
	}
	return r
}

// explained turns an error into what the caller is told, and tells staff where
// it is a fault.
func (x *exchange) explained(err error) interaction.Response {
	explanation := x.responder.cfg.Explain(x.req, err)
	if explanation.Fault {
		x.failed("failed", err)
	} else {
		x.outcome = "refused"
		x.log(zerolog.InfoLevel).Err(err).Msg("an interaction was refused")
	}
	if x.req.Kind == interaction.Autocomplete {
		return interaction.Suggest(nil)
	}
	return interaction.Reply(explanation.Message)
}

// failed logs a failure and tells staff.
func (x *exchange) failed(outcome string, err error) {
	x.outcome = outcome
	if x.req.Kind == interaction.Autocomplete { // every key that is pressed would be told
		x.log(zerolog.WarnLevel).Err(err).Msg("nothing can be suggested")
		return
	}
	x.log(zerolog.ErrorLevel).Err(err).Msg("an interaction failed")
	x.responder.cfg.Staff.Failure(x.req, err)
}

// unanswered notes that the caller could not be told of a response. Another delivery
// of the same event, here or on a replica, may have been answered: that is no fault.
func (x *exchange) unanswered(ctx context.Context, err error, r interaction.Response) {
	switch {
	case rest.CodeOf(err) == rest.CodeAlreadyAcknowledged:
		x.log(zerolog.InfoLevel).Err(err).Msg("the interaction was answered elsewhere")
		return
	case x.isLate(err):
		x.late(ctx, err)
		return
	case rest.IsUnknownMessage(err):
		x.log(zerolog.InfoLevel).Err(err).Msg("the message was dismissed before the end")
		return
	}
	x.failed("unanswered", fmt.Errorf("the caller could not be told: %w", err))
	if !x.acknowledged && (x.deferred || r.Then != nil) {
		x.correct(ctx, rest.CodeOf(err), r)
	}
}

// isLate reports whether Discord does not know an interaction any more that came too late:
// it was replayed, or this process was stopped for a while. In that time the event
// waited to be read, or to be answered, which is given up after firstBy otherwise.
// Nothing was begun.
func (x *exchange) isLate(err error) bool {
	if x.acknowledged || rest.CodeOf(err) != rest.CodeUnknownInteraction {
		return false
	}
	waited := time.Since(x.req.ReceivedAt)
	return x.replayed || x.sentAgo()-waited > firstBy || waited > firstBy+time.Second
}

// sentAgo returns how long ago Discord sent the interaction. Its ID tells that as far as
// the clocks agree.
func (x *exchange) sentAgo() time.Duration {
	sent, err := discordgo.SnowflakeTimestamp(x.req.ID)
	if err != nil {
		return 0
	}
	return time.Since(sent)
}

// late notes that an interaction came too late. Discord may say that of one that another
// process has answered as well (JDA, InteractionCallbackImpl.java), but knows the
// answer then. The caller of any other has none.
func (x *exchange) late(ctx context.Context, err error) {
	if x.answeredElsewhere(ctx) {
		x.outcome = "elsewhere"
		x.log(zerolog.InfoLevel).Err(err).Msg("the interaction was answered elsewhere")
		return
	}
	x.first = max(x.first, x.sentAgo(), firstBy) // the caller has waited for longer than this process
	x.failed("unanswered", fmt.Errorf("%w: %w", interaction.ErrTooLate, err))
}

// answeredElsewhere reports whether there is a first response, of which this process's
// is none. Suggestions leave nothing to look at.
func (x *exchange) answeredElsewhere(ctx context.Context) bool {
	if x.req.Kind == interaction.Autocomplete {
		return false
	}
	_, err := x.responder.cfg.Discord.OriginalText(ctx, x.to)
	return err == nil
}

// correct corrects a first response that counts as failed and says that more will
// come. It may be shown all the same: where Discord's answer to it was lost, and
// where Discord said that it does not know the interaction, which is at times not
// true (discord-api-docs#5558). To send it again would not help then.
func (x *exchange) correct(ctx context.Context, code int, r interaction.Response) {
	why := interaction.ErrUnacknowledged
	switch {
	case r.Unshared && x.overtaken(ctx, r):
		return
	case x.uncertain.Load():
	case code != rest.CodeUnknownInteraction:
		return
	case r.Then != nil: // by another process as well, which may keep it (JDA, InteractionCallbackImpl.java)
		why = interaction.ErrOutcomeUnknown
	}
	message := x.responder.cfg.Explain(x.req, why).Message
	if err := x.editOriginal(ctx, message); err != nil {
		x.log(zerolog.DebugLevel).Err(err).Msg("there was no response to correct")
	}
}
