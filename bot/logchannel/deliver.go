package logchannel

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// queue is where records wait: the stream or, while that is away, the outbox.
type queue interface {
	// take returns the beginning. own are the IDs of the records that this process
	// knows to be in the queue.
	take(ctx context.Context, own []string, giveUp bool) (head, error)
	// all returns the records that wait, up to the first error.
	all(ctx context.Context) iter.Seq2[record, error]
	// save keeps the state, and removes the records that are done with it.
	save(ctx context.Context, next state, done []covered) error
}

// deliverer brings a channel's records to Discord, one request a turn. It is
// used by one goroutine.
type deliverer struct {
	*channel
	planner planner

	retryAt     time.Time // nothing is sent before
	pauses      *backoff.ExponentialBackOff
	said        verdict // the worst that the process log tells of since the channel worked
	single      bool    // Discord refused several embeds at once
	summariseAt int     // there is no error to be summed up before so many records wait
	delivered   recentIDs
}

func newDeliverer(ch *channel) *deliverer {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = ch.Timing.RetryFirst, ch.Timing.RetryFail
	return &deliverer{channel: ch, planner: planner{ch.id, ch.Texts, ch.Timing.CountFor}, pauses: pauses}
}

// run delivers until stopping is closed, and then what is left until ctx is done.
func (d *deliverer) run(ctx context.Context, stopping <-chan struct{}) {
	turns := time.NewTicker(d.Timing.Turn)
	defer turns.Stop()
	for {
		select {
		case <-stopping:
			d.outbox.close()
			d.drain(ctx)
			return
		case <-turns.C:
			d.turn(ctx, false)
		}
	}
}

// drain delivers until nothing is left, nothing can be done about it, or ctx is
// done; and lets others deliver.
func (d *deliverer) drain(ctx context.Context) {
	for ctx.Err() == nil {
		worked := d.turn(ctx, true)
		pause := time.Until(d.retryAt)
		if d.said == misconfigured || pause <= 0 && !worked {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.Timing.Record)
	defer cancel()
	for records := range slices.Chunk(d.outbox.lacking(), readAhead) { // there may have been no turn to add them
		d.add(releasing, records...)
	}
	if _, err := d.stream.take(releasing, nil, true); err != nil {
		d.log.Debug().Err(err).Msg("the lease could not be released and will expire")
	}
	if left := d.outbox.lacking(); len(left) > 0 {
		d.log.Error().Int("entries", len(left)).Msg("log channel entries are lost: neither redis nor discord took them")
	}
}

// turn does what is due, and tells whether there was something that could be
// done.
func (d *deliverer) turn(ctx context.Context, hurry bool) bool {
	q, ready := d.queue(ctx, hurry)
	// Another process may reach Discord where this one does not.
	stepAside := d.said == away && !hurry && time.Now().Before(d.retryAt)
	h, err := q.take(ctx, d.outbox.recordedIDs(), stepAside)
	if err != nil {
		d.log.Debug().Err(err).Msg("redis does not say what is waiting for a log channel")
		return false
	}
	d.figures.saw(h)
	d.outbox.reconcile(h.delivered, h.lost)
	if len(h.lost) > 0 {
		d.log.Warn().Int("entries", len(h.lost)).Msg("redis has lost log channel entries: they are written there anew")
		return true
	}
	if !h.held || !ready {
		return false
	}
	worked, err := d.summarise(ctx, q, h)
	if err == nil && !worked && !time.Now().Before(d.retryAt) {
		worked, err = d.deliver(ctx, q, h)
	}
	if err != nil {
		d.log.Debug().Err(err).Msg("redis does not take what is to be delivered to a log channel")
		return false
	}
	return worked
}

// queue returns where records wait, and whether to deliver from there: those in
// the outbox go to the stream if that comes back soon, but for what is being
// delivered.
func (d *deliverer) queue(ctx context.Context, hurry bool) (q queue, ready bool) {
	busy := d.outbox.busy()
	if d.flush(ctx) && !busy {
		return d.stream, true
	}
	return d.outbox, hurry || busy || d.outbox.away() >= d.Timing.Grace
}

// deliver carries out the plan that it finds, or makes one, and tells whether
// there was something to be done.
func (d *deliverer) deliver(ctx context.Context, q queue, h head) (bool, error) {
	s := h.state
	if s.Plan == nil {
		var again []covered // they came back with a Redis that forgot the delivery
		for _, r := range h.records {
			if d.delivered.has(r.ID) {
				again = append(again, r.covered())
			}
		}
		if len(again) > 0 {
			return true, q.save(ctx, s, again)
		}
		p := d.planner.next(s, h.records, d.single)
		if p == nil {
			return false, nil
		}
		s.Plan, s.Summary = p, nil // which is told first
		if err := q.save(ctx, s, nil); err != nil {
			return false, err
		}
	}
	message, err := d.send(ctx, s.Plan)
	if ctx.Err() != nil && err != nil {
		return false, ctx.Err() // the program ends
	}
	return true, d.settle(ctx, q, s, message, err)
}

// remembered is how many records that this process delivered it knows at least.
const remembered = 5000

// recentIDs are the IDs of the records that were delivered last.
type recentIDs struct{ latest, before map[string]bool }

func (r *recentIDs) add(records []covered) {
	if r.latest == nil || len(r.latest) >= remembered {
		r.before, r.latest = r.latest, make(map[string]bool)
	}
	for _, c := range records {
		r.latest[c.ID] = true
	}
}

func (r *recentIDs) has(id string) bool { return r.latest[id] || r.before[id] }

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
