package logchannel

import (
	"context"
	"slices"
	"sync"
	"time"
)

// outbox keeps what this process posted until Discord has it, whether Redis has
// it or not. So nothing is missing where Redis loses it. While Redis is away for
// long, the process delivers from here what Redis never had.
type outbox struct {
	limit int   // of records that Redis has as well
	state state // of the delivery from here; used by the deliverer alone

	mu      sync.Mutex
	items   []*item   // in the order of the posts
	down    time.Time // since when Redis takes no records; zero while it does
	crowded bool      // too many records wait for the channel
}

// item is a record in the outbox.
type item struct {
	record
	stage stage
}

// stage tells whether Redis has a record.
type stage int

const (
	fresh    stage = iota // it has not, and the record may count further errors
	tried                 // it may have it
	recorded              // it has it
)

// post keeps a record, and tells whether it should be added to the stream at
// once. It should not where records before it could not be, nor where an equal
// error waits already: those of a moment are counted here and added by the next
// turn, so that a storm costs a few requests to Redis.
func (o *outbox) post(r record) (atOnce bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	atOnce = o.down.IsZero()
	if r.GroupKey != "" {
		for _, it := range slices.Backward(o.items) {
			if it.GroupKey != r.GroupKey {
				continue
			}
			if it.stage == fresh {
				it.add(r.slot)
				return false
			}
			atOnce = false
			break
		}
	}
	it := &item{record: r}
	if atOnce {
		it.stage = tried
	}
	o.items = append(o.items, it)
	return atOnce
}

// crowd notes whether too many records wait. As long as they do, equal errors go on
// being counted here.
func (o *outbox) crowd(crowded bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.crowded = crowded
}

// unrecorded returns the records that Redis may not have, but for those that are still
// counted. They count no further errors.
func (o *outbox) unrecorded() []record {
	o.mu.Lock()
	defer o.mu.Unlock()
	var records []record
	for _, it := range o.items {
		counts := o.crowded && it.stage == fresh && it.GroupKey != ""
		if it.stage != recorded && !counts {
			it.stage = tried
			records = append(records, it.record)
		}
	}
	return records
}

// recorded returns the IDs of the records that Redis has.
func (o *outbox) recorded() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []string
	for _, it := range o.items {
		if it.stage == recorded {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// added notes that Redis has records. The oldest of too many are forgotten here.
func (o *outbox) added(records []record) {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mark(ids, recorded)
	surplus := len(o.items) - o.limit
	o.items = slices.DeleteFunc(o.items, func(it *item) bool {
		surplus--
		return surplus >= 0 && it.stage == recorded
	})
}

// reconcile forgets the records that Discord has, and notes those that Redis has
// lost.
func (o *outbox) reconcile(own fate) {
	gone := setOf(own.delivered)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items = slices.DeleteFunc(o.items, func(it *item) bool { return gone[it.ID] })
	o.mark(own.lost, tried)
}

func (o *outbox) mark(ids []string, s stage) {
	marked := setOf(ids)
	for _, it := range o.items {
		if marked[it.ID] {
			it.stage = s
		}
	}
}

// failed notes that Redis does not answer or takes no records, and tells whether
// that is news for a record.
func (o *outbox) failed() (news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news = o.down.IsZero() && slices.ContainsFunc(o.items, func(it *item) bool { return it.stage != recorded })
	if news {
		o.down = time.Now()
	}
	return news
}

// recovered notes that Redis takes records, and tells whether that is news.
func (o *outbox) recovered() (news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !o.down.IsZero()
	o.down = time.Time{}
	return news
}

// deserted tells whether Redis has not taken records for so long.
func (o *outbox) deserted(grace time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.down.IsZero() && time.Since(o.down) >= grace
}

func (o *outbox) head() head {
	records := o.unrecorded()
	return head{held: true, waiting: len(records), state: o.state, records: records[:min(len(records), readAhead)], save: o.save}
}

func (o *outbox) save(_ context.Context, next state, done []string) error {
	o.reconcile(fate{delivered: done})
	o.state = next
	return nil
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
