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

// unanswered notes that the caller could not be told of a response. Another delivery
// of the same event, here or on a replica, may have been answered: that is no fault.
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

// reasonOf says in a few words why Discord did not take an answer.
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

// isLate reports whether Discord does not know an interaction any more that came too late:
// it was replayed, or this process was stopped for a while. In that time the event
// waited to be read, or to be answered, which is given up after firstBy otherwise.
// Nothing was begun.
func (rep *reply) isLate(err error) bool {
	if rep.first.taken() || rest.CodeOf(err) != rest.CodeUnknownInteraction {
		return false
	}
	waited := time.Since(rep.req.ReceivedAt)
	return rep.replayed || rep.sentAgo()-waited > firstBy || waited > firstBy+time.Second
}

// sentAgo returns how long ago Discord sent the interaction. Until there is another one to compare it
// with, its ID tells that as far as the clocks agree.
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

// late notes that an interaction came too late. Discord may say that of one that another
// process has answered as well (JDA, InteractionCallbackImpl.java), but knows the
// answer then. The caller of any other has none.
func (rep *reply) late(ctx context.Context, err error) {
	if rep.answeredElsewhere(ctx) {
		rep.outcome = "elsewhere"
		rep.logError(zerolog.InfoLevel, err).Msg("the interaction was answered elsewhere")
		return
	}
	rep.firstTook = max(rep.firstTook, firstBy-rep.onTheWay) // the caller has waited for longer than this process
	rep.reason = "this bot was too late"
	rep.failed("unanswered", fmt.Errorf("%w: %w", interaction.ErrTooLate, err))
}

// answeredElsewhere reports whether there is a first response, of which this process's
// is none. Suggestions leave nothing to look at.
func (rep *reply) answeredElsewhere(ctx context.Context) bool {
	if rep.req.Kind == interaction.Autocomplete {
		return false
	}
	_, err := rep.responder.cfg.Discord.FindOriginal(ctx, rep.to)
	return err == nil
}

// correct corrects a first response that counts as failed and says that more will
// come. It may be shown all the same: where Discord's answer to it was lost, and
// where Discord said that it does not know the interaction, which is at times not
// true (discord-api-docs#5558). To send it again would not help then.
func (rep *reply) correct(ctx context.Context, code int, r interaction.Response) {
	why := interaction.ErrUnacknowledged
	switch {
	case rep.first == unknown && alone(r):
		why = unsure(r)
	case rep.first == unknown:
	case code != rest.CodeUnknownInteraction:
		return
	case r.Then != nil: // by another process as well, which may keep it (JDA, InteractionCallbackImpl.java)
		why = interaction.ErrOutcomeUnknown
	}
	tell, message := rep.editOriginal, rep.responder.cfg.Explain(rep.req, why).Message
	if rep.asideOfMenu() {
		tell = rep.showBeside
	}
	if err := tell(ctx, message); err != nil {
		rep.logError(zerolog.DebugLevel, err).Msg("there was no response to correct")
	}
}
