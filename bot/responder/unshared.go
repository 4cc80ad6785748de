package responder

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// overtakenAfter is how long another process is given to put in place how its action
// ended. Most end sooner.
const overtakenAfter = 2 * time.Second

// withdraw ends an interaction of which nobody can tell whether this process may act
// on it: no lock was to be had, and the first response that Discord has taken may be
// another process's. It does nothing, and says so, unless another process acts.
func (rep *reply) withdraw(ctx context.Context, sent interaction.Response) error {
	if rep.overtaken(ctx, sent) {
		rep.outcome = "elsewhere"
		rep.log(zerolog.InfoLevel).Msg("the interaction is answered elsewhere")
		return nil
	}
	_, err := rep.replace(ctx, rep.explained(interaction.ErrUnacknowledged))
	return err
}

// overtaken reports whether another process has put how its action ended in the place of
// the first response. That is the same from each process, but for the time in it.
func (rep *reply) overtaken(ctx context.Context, sent interaction.Response) bool {
	if rep.deferral && rep.req.InMessage() {
		return false // a deferral leaves the message as it is, which is not known here
	}
	text := sent.Message.Text()
	if rep.deferral {
		text = ""
	}
	sleep(ctx, overtakenAfter)
	shown, err := rep.responder.cfg.Discord.OriginalText(ctx, rep.to)
	return err == nil && withoutDigits(shown) != withoutDigits(text)
}

func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}
