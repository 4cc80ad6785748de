package accounts

import (
	"sync"
	"time"
)

// maxRemembered bounds how many accounts are kept in memory.
const maxRemembered = 1000

// memory keeps entries in the process for as long as Redis cannot be used, so
// that the service is not asked for an account over and over meanwhile.
type memory struct {
	mu      sync.Mutex
	entries map[string]entry
}

func newMemory() *memory { return &memory{entries: make(map[string]entry)} }

// get returns the entry of an account, an empty one where there is none.
func (m *memory) get(userID string) entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[userID]
}

// change edits the entry of an account, or base where there is none, and
// returns it as it is then. Where there is no room it is not kept.
func (m *memory) change(userID string, base entry, now time.Time, l limits, edit func(entry) (entry, bool)) entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	current, known := m.entries[userID]
	if !known {
		current = base
	}
	changed, wanted := edit(current)
	if !wanted {
		return current
	}
	if !known && len(m.entries) >= maxRemembered {
		m.sweep(now, l)
	}
	if known || len(m.entries) < maxRemembered {
		m.entries[userID] = changed
	}
	return changed
}

// sweep drops what does not keep anyone from asking the service.
func (m *memory) sweep(now time.Time, l limits) {
	for userID, e := range m.entries {
		if e.next(now, l) == askService {
			delete(m.entries, userID)
		}
	}
}

func (m *memory) forget(userID string) (known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known = m.entries[userID]
	delete(m.entries, userID)
	return known
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
}
