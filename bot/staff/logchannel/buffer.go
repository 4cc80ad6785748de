package logchannel

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxBuffered is how many entries a process keeps for a channel.
	maxBuffered = 10_000
	// flushAtOnce is how many entries are added to Redis in one pipeline.
	flushAtOnce = 100
)

// buffer keeps entries of a channel in memory. While Redis takes none, it keeps all of them. Otherwise it keeps only
// errors that equal one of the past second. They are added to the stream in their order. It is safe for concurrent use.
type buffer struct {
	mu      sync.Mutex
	entries []*buffered
	recent  map[string]bool // groups of errors that were added since the last flush
	down    time.Time       // since when Redis takes no entries; zero while it does
	dropped int             // entries since the last call of begin
}

type buffered struct {
	kept
	// sealed says that the entry must not change any more, since Redis or Discord may have it.
	sealed bool
}

// keeps reports whether an entry is kept in memory for now: because Redis takes none or, if count is set, because the
// entry only adds to a count. If so, it keeps the entry.
func (b *buffer) keeps(e kept, count bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down.IsZero() && (!count || !b.recent[e.GroupKey]) {
		if b.recent == nil {
			b.recent = make(map[string]bool)
		}
		b.recent[e.GroupKey] = e.GroupKey != ""
		return false
	}
	for _, same := range slices.Backward(b.entries) {
		if e.GroupKey != "" && same.GroupKey == e.GroupKey && !same.sealed {
			same.add(e.slot)
			return true
		}
	}
	b.append(buffered{kept: e})
	return true
}

// append adds an entry. If there are too many, it drops one: the oldest error that is counted or, if there is none, the
// oldest entry.
func (b *buffer) append(e buffered) {
	b.entries = append(b.entries, &e)
	if len(b.entries) > maxBuffered {
		i := max(0, slices.IndexFunc(b.entries, func(e *buffered) bool { return e.GroupKey != "" }))
		b.entries = slices.Delete(b.entries, i, i+1)
		b.dropped++
	}
}

// failed notes that Redis did not confirm entries, and keeps them: Redis may have them all the same. It reports whether
// Redis took entries until now.
func (b *buffer) failed(keep ...kept) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range keep {
		b.append(buffered{e, true})
	}
	if news = b.down.IsZero(); news {
		b.down = time.Now()
	}
	return news
}

// begin begins a flush. From now on an error is counted only if it equals one in memory, or one that comes after this.
// begin returns how many entries were dropped since the last flush, and since when Redis takes none.
func (b *buffer) begin() (dropped int, down time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.recent)
	for _, e := range b.entries {
		if b.recent != nil && e.GroupKey != "" {
			b.recent[e.GroupKey] = true
		}
	}
	dropped, b.dropped = b.dropped, 0
	return dropped, b.down
}

// first seals and returns the first n entries. If all is not set, it returns only errors and lifecycle.
func (b *buffer) first(n int, all bool) (list []kept) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if len(list) < n && (all || e.Category == Errors || e.Category == Lifecycle) {
			e.sealed = true
			list = append(list, e.kept)
		}
	}
	return list
}

// remove removes entries that Redis or Discord has.
func (b *buffer) remove(entries []kept) {
	gone := make(map[string]bool, len(entries))
	for _, e := range entries {
		gone[e.ID] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries = slices.DeleteFunc(b.entries, func(e *buffered) bool { return gone[e.ID] })
}

// recovered notes that Redis takes entries again. It does so only once no entry is left in memory, so that none is
// overtaken. It reports whether Redis took none until now.
func (b *buffer) recovered() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if news = len(b.entries) == 0 && !b.down.IsZero(); news {
		b.down = time.Time{}
	}
	return news
}

// waiting returns how many entries there are, and when the first came; zero without any.
func (b *buffer) waiting() (n int, oldest time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.entries) > 0 {
		oldest = b.entries[0].Tally.Since
	}
	return len(b.entries), oldest
}

