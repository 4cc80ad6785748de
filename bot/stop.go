package bot

import (
	"context"
	"time"
)

// How long stopping may take at most. All together, with the second or two in
// which the gateway's session is ended, stay below 25 s, and below 10 s where
// Discord has refused the bot.
const (
	// drainLimit is how long what customers started may go on after the program
	// was told to stop, before it has a last word.
	drainLimit = 14 * time.Second
	// refusedLimit is the same where Discord has refused the bot: what is said
	// to customers still arrives, but nothing more comes from them.
	refusedLimit = time.Second
	// lastWordsLimit is how long those who came too late may be told so.
	lastWordsLimit = 3 * time.Second
	// flushLimit is how long the log channels' last entries may take.
	flushLimit = 2 * time.Second
)

// announceStop takes nothing new and tells operators and staff. From here on the
// bot is not ready.
func (b *Bot) announceStop(reason string) {
	b.responder.Stop()
	b.stopping.Store(true)
	b.log.Info().Str("reason", reason).Msg("hostbot stops")
	b.stafflog.Stopping(reason)
}

// drain waits for the interactions that are being answered.
func (b *Bot) drain(refused error) {
	limit := drainLimit
	if refused != nil {
		limit = refusedLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	b.responder.Drain(ctx)
}

// lastWords waits for those who came too late to be told so.
func (b *Bot) lastWords() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWordsLimit)
	defer cancel()
	b.responder.Close(ctx)
}

// flush delivers the log channels' last entries, also those that are still being
// written. What remains is kept in Redis.
func (b *Bot) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	b.telling.Wait(ctx)
	b.delivery.Close(ctx)
}
