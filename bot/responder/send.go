package responder

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

const (
	// tokenLife is how long an interaction's token can be used.
	// https://discord.com/developers/docs/interactions/receiving-and-responding
	tokenLife = 15 * time.Minute
	// editLimit bounds one attempt at a later response, and editPatience all of them: it outlasts a short outage
	// of Discord. The outcome of an action is tried for as long as the token is valid.
	editLimit    = 10 * time.Second
	editPatience = 2 * time.Minute
	// maxUnknown is how often a later response is repeated if Discord does not know the token although it took
	// the first response: after 1, 2, 4, 8 and 16 s. Somebody met that over HTTP about every ten minutes, and
	// the second or third try within some 10 s succeeded (discord-api-docs#7220). For others none did
	// (discord-api-docs#6851).
	maxUnknown = 5
	// passLimit bounds an attempt that is not repeated, as what it shows is soon out of date, or the leader
	// tries again.
	passLimit = 3 * time.Second
	// lastLimit bounds a later response after the program has stopped waiting.
	lastLimit = 2 * time.Second
)

// orExplained sends a response and returns what was sent, so that the caller is not left without an answer. If
// Discord refuses files, as a guild may limit them (code 400001, discord-api-docs#7796), the response is sent
// without them. If it refuses the content, an explanation takes its place.
func (rep *reply) orExplained(r interaction.Response, send func(interaction.Response) error) (interaction.Response, error) {
	err := send(r)
	if v := rest.VerdictOf(err); len(r.Message.Files) > 0 && err != nil && !v.Passes() && v != rest.Gone {
		rep.logError(zerolog.WarnLevel, err).Msg("discord refuses the files of a response")
		r.Message = r.Message.WithoutFiles()
		err = send(r)
	}
	if unacceptable(err) {
		r = rep.explained(rep.unshown(r, err))
		err = send(r)
	}
	return r, err
}

// unacceptable reports whether Discord refuses a response for its content, so that it may take another one.
func unacceptable(err error) bool {
	v := rest.VerdictOf(err)
	return v == rest.Never || v == rest.Forbidden && rest.StatusOf(err) == http.StatusBadRequest
}

// unshown returns the error to explain if Discord does not take a response. A user must not be asked to repeat what
// was carried out.
func (rep *reply) unshown(r interaction.Response, err error) error {
	switch {
	case len(rep.together) > 0:
		return fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, err)
	case r.Action != nil:
		return &interaction.UnshownError{Action: *r.Action, Cause: err}
	case rest.CodeOf(err) == rest.CodeInvalidForm: // the program's own mistake
		return err
	case r.Then != nil:
		return fmt.Errorf("%w: %w", interaction.ErrNotBegun, err)
	default:
		return fmt.Errorf("%w: %w", interaction.ErrBlocked, err)
	}
}

// replace replaces the first response, or the deferral, and returns what was sent.
func (rep *reply) replace(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	switch r.Form {
	case interaction.FormKeep, interaction.FormDefer:
		return r, nil // the deferral was enough
	case interaction.FormOpen:
		r = rep.explained(interaction.ErrTooSlow)
	}
	return rep.orExplained(r, func(r interaction.Response) error {
		if rep.first == deferred && (r.Form == interaction.FormReply && rep.req.InMessage() || rep.asideOfMenu()) {
			return rep.showBeside(ctx, r.Message)
		}
		err := rep.editOriginal(ctx, r.Message)
		if err == nil {
			rep.first = sent
		}
		return err
	})
}

// asideOfMenu reports whether the original is a message with a menu that a response must not change.
func (rep *reply) asideOfMenu() bool { return rep.req.OfMenu() && !rep.req.InMessage() }

// showBeside shows a message beside the original, which has the component and stays.
func (rep *reply) showBeside(ctx context.Context, m interaction.Message) error {
	if rep.beside == "" {
		// It is sent until Discord has confirmed it: twice is better than not at all.
		return rep.retryUntilExpiry(ctx, func(ctx context.Context) (err error) {
			rep.beside, err = rep.responder.cfg.Discord.FollowUp(ctx, rep.to, m)
			return err
		})
	}
	return rep.retryUntilExpiry(ctx, func(ctx context.Context) error {
		return rep.responder.cfg.Discord.EditFollowUp(ctx, rep.to, rep.beside, m)
	})
}

func (rep *reply) editOriginal(ctx context.Context, m interaction.Message) error {
	return rep.retryUntilExpiry(ctx, func(ctx context.Context) error { return rep.responder.cfg.Discord.EditOriginal(ctx, rep.to, m) })
}

// editUnended tries once to edit the original, unless that shows the outcome of an action: the process that ran
// the action knows better.
func (rep *reply) editUnended(ctx context.Context, m interaction.Message) error {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	shown, err := rep.responder.cfg.Discord.FindOriginal(ctx, rep.to)
	if err != nil || rep.responder.cfg.ShowsEnd(shown) {
		return err
	}
	return rep.responder.cfg.Discord.EditOriginal(ctx, rep.to, m)
}

// sendFollowUp sends a new message. Unlike an edit it must not be repeated if Discord may have taken it.
func (rep *reply) sendFollowUp(ctx context.Context, m interaction.Message) error {
	return rep.retryUntilExpiry(ctx, func(ctx context.Context) error {
		_, err := rep.responder.cfg.Discord.FollowUp(ctx, rep.to, m)
		if rest.IsUncertain(err) {
			return errors.New(err.Error()) // not worth repeating, to Retry
		}
		return err
	})
}

// retryUntilExpiry repeats a later response with growing pauses, for as long as the token is valid. Without begun
// work it gives up after editPatience.
func (rep *reply) retryUntilExpiry(ctx context.Context, send func(context.Context) error) error {
	patience := time.Until(rep.req.ReceivedAt.Add(tokenLife))
	if !rep.begun {
		patience = min(patience, editPatience)
	}
	// When the program stops, there is still lastLimit for a last answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	defer context.AfterFunc(rep.responder.ctx, func() { time.AfterFunc(lastLimit, cancel) })()
	unknown := 0
	attempt := func(context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, editLimit)
		defer cancel()
		err := send(ctx)
		if e, ok := errors.AsType[*rest.Error](err); ok && rep.first.taken() && e.Code == rest.CodeUnknownWebhook && unknown < maxUnknown {
			later := *e
			later.RetryAfter = time.Second << unknown // Discord names no pause
			unknown++
			return &later
		}
		return err
	}
	again := func(err error) bool { return rest.IsTemporary(err) || rest.RetryAfter(err) > 0 }
	// Stopping ends a pause; one more attempt follows.
	running, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(rep.responder.ctx, end)()
	last := rep.responder.ctx.Err() != nil
	err := rest.Retry(running, rest.Retries{Again: again, OnBack: rep.responder.cfg.OnBack}, attempt)
	if err != nil && again(err) && !last && rep.responder.ctx.Err() != nil {
		return attempt(ctx)
	}
	return err
}

// isUnanswered reports whether no complete answer came.
func isUnanswered(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == 0
}
