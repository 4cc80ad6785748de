package responder

import (
	"context"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// acted reports whether a response has the outcome or progress of actions. The caller is always shown that.
func (rep *reply) acted(r interaction.Response) bool { return r.Action != nil || len(rep.together) > 0 }

// isPassing reports whether a response is soon replaced by another.
func isPassing(r interaction.Response) bool {
	if r.Then == nil {
		return false
	}
	_, passing := r.Then.Does.(interaction.Batch)
	return passing
}

// pass tries once to show a response that is soon replaced.
func (rep *reply) pass(ctx context.Context, r interaction.Response) {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	if err := rep.responder.cfg.Discord.EditOriginal(ctx, rep.to, r.Message); err != nil {
		rep.logError(zerolog.DebugLevel, err).Msg("the progress of actions could not be shown")
		return
	}
	rep.first = sent
}

// logOutcome logs the outcome of an action for staff. Others may act on the bot from then on.
func (rep *reply) logOutcome(e interaction.Ended) {
	rep.log(zerolog.InfoLevel).Str("action", e.Action.Name).Str("bot", e.Action.BotID).
		Str("outcome", string(e.Action.Outcome)).Dur("took_ms", e.Action.Duration).Msg("action")
	if observe := rep.responder.cfg.ObserveAction; observe != nil {
		observe(e.Action)
	}
	rep.responder.cfg.Staff.Action(e.Request, e.Action, e.Failure)
	if e.Lock != nil {
		e.Lock.Logged()
	}
}
