package bot

import (
	"context"
	"time"
)

// How long stopping may take at most. Together these may be more than stopLimit, which holds
// for the whole.
const (
	// stopLimit is from the moment in which the process is told to stop, or Discord refuses the bot, until
	// Run returns: a second less than operators are promised (configs/deploy/README.md).
	stopLimit = 24 * time.Second
	// lastWords is how long those who are cancelled at the end of drainLimit may take to say how far
	// they came (responder.Drain).
	lastWords = 3 * time.Second
	// handOverLimit is how long it may take to give the shards to other replicas.
	handOverLimit = 2 * time.Second
	// announceLimit is how long the process waits until staff's log has taken that it stops.
	announceLimit = 2 * time.Second
	// drainLimit is how long what customers started may go on after the program serves
	// nothing new, before it has a last word. Over HTTP it is less (drainDelay), and still more than
	// the hosting service has for an answer.
	drainLimit = 14 * time.Second
	// refusedLimit takes the place of drainLimit where Discord has refused the bot: what is said
	// to customers still arrives, but nothing more comes from them.
	refusedLimit = time.Second
	// endKept is what is kept of the whole for what comes after the last word.
	endKept = 5 * time.Second
	// refusalDrain is how long those who came too late may be told so.
	refusalDrain = 3 * time.Second
	// flushLimit is how long the log channels' last entries may take.
	flushLimit = 2 * time.Second
)

// stop is why the program stops, and how.
type stop struct {
	err   error         // why it stops by itself; nil if it was told to
	serve time.Time     // until then all is served as usual
	limit time.Duration // for how long what runs may go on then
	by    time.Time     // by when stopping is over
}

// announceStop tells operators and staff. From here on the bot is not ready.
func (b *Bot) announceStop(reason string) {
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

// stage is a part of stopping.
type stage struct {
	limit time.Duration // after which its context is done
	over  time.Duration // for which it may go on then
	kept  time.Duration // of the whole, for the stages after it
	do    func(context.Context)
}

// runStages runs one stage after another, and returns by the time given. What does not end in its time
// is left behind: the process ends.
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

// within calls f, which is done with the context after the limit at the latest.
func within(limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f(ctx)
}
