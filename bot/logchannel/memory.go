package logchannel

import (
	"context"
	"slices"
	"sync"
	"time"
)

// memory is a channel's queue while its stream can not be reached. It begins
// with the first record that could not be added there, and whatever follows goes
// after that, so that the order is kept.
type memory struct {
	mu      sync.Mutex
	since   time.Time // when it began; zero while it is not in use
	records []record
	plan    *plan
	state   state
}

// begin keeps a record that could not be added to the stream, and tells whether
// it is the first.
func (m *memory) begin(r record) (first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first = m.since.IsZero()
	if first {
		m.since = time.Now()
	}
	m.append(r)
	return first
}

// follow keeps a record where there is one that it must not overtake.
func (m *memory) follow(r record) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.since.IsZero() {
		return false
	}
	m.append(r)
	return true
}

func (m *memory) append(r record) {
	r.position = r.ID
	m.records = append(m.records, r)
}

// end ends the use of the memory, unless something is in it or under way, and
// tells whether it did.
func (m *memory) end() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.records) > 0 || m.bound() || m.since.IsZero() {
		return false
	}
	m.since, m.records, m.state = time.Time{}, nil, state{}
	return true
}

// status tells since when the memory is in use, which is zero where it is not,
// and whether it holds what can not go to the stream.
func (m *memory) status() (since time.Time, bound bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.since, m.bound()
}

func (m *memory) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records)
}

// bound tells of a request that is under way, and of errors that were shed.
func (m *memory) bound() bool { return m.plan != nil || m.state.Summary != nil }

// first returns the first records.
func (m *memory) first(count int) []record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records[:min(len(m.records), count)])
}

// drop forgets the first records.
func (m *memory) drop(count int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = slices.Delete(m.records, 0, count)
}

// take is that of a queue that no other process knows.
func (m *memory) take(context.Context, bool) (head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := head{held: true, waiting: len(m.records), state: m.state, plan: m.plan}
	h.records = slices.Clone(m.records[:min(len(m.records), readAhead)])
	if len(h.records) > 0 {
		h.oldest = h.records[0].Tally.Since
	}
	return h, nil
}

func (m *memory) after(_ context.Context, position string, count int64) ([]record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	start := slices.IndexFunc(m.records, func(r record) bool { return r.position == position }) + 1
	return slices.Clone(m.records[start:min(len(m.records), start+int(count))]), nil
}

func (m *memory) keep(_ context.Context, p *plan) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plan = p
	return nil
}

func (m *memory) commit(_ context.Context, next state, positions []string, done bool) error {
	told := make(map[string]bool, len(positions))
	for _, position := range positions {
		told[position] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = slices.DeleteFunc(m.records, func(r record) bool { return told[r.position] })
	m.state = next
	if done {
		m.plan = nil
	}
	return nil
}
