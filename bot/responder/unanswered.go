package responder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// unanswered handles a response that could not be shown. If another delivery of the event was answered, here or by
// another replica, that is no fault.
func (rep *reply) unanswered(ctx context.Context, err error, r interaction.Response) {
	switch {
	case rest.CodeOf(err) == rest.CodeAlreadyAcknowledged:
		rep.takeBack()
		rep.logError(zerolog.InfoLevel, err).Msg("the interaction was answered elsewhere")
		return
	case rep.isLate(err):
		rep.late(ctx, err)
		return
	case rest.IsUnknownMessage(err):
		rep.logError(zerolog.InfoLevel, err).Msg("the message was dismissed before the end")
		return
	}
	rep.reason = reasonOf(err)
	rep.failed("unanswered", fmt.Errorf("the caller could not be told: %w", err))
	if !rep.first.taken() && (rep.deferral || r.Then != nil) {
		rep.correct(ctx, rest.CodeOf(err), r)
	}
}

// reasonOf returns in a few words why Discord did not take an answer.
func reasonOf(err error) string {
	discord, ok := errors.AsType[*rest.Error](err)
	switch {
	case !ok:
		return "Discord didn't take the answer"
	case discord.Status == 0:
		return "no answer from Discord"
	case discord.Code != 0:
		return fmt.Sprintf("Discord %d, %d", discord.Status, discord.Code)
	default:
		return fmt.Sprintf("Discord %d", discord.Status)
	}
}

// isLate reports whether Discord does not know an interaction any more because it was replayed, or because this
// process was suspended before it read or answered the event. Nothing was begun then.
func (rep *reply) isLate(err error) bool {
	if rep.first.taken() || rest.CodeOf(err) != rest.CodeUnknownInteraction {
		return false
	}
	waited := time.Since(rep.req.ReceivedAt)
	return rep.replayed || rep.sentAgo()-waited > firstBy || waited > firstBy+time.Second
}

// sentAgo returns how long ago Discord sent the interaction. Until clocks has an estimate, the time in its ID is
// compared with this machine's clock.
func (rep *reply) sentAgo() time.Duration {
	if rep.clocksKnown {
		return time.Since(rep.req.ReceivedAt) + rep.onTheWay
	}
	sent, err := discordgo.SnowflakeTimestamp(rep.req.ID)
	if err != nil {
		return 0
	}
	return time.Since(sent)
}

// late handles an interaction that came too late. Discord may answer so if another process was faster (JDA,
// InteractionCallbackImpl.java), but then there is a first response. Otherwise the caller has no answer.
func (rep *reply) late(ctx context.Context, err error) {
	if rep.answeredElsewhere(ctx) {
		rep.outcome = "elsewhere"
		rep.logError(zerolog.InfoLevel, err).Msg("the interaction was answered elsewhere")
		return
	}
	rep.firstTook = max(rep.firstTook, firstBy-rep.onTheWay) // so that First is at least firstBy
	rep.reason = "this bot was too late"
	rep.failed("unanswered", fmt.Errorf("%w: %w", interaction.ErrTooLate, err))
}

// answeredElsewhere reports whether Discord has a first response, though not this process's. Suggestions leave
// none to look at.
func (rep *reply) answeredElsewhere(ctx context.Context) bool {
	if rep.req.Kind == interaction.Autocomplete {
		return false
	}
	_, err := rep.responder.cfg.Discord.FindOriginal(ctx, rep.to)
	return err == nil
}

// correct corrects a failed first response that promised more. Discord may show it all the same: if its answer was
// lost, or if Discord said that it does not know the interaction, as that is at times wrong
// (discord-api-docs#5558). Sending it again would not help.
func (rep *reply) correct(ctx context.Context, code int, r interaction.Response) {
	why := interaction.ErrUnacknowledged
	switch {
	case rep.first == unknown && alone(r):
		why = unsure(r)
	case rep.first == unknown:
	case code != rest.CodeUnknownInteraction:
		return
	case r.Then != nil: // another process may have made and kept the promise (JDA, InteractionCallbackImpl.java)
		why = interaction.ErrOutcomeUnknown
	}
	show, message := rep.editOriginal, rep.responder.cfg.Explain(rep.req, why).Message
	if rep.asideOfMenu() {
		show = rep.showBeside
	}
	if err := show(ctx, message); err != nil {
		rep.logError(zerolog.DebugLevel, err).Msg("there was no response to correct")
	}
}
