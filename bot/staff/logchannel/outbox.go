package logchannel

import (
	"context"
	"slices"
	"sync"
	"time"
)

// outbox keeps what this process posted until Discord has it, whether Redis has it or not. It
// is safe for concurrent use.
type outbox struct {
	most      int // how many entries there may be before those go that Redis has as well
	mostAlone int // how many there may be that Redis does not have

	mu      sync.Mutex
	items   []*item   // in the order of the posts
	down    time.Time // since when Redis takes no entries; zero while it does
	crowded bool      // too many entries wait for the channel
	dropped int       // entries, since takeDropped
}

// item is an entry in the outbox.
type item struct {
	kept
	in place
}

// place is where an entry is, beside the outbox.
type place int

const (
	nowhere    place = iota // it may count further errors
	maybeRedis              // its content is what Redis may have
	inRedis
)

// post keeps an entry, and reports whether it should be added to the queue at once. It should
// not where entries before it could not be, nor where an equal error waits already: those of a
// moment are counted here and added with the next question, so that a storm costs a few requests
// to Redis.
func (o *outbox) post(e kept) (atOnce bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	atOnce = o.down.IsZero()
	if e.GroupKey != "" {
		for _, it := range slices.Backward(o.items) {
			if it.GroupKey != e.GroupKey {
				continue
			}
			if it.in == nowhere {
				it.add(e.slot)
				return false
			}
			atOnce = false
			break
		}
	}
	it := &item{kept: e}
	if atOnce {
		it.in = maybeRedis
	}
	o.items = append(o.items, it)
	if len(o.items) > o.mostAlone {
		o.bound()
	}
	return atOnce
}

// bound drops the oldest of the entries that Redis does not have if they are too many.
func (o *outbox) bound() {
	surplus := -o.mostAlone
	for _, it := range o.items {
		if it.in != inRedis {
			surplus++
		}
	}
	o.dropped += max(0, surplus)
	o.items = slices.DeleteFunc(o.items, func(it *item) bool {
		if it.in == inRedis {
			return false
		}
		surplus--
		return surplus >= 0
	})
}

// takeDropped returns how many entries were dropped since it was called last.
func (o *outbox) takeDropped() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, o.dropped = o.dropped, 0
	return n
}

// count returns how many entries there are.
func (o *outbox) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.items)
}

// oldest returns when the first entry came; zero if there is none.
func (o *outbox) oldest() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items) == 0 {
		return time.Time{}
	}
	return o.items[0].Tally.Since
}

// crowd notes whether too many entries wait. As long as they do, equal errors go on being counted
// here.
func (o *outbox) crowd(crowded bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.crowded = crowded
}

// unrecorded returns the entries that Redis may not have, but for those that are still counted.
// They count no further errors.
func (o *outbox) unrecorded() []kept {
	o.mu.Lock()
	defer o.mu.Unlock()
	var entries []kept
	for _, it := range o.items {
		counts := o.crowded && it.in == nowhere && it.GroupKey != ""
		if it.in != inRedis && !counts {
			it.in = maybeRedis
			entries = append(entries, it.kept)
		}
	}
	return entries
}

// lacking returns how many entries Redis may not have.
func (o *outbox) lacking() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range o.items {
		if it.in != inRedis {
			n++
		}
	}
	return n
}

// recorded returns the IDs of the entries that Redis has.
func (o *outbox) recorded() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []string
	for _, it := range o.items {
		if it.in == inRedis {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// added notes that Redis has entries. The oldest of too many are forgotten here.
func (o *outbox) added(entries []kept) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mark(ids, inRedis)
	surplus := len(o.items) - o.most
	o.items = slices.DeleteFunc(o.items, func(it *item) bool {
		surplus--
		return surplus >= 0 && it.in == inRedis
	})
}

// forget forgets the entries that Discord has.
func (o *outbox) forget(delivered []string) {
	gone := setOf(delivered)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items = slices.DeleteFunc(o.items, func(it *item) bool { return gone[it.ID] })
}

// lost notes which entries Redis has lost.
func (o *outbox) lost(ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mark(ids, maybeRedis)
}

func (o *outbox) mark(ids []string, in place) {
	isMarked := func(id string) bool { return slices.Contains(ids, id) }
	if len(ids) > 1 { // one is told most often, where a set would take longer
		marked := setOf(ids)
		isMarked = func(id string) bool { return marked[id] }
	}
	for _, it := range o.items {
		if isMarked(it.ID) {
			it.in = in
		}
	}
}

// failed notes that Redis does not answer or takes no entries, and reports whether
// that is news for an entry.
func (o *outbox) failed() (news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news = o.down.IsZero() && slices.ContainsFunc(o.items, func(it *item) bool { return it.in != inRedis })
	if news {
		o.down = time.Now()
	}
	return news
}

// recovered notes that Redis takes entries, and reports whether that is news.
func (o *outbox) recovered() (news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !o.down.IsZero()
	o.down = time.Time{}
	return news
}

// deserted reports whether Redis has not taken entries for so long.
func (o *outbox) deserted(grace time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.down.IsZero() && time.Since(o.down) >= grace
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// memory is the source of entries that Redis never had.
type memory struct {
	outbox *outbox
	again  time.Duration // after which time there is more to do
}

func (m *memory) head(context.Context) ([]kept, error) {
	entries := m.outbox.unrecorded()
	return entries[:min(len(entries), readAhead)], nil
}

func (m *memory) save(_ context.Context, after time.Duration) error {
	if after >= 0 {
		m.again = after
	}
	return nil
}

func (m *memory) done(_ context.Context, ids []string) error {
	m.outbox.forget(ids)
	return nil
}
