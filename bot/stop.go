package bot

import (
	"context"
	"time"
)

// The longest that each part of stopping may take. stopLimit bounds the whole and may be less than their sum.
const (
	// stopLimit is from the signal to stop, or Discord's refusal of the bot, until Run returns: a second less
	// than operators are promised (configs/deploy/README.md).
	stopLimit = 24 * time.Second
	// lastWords is for handlers cancelled at the end of drainLimit to answer how far they came
	// (responder.Drain).
	lastWords = 3 * time.Second
	// handOverLimit is for handing the shards to other replicas.
	handOverLimit = 2 * time.Second
	// announceLimit is for logging for staff that the process stops.
	announceLimit = 2 * time.Second
	// drainLimit is for what customers have started, once nothing new is served. Over HTTP it is less by
	// drainDelay, and still more than HOSTAPI_TIMEOUT's default.
	drainLimit = 14 * time.Second
	// refusedLimit takes the place of drainLimit if Discord has refused the bot: answers still reach
	// customers, but nothing more arrives from them.
	refusedLimit = time.Second
	// endKept is reserved for the stages after lastWords.
	endKept = 5 * time.Second
	// refusalDrain is for declining interactions that arrived too late.
	refusalDrain = 3 * time.Second
	// flushLimit is for the log channels' last entries.
	flushLimit = 2 * time.Second
)

// stop is why and how the program stops.
type stop struct {
	err   error         // why it stops by itself; nil after a signal
	serve time.Time     // until when all is served as usual
	limit time.Duration // for how long running handlers may go on after that
	by    time.Time     // when stopping must be over
}

// announceStop logs for operators and staff that the process stops. From here on the bot is not ready.
func (b *Bot) announceStop(reason string) {
	b.stopping.Store(true)
	b.log.Info().Str("reason", reason).Msg("hostbot stops")
	b.stafflog.Stopping(reason)
}

// flush delivers the log channels' last entries. What it does not deliver in time stays in Redis.
func (b *Bot) flush(ctx context.Context) {
	b.staffQueue.Wait(ctx)
	b.delivery.Close(ctx)
}

// stage is a part of stopping.
type stage struct {
	limit time.Duration // after which its context is done
	over  time.Duration // for how long it may go on after that
	kept  time.Duration // reserved for the stages after it
	do    func(context.Context)
}

// runStages runs one stage after another and returns by the time given. A stage that does not end in time is
// left running.
func runStages(by time.Time, stages ...stage) {
	for _, s := range stages {
		limit := max(0, min(s.limit, time.Until(by)-s.kept-s.over))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			within(limit, s.do)
		}()
		select {
		case <-ended:
		case <-time.After(max(0, min(limit+s.over, time.Until(by)))):
		}
	}
}

// within calls f with a context that is done after the limit.
func within(limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f(ctx)
}
