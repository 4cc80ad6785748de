package accounts

import "sync"

// maxPending bounds how many accounts are kept in memory. More than that, which
// takes a long outage of Redis, push out others.
const maxPending = 1000

// pending is an account that could not be written to Redis. It stays as it is.
type pending struct {
	entry *entry // nil: it is only known that the entry in Redis is outdated
	fresh bool   // as long as the entry's age allows
}

// memory holds what is pending. It is empty while Redis works.
type memory struct {
	mu       sync.Mutex
	accounts map[string]*pending
}

// get returns what is pending of an account, or nil.
func (m *memory) get(userID string) *pending {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accounts[userID]
}

// replace puts next in the place of former, and tells whether that was still
// there. Either may be nil.
func (m *memory) replace(userID string, former, next *pending) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.accounts[userID] != former {
		return false
	}
	m.set(userID, next)
	return true
}

// expire notes that what is known of an account is outdated.
func (m *memory) expire(userID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := new(pending)
	if p := m.accounts[userID]; p != nil {
		next.entry = p.entry
	}
	m.set(userID, next)
}

func (m *memory) set(userID string, p *pending) {
	delete(m.accounts, userID)
	if p == nil {
		return
	}
	for other := range m.accounts {
		if len(m.accounts) < maxPending {
			break
		}
		delete(m.accounts, other)
	}
	m.accounts[userID] = p
}
