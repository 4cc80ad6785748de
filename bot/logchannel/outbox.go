package logchannel

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

// outbox keeps what this process posted until Discord has it, whether Redis has
// it or not. So nothing is missing where Redis loses it. While Redis is away for
// long, the process delivers from here what Redis never had.
type outbox struct {
	limit int // of records that Redis has as well

	mu     sync.Mutex
	items  []*item   // in the order of the posts
	down   time.Time // since when Redis takes no records; zero while it does
	closed bool      // nothing is flushed any more
	state  state     // of the delivery from here
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
	unsure                // it had it, and was away since then
)

// post keeps a record, and tells whether it should be added to the stream at
// once. It should not where records before it could not be, nor where an equal
// error waits already: those of a moment are counted here and added by the next
// flush, so that a storm costs a few requests to Redis.
func (o *outbox) post(r record) (atOnce bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	atOnce = o.closed || o.down.IsZero()
	if r.Group != "" && !o.closed {
		for _, it := range slices.Backward(o.items) {
			if it.Group != r.Group {
				continue
			}
			if it.stage == fresh {
				it.Tally.add(r.Tally)
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

// unrecorded returns the first records that Redis may not have and that are not
// being delivered from here. They count no further errors.
func (o *outbox) unrecorded(count int) []record {
	o.mu.Lock()
	defer o.mu.Unlock()
	told := o.state.told()
	var records []record
	for _, it := range o.items {
		if it.stage != recorded && !told[it.ID] && len(records) < count {
			it.stage = max(it.stage, tried)
			records = append(records, it.record)
		}
	}
	return records
}

// added notes that Redis has records. Here the oldest of too many are forgotten.
func (o *outbox) added(records []record) {
	ids := make(map[string]bool, len(records))
	for _, r := range records {
		ids[r.ID] = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range o.items {
		if ids[it.ID] {
			it.stage = recorded
		}
	}
	for len(o.items) > o.limit && o.items[0].stage == recorded {
		o.items = o.items[1:]
	}
}

// failed notes that Redis did not take a record, and tells whether it took the
// ones before. When it is back, it may have lost any record.
func (o *outbox) failed() (first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first = o.down.IsZero()
	if first {
		o.down = time.Now()
	}
	for _, it := range o.items {
		if it.stage == recorded {
			it.stage = unsure
		}
	}
	return first
}

// recovered notes that Redis takes records, and tells whether it was away. A
// delivery from here goes on.
func (o *outbox) recovered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	away := !o.down.IsZero()
	o.down = time.Time{}
	if o.state.Plan == nil && o.state.Summary == nil {
		o.state = state{}
	}
	return away
}

// away returns for how long Redis has not taken records.
func (o *outbox) away() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.down)
}

// busy tells whether a delivery from here must be finished before Redis may have
// its records.
func (o *outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.Plan != nil || o.state.Summary != nil
}

// close ends waiting for a flush.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// recordedIDs returns the IDs of the records that Redis has.
func (o *outbox) recordedIDs() []string {
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

// reconcile forgets the records that Discord has, and notes those that Redis has
// lost.
func (o *outbox) reconcile(delivered, lost []string) {
	gone, again := setOf(delivered), setOf(lost)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items = slices.DeleteFunc(o.items, func(it *item) bool { return gone[it.ID] })
	for _, it := range o.items {
		if again[it.ID] {
			it.stage = tried
		}
	}
}

// lacking returns the records that Redis never had. They count no further errors.
func (o *outbox) lacking() []record {
	o.mu.Lock()
	defer o.mu.Unlock()
	var records []record
	for _, it := range o.items {
		if it.stage <= tried {
			it.stage = tried
			records = append(records, it.record)
		}
	}
	return records
}

// take is that of a queue that no other process knows.
func (o *outbox) take(context.Context, []string, bool) (head, error) {
	records := o.lacking()
	h := head{held: true, waiting: len(records), records: records[:min(len(records), readAhead)]}
	o.mu.Lock()
	defer o.mu.Unlock()
	h.state = o.state
	return h, nil
}

func (o *outbox) all(context.Context) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, r := range o.lacking() {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (o *outbox) save(_ context.Context, next state, done []covered) error {
	o.reconcile(idsOf(done), nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state = next
	return nil
}
