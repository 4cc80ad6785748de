package incident

import (
	"slices"
	"sync"
)

// maxHeld is how many incidents a process holds while Redis is away: 2 kB each.
const maxHeld = 500

// memory holds the latest incidents that Redis did not take.
type memory struct {
	mu        sync.Mutex
	incidents []Incident // oldest first
}

// hold holds an incident, unless there is one of its reference already.
func (m *memory) hold(incident Incident) {
	if _, known := m.find(incident.Reference); known {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.incidents) == maxHeld {
		m.incidents = slices.Delete(m.incidents, 0, 1)
	}
	m.incidents = append(m.incidents, incident)
}

func (m *memory) find(code string) (Incident, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.incidents, func(s Incident) bool { return s.Reference == code })
	if i < 0 {
		return Incident{}, false
	}
	return m.incidents[i], true
}
