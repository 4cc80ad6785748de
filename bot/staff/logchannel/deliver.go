package logchannel

import (
	"context"
	"time"
)

// head is the beginning of what waits: in the stream or, while Redis is away, in the
// outbox.
type head struct {
	held    bool // by this process; otherwise nothing may be sent
	waiting int
	state   state
	records []record
	save    saver
}

// saver keeps the state where head has it from, and removes the records that are done
// with it.
type saver func(ctx context.Context, next state, done []string) error

// run delivers, one request a turn, until stopping is closed. Then it delivers
// what is left until ctx is done.
func (ch *channel) run(ctx context.Context, stopping <-chan struct{}) {
	turns := time.NewTicker(ch.Timing.Turn)
	defer turns.Stop()
	for {
		ch.turn(ctx, false) // the first one at once, to know what a Redis may lose
		select {
		case <-stopping:
			ch.drain(ctx)
			return
		case <-turns.C:
		}
	}
}

// drain delivers until nothing is left, nothing can be done about it, or ctx is
// done; and lets others deliver.
func (ch *channel) drain(ctx context.Context) {
	ch.outbox.crowd(false)
	for ctx.Err() == nil {
		worked := ch.turn(ctx, true)
		pause := time.Until(ch.retryAt)
		if ch.last == misconfigured || pause <= 0 && !worked {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), ch.Timing.Record)
	defer cancel()
	_ = ch.add(releasing, ch.outbox.unrecorded()) // there may have been no turn for it
	if _, _, err := ch.stream.take(releasing, nil, true); err != nil {
		ch.log.Debug().Err(err).Msg("the lease could not be released and will expire")
	}
	if left := ch.outbox.unrecorded(); len(left) > 0 {
		ch.log.Error().Int("entries", len(left)).Msg("log channel entries are lost: neither redis nor discord took them")
	}
}

// turn does what is due, and tells whether there was something that could be
// done.
func (ch *channel) turn(ctx context.Context, hurry bool) bool {
	h := ch.head(ctx, hurry)
	ch.outbox.crowd(!hurry && h.waiting > ch.MaxWaiting)
	ch.updateStatus(h.note)
	if !h.held || time.Now().Before(ch.retryAt) {
		return false
	}
	worked, err := ch.deliver(ctx, h)
	if err != nil {
		ch.log.Debug().Err(err).Msg("redis does not take what is to be delivered to a log channel")
		return false
	}
	return worked
}

// head returns the beginning of what waits. The entries of the outbox go to the stream.
func (ch *channel) head(ctx context.Context, hurry bool) head {
	// Another process may reach Discord where this one does not.
	stepAside := ch.last == away && !hurry && time.Now().Before(ch.retryAt)
	h, err := ch.reconcile(ctx, stepAside)
	if err != nil {
		h = ch.outbox.head()
		h.held = hurry || ch.outbox.deserted(ch.Timing.Grace)
		return h
	}
	if ch.outbox.recovered() {
		ch.log.Info().Msg("redis is back: log channel entries are kept there again")
	}
	ch.outbox.state = state{} // the stream has its own
	return h
}

// reconcile returns the head of the stream after it made the outbox and the
// stream agree: what Discord has leaves the outbox, and what the stream lacks is
// added to it in the order of the posts.
func (ch *channel) reconcile(ctx context.Context, stepAside bool) (head, error) {
	h, own, err := ch.stream.take(ctx, ch.outbox.recorded(), stepAside)
	if err != nil {
		ch.redisAway(err)
		return head{}, err
	}
	ch.outbox.reconcile(own)
	if err := ch.add(ctx, ch.outbox.unrecorded()); err != nil {
		return head{}, err
	}
	if len(own.lost) > 0 {
		ch.log.Warn().Int("entries", len(own.lost)).Msg("redis has lost log channel entries: they are written there anew")
		h, _, err = ch.stream.take(ctx, nil, stepAside)
	}
	return h, err
}

// deliver carries out the plan that it finds, or makes one, and tells whether
// there was something to be done.
func (ch *channel) deliver(ctx context.Context, h head) (bool, error) {
	s := h.state
	if s.Plan == nil {
		if s.Plan = ch.plan(s, h.records); s.Plan == nil {
			return false, nil
		}
		if err := h.save(ctx, s, nil); err != nil {
			return false, err
		}
	}
	message, err := ch.send(ctx, s.Plan)
	if ctx.Err() != nil && err != nil {
		return false, ctx.Err() // the program ends
	}
	return true, ch.settle(ctx, h.save, s, message, err)
}
