package answer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

// conversation is the answering of one interaction.
type conversation struct {
	server *Server
	req    *interaction.Request
	ticket *ticket
	to     rest.Callback

	deferred     bool
	edited       bool // the original shows a response, and not just a deferral
	version      int  // of what the message is about, as this has left it; 0 where it has not
	acknowledged bool // Discord has taken a first response
	uncertain    bool // Discord may have taken a first response that counts as failed
	broken       bool // work that a response had promised ended with an error
	first        time.Duration
	outcome      string
}

// log begins a line of the process log that tells which interaction it is about.
func (c *conversation) log(level zerolog.Level) *zerolog.Event {
	return c.server.cfg.Log.WithLevel(level).
		Str("interaction", c.req.ID).Str("reference", c.req.Reference).Str("route", c.req.Route).Str("user", c.req.UserID)
}

// run calls the handler, sends its response, and goes on with Then as long as
// there is one.
func (c *conversation) run(ctx context.Context, h interaction.Handler) {
	deferral := c.deferLater(ctx)
	response, err := c.call(ctx, h)
	var refused error
	refused, c.deferred = deferral.outcome()
	if errors.Is(err, interaction.ErrElsewhere) && (!c.deferred || refused != nil) {
		c.outcome = "elsewhere" // the other process sees to the caller
		c.log(zerolog.InfoLevel).Msg("the interaction is answered elsewhere")
		return
	}
	response = c.result(response, err)
	if c.changes(response) {
		c.change(response)
	}
	err = refused
	switch {
	case !c.deferred:
		response, err = c.respond(ctx, response)
	case err == nil:
		response, err = c.replace(ctx, response)
	}
	c.ticket.answer()
	for err == nil && response.Then != nil {
		subject, next := response.Subject, response.Then
		response = c.result(c.goOn(ctx, next))
		if !c.mayChange(subject, response) {
			err = c.tellAside(ctx, response)
			break
		}
		if response.Action != nil {
			c.change(response)
		}
		response, err = c.replace(ctx, response)
	}
	if err != nil {
		c.unanswered(ctx, err, response.Then != nil)
	}
}

// changes tells whether a response makes or changes the message that its request
// is about. A reply to who is in a message leaves that as it is.
func (c *conversation) changes(r interaction.Response) bool {
	return r.Form == interaction.FormUpdate || r.Form == interaction.FormReply && !c.req.InMessage()
}

// change notes that a response changes the message that its request is about:
// before it is sent, so that work which ends meanwhile does not undo it.
func (c *conversation) change(r interaction.Response) {
	c.version = c.server.subjects.set(c.req.Message, r.Subject)
}

// mayChange tells whether the end of work may be put into the message, which was
// about subject when the work began. How an action ended may be as long as it is
// about that; a newer look at it only where nothing else was put there meanwhile,
// as that may be the end of an action.
func (c *conversation) mayChange(subject string, r interaction.Response) bool {
	if !c.server.subjects.is(c.req.Message, subject) {
		return false
	}
	return r.Action != nil || c.version == 0 || c.server.subjects.unchanged(c.req.Message, c.version)
}

// tellAside tells the end of work whose message is about something else by now:
// how an action ended in a message of its own, anything else not at all.
func (c *conversation) tellAside(ctx context.Context, r interaction.Response) error {
	if r.Action == nil {
		return nil
	}
	_, err := c.orExplained(r, func(r interaction.Response) error { return c.followUp(ctx, r.Message) })
	return err
}

// call runs a handler and turns a panic into an error.
func (c *conversation) call(ctx context.Context, h interaction.Handler) (response interaction.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log(zerolog.ErrorLevel).Str("panic", fmt.Sprint(p)).Bytes("stack", debug.Stack()).Msg("a handler panicked")
			err = fmt.Errorf("%w: %v", interaction.ErrPanic, p)
		}
	}()
	return h(ctx, c.req)
}

// goOn does what a response promised. Where that panics nobody knows what it has
// done.
func (c *conversation) goOn(ctx context.Context, next func(context.Context) (interaction.Response, error)) (interaction.Response, error) {
	response, err := c.call(ctx, func(ctx context.Context, _ *interaction.Request) (interaction.Response, error) { return next(ctx) })
	if errors.Is(err, interaction.ErrPanic) {
		err = fmt.Errorf("%w: %w", interaction.ErrMidway, err)
	}
	c.broken = err != nil
	return response, err
}

// result makes of what a handler returned the response to send, and tells
// staff what they should know of it.
func (c *conversation) result(r interaction.Response, err error) interaction.Response {
	if r.Audit != nil {
		c.log(zerolog.InfoLevel).Bool("refused", r.Audit.Refused).Str("customer", c.req.CustomerID).Str("detail", r.Audit.Detail).Msg("staff command")
		c.server.cfg.Staff.Audit(c.req, *r.Audit)
	}
	if err != nil {
		return c.explained(err)
	}
	if r.Failure != nil {
		c.failed(r.Failure, r.Told)
	}
	if r.Action != nil {
		c.log(zerolog.InfoLevel).Str("action", r.Action.Name).Str("bot", r.Action.BotID).
			Str("outcome", string(r.Action.Outcome)).Dur("took", r.Action.Duration).Msg("action")
		c.server.cfg.Staff.Action(c.req, *r.Action)
	}
	return r
}

