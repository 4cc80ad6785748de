package logchannel

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"
)

// queue is where records wait: the stream or, while that is away, the memory.
type queue interface {
	take(ctx context.Context, giveUp bool) (head, error)
	keep(context.Context, *plan) error
	commit(ctx context.Context, next state, positions []string, done bool) error
	after(ctx context.Context, position string, count int64) ([]record, error)
}

// deliverer brings a channel's records to Discord, one request a turn. It is
// used by one goroutine.
type deliverer struct {
	channel *channel
	discord Discord
	planner planner
	timing  Timing
	log     zerolog.Logger

	maxWaiting int

	retryAt time.Time // nothing is sent before
	pauses  *backoff.ExponentialBackOff
	said    severity // what the process log says of the channel
	single  bool     // Discord refused several embeds at once
	shedAt  int      // no use to shed before so many records wait

	heldUntil time.Time // at least
	made      string    // nonce of the last plan that this process made, and nobody else has seen
	doubtful  string    // nonce of a plan that Discord may have carried out
	accepted  accepted  // by Discord, and perhaps not committed
}

// accepted is the outcome of a plan.
type accepted struct{ nonce, message string }

func newDeliverer(ch *channel, c Config) deliverer {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = c.Timing.RetryFirst, c.Timing.RetryFail
	return deliverer{
		channel: ch, discord: c.Discord, planner: planner{ch.id, c.Texts, c.Timing}, timing: c.Timing,
		log: ch.log, pauses: pauses, maxWaiting: c.MaxWaiting,
	}
}

func (d *deliverer) run(ctx context.Context, stopping <-chan struct{}) {
	turns := time.NewTicker(d.timing.Turn)
	defer turns.Stop()
	for {
		select {
		case <-stopping:
			return
		case <-turns.C:
			d.turn(ctx, false)
		}
	}
}

// drain delivers, without gathering any more, until nothing is left, nothing can
// be done about it, or ctx is done; and lets others deliver.
func (d *deliverer) drain(ctx context.Context) {
	for ctx.Err() == nil {
		sent := d.turn(ctx, true)
		pause := time.Until(d.retryAt)
		if d.said == lasting || pause <= 0 && !sent {
			break
		}
		wait(ctx, pause)
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.timing.Record)
	defer cancel()
	if _, err := d.channel.stream.take(releasing, true); err != nil {
		d.log.Debug().Err(err).Msg("the lease could not be released and will expire")
	}
	if left := d.channel.memory.len(); left > 0 {
		d.log.Error().Int("entries", left).Msg("log channel entries are lost: neither redis nor discord could be reached")
	}
}

func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// turn sends what is due, and tells whether it was able to do something.
func (d *deliverer) turn(ctx context.Context, hurry bool) bool {
	d.channel.flush(ctx)
	q, ready := d.queue(ctx, hurry)
	asked := time.Now()
	// Another process may reach Discord where this one does not.
	h, err := q.take(ctx, d.said == passing && !hurry && asked.Before(d.retryAt))
	if err != nil {
		d.log.Debug().Err(err).Msg("redis does not say what is waiting for a log channel")
		return false
	}
	d.channel.figures.seen(h)
	if !h.held || asked.After(d.heldUntil) {
		d.made = "" // another process may have found it meanwhile
	}
	if !h.held || !ready {
		return false
	}
	d.heldUntil = asked.Add(d.timing.Lease)
	worked, err := d.shed(ctx, q, h)
	if err == nil && !worked && !time.Now().Before(d.retryAt) {
		worked, err = d.deliver(ctx, q, h, hurry)
	}
	if err != nil {
		d.log.Debug().Err(err).Msg("redis does not take what is to be delivered to a log channel")
		return false
	}
	return worked
}

// queue returns where records wait, and whether to deliver from there: what is
// in memory goes to the stream if that comes back soon.
func (d *deliverer) queue(ctx context.Context, hurry bool) (q queue, ready bool) {
	memory := d.channel.memory
	since, bound := memory.status()
	if since.IsZero() || !bound && d.channel.restore(ctx) {
		return d.channel.stream, true
	}
	return memory, hurry || bound || time.Since(since) >= d.timing.Grace
}

// deliver carries out the plan that it finds, or makes one, and tells whether
// there was something to be sent.
func (d *deliverer) deliver(ctx context.Context, q queue, h head, hurry bool) (bool, error) {
	p := h.plan
	if p == nil {
		p = d.planner.next(h.state, h.records, circumstances{
			now: time.Now(), full: h.waiting > len(h.records), hurry: hurry, single: d.single,
		})
		if p == nil {
			return false, nil
		}
		if err := q.keep(ctx, p); err != nil {
			return false, err
		}
		d.made = p.Nonce
	}
	message, err := d.send(ctx, p)
	if ctx.Err() != nil && err != nil {
		return false, ctx.Err() // the program ends
	}
	return true, d.settle(ctx, q, h.state, p, message, err)
}