// post adds an entry to Redis, or keeps it.
func (ch *channel) post(e Entry) {
	one := newKept(e, time.Now())
	if ch.buffer.keeps(one, !ch.closing.Load()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ch.config.Timing.Record)
	defer cancel()
	if err := ch.add(ctx, one); err != nil {
		ch.redisDown(err, one)
	}
}

// add adds entries to Redis.
func (ch *channel) add(ctx context.Context, entries ...kept) error {
	due, err := ch.stream.add(ctx, entries)
	if err == nil && due {
		ch.config.Wake(ctx, kind, ch.id)
	}
	return err
}

func (ch *channel) redisDown(err error, keep ...kept) {
	if ch.buffer.failed(keep...) {
		ch.log.Warn().Err(err).Msg("redis is away: log channel entries are kept in memory only")
	}
}

// flush adds the entries in memory to Redis. While Redis takes none, it tries only one. It returns since when Redis takes
// none; zero if Redis takes them.
func (ch *channel) flush(ctx context.Context) (down time.Time) {
	dropped, down := ch.buffer.begin()
	if dropped > 0 {
		ch.noteDropped(dropped, "log.channel.dropped.many")
	}
	n := flushAtOnce
	if !down.IsZero() {
		n = 1
	}
	for list := ch.buffer.first(n, true); len(list) > 0; list = ch.buffer.first(n, true) {
		limited, cancel := context.WithTimeout(ctx, callLimit)
		err := ch.add(limited, list...)
		cancel()
		if err != nil {
			ch.redisDown(err)
			return cmp.Or(down, time.Now())
		}
		ch.buffer.remove(list)
		if n = flushAtOnce; ch.buffer.recovered() {
			ch.log.Info().Msg("redis is back: log channel entries are kept there again")
			ch.alone = state{} // Redis has its own
		}
	}
	return time.Time{}
}

// run flushes again and again until Close. Once Redis has been away for Timing.Grace, it delivers the urgent entries
// itself.
func (ch *channel) run() {
	for {
		wait := ch.config.Timing.Flush
		if down := ch.flush(ch.ctx); !down.IsZero() && time.Since(down) >= ch.config.Timing.Grace {
			_, wait = ch.deliverAlone(ch.ctx, false)
		}
		select {
		case <-ch.stopping:
			return
		case <-time.After(wait):
		}
	}
}

// deliverAlone sends one request for the entries in memory, while Redis is away: for all, or only for errors and
// lifecycle. It reports whether there were none, and returns the pause before the next request.
func (ch *channel) deliverAlone(ctx context.Context, all bool) (idle bool, again time.Duration) {
	list := ch.buffer.first(maxEmbeds, all)
	if len(list) == 0 {
		return true, ch.config.Timing.Flush
	}
	ch.alone.tidy(time.Now(), ch.config.Timing.CountFor)
	o := ch.deliver(ctx, &ch.alone, list, ch.alone.Failures > 0)
	ch.buffer.remove(o.done)
	return false, o.after
}

// drain delivers until nothing is left, until somebody has to mend something first, or until the program ends. If another
// process leads, it leaves the entries in Redis to that one, unless Redis ends with this process.
func (ch *channel) drain() {
	if ch.config.Leading() {
		ch.config.Wake(ch.ctx, kind, ch.id) // without the pause before the next request
	}
	for ch.ctx.Err() == nil {
		wait := drainCheck
		if down := ch.flush(ch.ctx); down.IsZero() {
			busy, s := ch.busy.Load(), ch.current()
			if !busy && (s.Waiting == 0 || s.Trouble != "" && !s.Passing) || !ch.config.Embedded && !ch.config.Leading() {
				break
			}
		} else if idle, again := ch.deliverAlone(ch.ctx, true); idle || ch.alone.Trouble.lasts() {
			break
		} else {
			wait = again
		}
		select {
		case <-ch.ctx.Done():
		case <-time.After(wait):
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ch.ctx), ch.config.Timing.Record)
	defer cancel()
	_ = ch.flush(ctx) // there may have been no time for it
	if left, _ := ch.buffer.waiting(); left > 0 {
		ch.log.Error().Int("entries", left).Msg("log channel entries are lost: neither redis nor discord took them")
	}
}