// explained turns an error into what the caller is told, and tells staff where
// it is a fault.
func (c *conversation) explained(err error) interaction.Response {
	explanation := c.server.cfg.Explain(c.req, err)
	switch {
	case !explanation.Fault:
		c.outcome = "refused"
		c.log(zerolog.InfoLevel).Err(err).Msg("an interaction was refused")
	case c.req.Kind == interaction.Autocomplete:
		// Nothing can be shown, and every key that is pressed would be told.
		c.outcome = "failed"
		c.log(zerolog.WarnLevel).Err(err).Msg("nothing can be suggested")
	default:
		c.failed(err, false)
	}
	if c.req.Kind == interaction.Autocomplete {
		return interaction.Suggest(nil)
	}
	return interaction.Reply(explanation.Message)
}

func (c *conversation) failed(err error, told bool) {
	c.outcome = "failed"
	c.log(zerolog.ErrorLevel).Err(err).Msg("an interaction failed")
	c.server.cfg.Staff.Failure(c.req, err, told)
}

// unanswered notes that the caller could not be told. Another delivery of the
// same event, here or on a replica, may have been answered: that is no fault.
//
// promised says that the response which the caller was not told of was to be
// followed by work.
func (c *conversation) unanswered(ctx context.Context, err error, promised bool) {
	code := rest.CodeOf(err)
	switch {
	case code == rest.CodeAlreadyAcknowledged:
		c.log(zerolog.InfoLevel).Err(err).Msg("the interaction was answered elsewhere")
		return
	case rest.IsUnknownMessage(err):
		c.log(zerolog.InfoLevel).Err(err).Msg("the message was dismissed before the end")
		return
	case errors.Is(err, context.Canceled) && c.server.ctx.Err() != nil:
		c.log(zerolog.WarnLevel).Msg("stopped before the caller could be told")
		return
	case code == rest.CodeInvalidWebhookToken:
		err = fmt.Errorf("the interaction's token is not good any more: %w", err)
	}
	err = fmt.Errorf("the caller could not be told: %w", err)
	if c.req.Kind == interaction.Autocomplete { // every key that is pressed would be told
		c.outcome = "unanswered"
		c.log(zerolog.WarnLevel).Err(err).Msg("nothing can be suggested")
		return
	}
	c.failed(err, false)
	c.outcome = "unanswered"
	if !c.acknowledged && (c.deferred || promised) {
		c.correct(ctx, code, promised)
	}
}

// correct corrects a first response that counts as failed and says that more will
// come. It may be shown all the same: where Discord's answer to it was lost, and
// where Discord said that it does not know the interaction, which is at times not
// true (discord-api-docs#5558). To send it again would not help then.
func (c *conversation) correct(ctx context.Context, code int, promised bool) {
	why := interaction.ErrUnacknowledged
	switch {
	case c.uncertain:
	case code != rest.CodeUnknownInteraction:
		return
	case promised: // by another process as well, which may keep it (JDA, InteractionCallbackImpl.java)
		why = interaction.ErrMidway
	}
	message := c.server.cfg.Explain(c.req, why).Message
	if err := c.persist(ctx, func(ctx context.Context) error { return c.server.cfg.Discord.EditOriginal(ctx, c.to, message) }); err != nil {
		c.log(zerolog.DebugLevel).Err(err).Msg("there was no response to correct")
	}
}

func (c *conversation) observe() {
	if c.outcome == "" {
		c.outcome = "ok"
	}
	c.server.cfg.Observe(Observation{
		Kind: c.req.Kind, Route: c.req.Route, Outcome: c.outcome, Deferred: c.deferred,
		First: c.first, Total: time.Since(c.req.ReceivedAt),
	})
}

// deferral is a deferred first response that may be sent by a timer.
type deferral struct {
	timer *time.Timer
	sent  chan error
}

// deferLater arranges for the interaction to be deferred where the handler is
// not done in time. Suggestions can not be deferred, and what is refused need
// not be: Discord would take that for the answer to come from here.
func (c *conversation) deferLater(ctx context.Context) deferral {
	d := deferral{sent: make(chan error, 1)}
	if c.req.Kind == interaction.Autocomplete || c.ticket.refusal != nil {
		return d
	}
	form := interaction.FormReply
	if c.req.InMessage() {
		form = interaction.FormUpdate
	}
	d.timer = time.AfterFunc(time.Until(c.req.ReceivedAt.Add(c.server.cfg.Timing.Direct)), func() {
		d.sent <- c.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error { return c.server.cfg.Discord.Defer(ctx, to, form) })
	})
	return d
}

// outcome stops the timer. Where that has deferred the interaction already, or
// is about to, the outcome of this is returned.
func (d deferral) outcome() (err error, deferred bool) {
	if d.timer == nil || d.timer.Stop() {
		return nil, false
	}
	return <-d.sent, true
}
