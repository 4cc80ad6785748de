package responder

import (
	"context"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// acted reports whether a response tells how actions fare. The caller is told of those whatever
// happens.
func (rep *reply) acted(r interaction.Response) bool { return r.Action != nil || len(rep.together) > 0 }

// isPassing reports whether another response is put in the place of one soon.
func isPassing(r interaction.Response) bool {
	if r.Then == nil {
		return false
	}
	_, passing := r.Then.Does.(interaction.Batch)
	return passing
}

// pass shows a response in whose place another one is put soon. Should Discord not take it, that
// one is shown in time.
func (rep *reply) pass(ctx context.Context, r interaction.Response) {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	if err := rep.responder.cfg.Discord.EditOriginal(ctx, rep.to, r.Message); err != nil {
		rep.logError(zerolog.DebugLevel, err).Msg("the progress of actions could not be shown")
		return
	}
	rep.first = sent
}

// tell has staff told how an action has ended. Others may act on the bot from then on.
func (rep *reply) tell(e interaction.Ended) {
	rep.log(zerolog.InfoLevel).Str("action", e.Action.Name).Str("bot", e.Action.BotID).
		Str("outcome", string(e.Action.Outcome)).Dur("took_ms", e.Action.Duration).Msg("action")
	if observe := rep.responder.cfg.ObserveAction; observe != nil {
		observe(e.Action)
	}
	rep.responder.cfg.Staff.Action(e.Request, e.Action, e.Failure)
	if e.Lock != nil {
		e.Lock.Told()
	}
}
