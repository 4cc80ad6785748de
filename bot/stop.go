package bot

import (
	"context"
	"time"
)

// How long stopping may take at most. All together, with the second or two in
// which the gateway's sessions are ended, stay below 25 s, and below 10 s where
// Discord has refused the bot.
const (
	// handOverLimit is how long it may take to give the shards to other replicas.
	handOverLimit = 2 * time.Second
	// drainLimit is how long what customers started may go on after the program
	// was told to stop, before it has a last word.
	drainLimit = 14 * time.Second
	// refusedLimit is the same where Discord has refused the bot: what is said
	// to customers still arrives, but nothing more comes from them.
	refusedLimit = time.Second
	// refusalDrain is how long those who came too late may be told so.
	refusalDrain = 3 * time.Second
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

// flush delivers the log channels' last entries, also those that are still being
// written. The rest is kept in Redis.
func (b *Bot) flush(ctx context.Context) {
	b.staffQueue.Wait(ctx)
	b.delivery.Close(ctx)
}

// within calls f, which is done with the context after the limit at the latest.
func within(limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f(ctx)
}
