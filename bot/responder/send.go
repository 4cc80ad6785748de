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
	// editLimit bounds one attempt at a later response, editPatience all of them:
	// long enough for Discord to come back from a short outage. How an action ended
	// is tried to be said for as long as the token lives.
	editLimit    = 10 * time.Second
	editPatience = 2 * time.Minute
	// maxUnknown is how often a later response is repeated at most that meets a
	// token which Discord does not know, though it took the first response: after 1, 2,
	// 4, 8 and 16 s, over either transport. Somebody with interactions over HTTP met that
	// every ten minutes or so, and had success with the second or third try within
	// some 10 s (discord-api-docs#7220); for others it stayed so (discord-api-docs#6851).
	maxUnknown = 5
	// passLimit bounds the one attempt to show what is soon out of date, or is tried again by the leader.
	passLimit = 3 * time.Second
	// lastLimit bounds a later response once the program has stopped waiting.
	lastLimit = 2 * time.Second
)

// orExplained sends a response and returns what was sent, so that the caller is not left with nothing.
// What Discord refuses with files is sent without them: a guild's files may be limited (code 400001,
// discord-api-docs#7796). What Discord does not take for what it says is replaced by an explanation.
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

// unacceptable reports whether Discord may take another response in the place of one. Whatever
// is wrong with this one, an explanation costs a request and may reach the caller.
func unacceptable(err error) bool {
	v := rest.VerdictOf(err)
	return v == rest.Never || v == rest.Forbidden && rest.StatusOf(err) == http.StatusBadRequest
}

// unshown says what it means that Discord does not take a response. Nobody is told
// to try again what was carried out.
func (rep *reply) unshown(r interaction.Response, err error) error {
	switch {
	case len(rep.together) > 0:
		return fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, err)
	case r.Action != nil:
		return &interaction.UnshownError{Action: *r.Action, Cause: err}
	case rest.CodeOf(err) == rest.CodeInvalidForm: // which is the program's own mistake
		return err
	case r.Then != nil:
		return fmt.Errorf("%w: %w", interaction.ErrNotBegun, err)
	default:
		return fmt.Errorf("%w: %w", interaction.ErrBlocked, err)
	}
}

// replace puts a response in the place of the first one, or of the deferral,
// and returns what was put there.
func (rep *reply) replace(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	switch r.Form {
	case interaction.FormKeep, interaction.FormDefer:
		return r, nil // which the deferral has said
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

// asideOfMenu reports whether the original is a message with a menu that no response may change.
func (rep *reply) asideOfMenu() bool { return rep.req.OfMenu() && !rep.req.InMessage() }

// showBeside shows a message beside the original, which is the message with the component and is to stay.
func (rep *reply) showBeside(ctx context.Context, m interaction.Message) error {
	if rep.beside == "" {
		// It is sent until Discord says that it has it: twice is better than not at all.
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

// editUnended tries once to edit the original, unless that shows how an action ended: the process that ran
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

// sendFollowUp sends a message of its own. Unlike an edit it would show twice if it
// were repeated after Discord had taken it.
func (rep *reply) sendFollowUp(ctx context.Context, m interaction.Message) error {
	return rep.retryUntilExpiry(ctx, func(ctx context.Context) error {
		_, err := rep.responder.cfg.Discord.FollowUp(ctx, rep.to, m)
		if isUncertain(err) {
			return errors.New(err.Error()) // which is none that is worth repeating
		}
		return err
	})
}

// retryUntilExpiry repeats a later response with growing pauses, for as long as somebody
// may yet see it.
func (rep *reply) retryUntilExpiry(ctx context.Context, send func(context.Context) error) error {
	patience := time.Until(rep.req.ReceivedAt.Add(tokenLife))
	if !rep.begun {
		patience = min(patience, editPatience)
	}
	// What ran until the program stops may still say how it ended.
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
	// The stop ends a pause, and one more attempt is made then.
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

func isUncertain(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Uncertain
}

// isUnanswered reports whether no answer came, or none to its end.
func isUnanswered(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == 0
}
