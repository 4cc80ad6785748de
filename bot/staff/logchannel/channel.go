package logchannel

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

const (
	// callLimit bounds one use of Redis, beside Timing.Record.
	callLimit = time.Second
	// drainCheck is how often a process that ends looks whether all is delivered.
	drainCheck = 50 * time.Millisecond
)

// channel records the entries for a channel, and has those delivered that Redis does not take.
type channel struct {
	*Delivery
	id     string
	log    zerolog.Logger
	outbox *outbox
	queue  *queue
	busy   atomic.Bool // this process, which leads, delivers to the channel now
	// fromOutbox is how far the delivery from the outbox is, while Redis is away. run and drain use
	// it, which are not called at the same time.
	fromOutbox state

	mu     sync.Mutex
	status Status
	asked  time.Time // when the status was read of Redis
}

func (d *Delivery) newChannel(id string) *channel {
	return &channel{
		Delivery: d, id: id, log: d.Log.With().Str("channel", id).Logger(), outbox: &outbox{most: 2 * d.MaxWaiting, mostAlone: mostUnsaved * d.MaxWaiting},
		queue: d.newQueue(id), status: Status{Channel: id},
	}
}

// post keeps an entry in the outbox, and adds it to the queue unless run will.
func (ch *channel) post(e Entry) {
	along := e.Along
	e.Along = nil // which is not kept
	one := newKept(e, time.Now())
	if !ch.outbox.post(one) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ch.Timing.Record)
	defer cancel()
	_ = ch.add(ctx, []kept{one}, along) // run tries again
}

// add adds entries to the queue, and notes where that fails. along may be nil.
func (ch *channel) add(ctx context.Context, entries []kept, along func(context.Context, redis.Pipeliner)) error {
	for some := range slices.Chunk(entries, readAhead) {
		due, err := ch.queue.add(ctx, some, along)
		if err != nil {
			ch.redisAway(err)
			return err
		}
		ch.outbox.added(some)
		if due {
			ch.Wake(ctx, kind, ch.id)
		}
	}
	return nil
}

func (ch *channel) redisAway(err error) {
	if ch.outbox.failed() {
		ch.log.Warn().Err(err).Msg("redis is away: log channel entries are kept in memory only")
	}
}

// run looks after the entries in the outbox until the program stops.
func (ch *channel) run() {
	for {
		wait := ch.Timing.Ask
		if n := ch.outbox.takeDropped(); n > 0 {
			ch.noteDropped(n, "log.channel.dropped.many")
		}
		if ch.outbox.count() > 0 {
			if err := ch.ask(ch.ctx); err != nil && ch.outbox.deserted(ch.Timing.Grace) {
				_, wait = ch.deliverUnsaved(ch.ctx)
			}
		}
		select {
		case <-ch.stopping:
			return
		case <-time.After(wait):
		}
	}
}

// ask makes the outbox and the queue agree. What Discord has leaves the outbox. What the queue
// lacks is added to it, in the order of the posts.
func (ch *channel) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	a, err := ch.queue.ask(ctx, ch.outbox.recorded())
	if err != nil {
		ch.redisAway(err)
		return err
	}
	ch.noteQueue(a)
	ch.outbox.crowd(!ch.hurry.Load() && a.waiting > ch.MaxWaiting)
	ch.outbox.forget(a.delivered)
	ch.outbox.lost(a.lost)
	if a.due {
		ch.Wake(ctx, kind, ch.id)
	}
	if err := ch.add(ctx, ch.outbox.unrecorded(), nil); err != nil {
		return err
	}
	if len(a.lost) > 0 {
		ch.log.Warn().Int("entries", len(a.lost)).Msg("redis has lost log channel entries: they are written there anew")
	}
	if ch.outbox.recovered() {
		ch.log.Info().Msg("redis is back: log channel entries are kept there again")
	}
	ch.fromOutbox = state{} // Redis has its own
	return nil
}

// deliverUnsaved delivers what waits first in the outbox. It reports whether there was nothing
// that can be delivered, and returns when there is more to do.
func (ch *channel) deliverUnsaved(ctx context.Context) (idle bool, again time.Duration) {
	source := &memory{outbox: ch.outbox, again: ch.Timing.Ask}
	t := &turn{channel: ch, state: &ch.fromOutbox, source: source}
	idle, err := t.take(ctx)
	if err != nil {
		ch.log.Debug().Err(err).Msg("log channel entries could not be delivered from memory")
	}
	return idle, source.again
}

// drain delivers until nothing is left, nothing can be done about it, or the program ends. What
// Redis has is left to another process that leads.
func (ch *channel) drain() {
	ch.outbox.crowd(false) // what was counted here goes to Redis now, also where no time is left to ask
	for ch.ctx.Err() == nil {
		wait := drainCheck
		if err := ch.ask(ch.ctx); err == nil {
			if s := ch.current(); !ch.Leading() || !ch.busy.Load() && (s.Waiting == 0 || s.lasting) {
				break
			}
		} else if idle, again := ch.deliverUnsaved(ch.ctx); idle || ch.fromOutbox.Trouble.lasts() {
			break
		} else {
			wait = again
		}
		select {
		case <-ch.ctx.Done():
		case <-time.After(wait):
		}
	}
	if ch.outbox.lacking() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ch.ctx), ch.Timing.Record)
	defer cancel()
	_ = ch.add(ctx, ch.outbox.unrecorded(), nil) // there may have been no time for it
	if left := ch.outbox.lacking(); left > 0 {
		ch.log.Error().Int("entries", left).Msg("log channel entries are lost: neither redis nor discord took them")
	}
}
