package accounts

import (
	"slices"
	"sync"
	"time"
)

// maxRemembered bounds how many accounts are kept in memory.
const maxRemembered = 1000

// memory keeps in the process the entries that Redis did not take, until it
// does. Without them what was there before would be shown, and the service be
// asked for an account over and over.
type memory struct {
	mu      sync.Mutex
	entries map[string]*pending
}

// pending is an entry that is not in Redis. It stays as it is.
type pending struct {
	entry entry
	// stamps are those of what the entry was made from, or may have been written
	// as: while Redis has one of them, there is nothing there that the entry lacks.
	stamps []string
}

func newMemory() *memory { return &memory{entries: make(map[string]*pending)} }

// over returns what is known of an account of which Redis holds from.
func (m *memory) over(userID string, from found) found {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[userID].over(from)
}

// over prefers p, which may be nil, to what it was made from. Where Redis was
// changed otherwise since, neither has all that became known: what was asked for
// later is to be asked for again.
func (p *pending) over(from found) found {
	from.pending = p
	switch {
	case p == nil:
	case from.unread || slices.Contains(p.stamps, from.stamp):
		from.entry = p.entry
	case p.entry.askedAt.After(from.entry.askedAt):
		from.entry = p.entry.outdated()
	default:
		from.entry = from.entry.outdated()
	}
	return from
}

// change edits what is known of an account of which Redis holds from, and may
// have taken the change with the stamp tried. It returns the entry as it is
// then. Where there is no room it is not kept.
func (m *memory) change(userID string, from found, tried string, now time.Time, l limits, edit func(entry) (entry, bool)) found {
	m.mu.Lock()
	defer m.mu.Unlock()
	former, known := m.entries[userID]
	from = former.over(from)
	changed, wanted := edit(from.entry)
	if !wanted {
		return from
	}
	next := &pending{entry: changed}
	switch {
	case !from.unread:
		next.stamps = []string{from.stamp, tried}
	case known:
		next.stamps = former.stamps
	}
	if !known && len(m.entries) >= maxRemembered {
		m.sweep(now, l)
	}
	if known || len(m.entries) < maxRemembered {
		m.entries[userID] = next
	}
	from.entry, from.pending = changed, next
	return from
}

// sweep drops what does not keep anyone from asking the service. What is to be
// asked for again counts as if it were not: it may still be fresh in Redis.
func (m *memory) sweep(now time.Time, l limits) {
	for userID, p := range m.entries {
		e := p.entry
		e.expired = false
		if e.next(now, l) == askService {
			delete(m.entries, userID)
		}
	}
}

// settle drops what Redis has taken, unless it was changed meanwhile.
func (m *memory) settle(userID string, taken *pending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[userID] == taken {
		delete(m.entries, userID)
	}
}

func (m *memory) forget(userID string) (known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known = m.entries[userID]
	delete(m.entries, userID)
	return known
}
