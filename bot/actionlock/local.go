package actionlock

import (
	"sync"
	"time"
)

// local holds the locks of the process.
type local struct {
	mu      sync.Mutex
	running map[botKey]Running
	started map[string][]time.Time // by user, oldest first
}

type botKey struct{ customerID, serverID string }

func newLocal() *local {
	return &local{running: make(map[botKey]Running), started: make(map[string][]time.Time)}
}

func (l *local) acquire(c Claim) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), botKey{c.CustomerID, c.ServerID}
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	if recent := l.started[c.UserID]; len(recent) >= PerWindow {
		return nil, &LimitError{Until: recent[0].Add(Window)}
	}
	l.started[c.UserID] = append(l.started[c.UserID], now)
	time.AfterFunc(Window, func() { l.forget(c.UserID) })
	l.running[key] = Running{c.Action, now}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, key)
	}, nil
}

func (l *local) current(customerID, serverID string) *Running {
	l.mu.Lock()
	defer l.mu.Unlock()
	running, ok := l.running[botKey{customerID, serverID}]
	if !ok {
		return nil
	}
	found := running // which alone escapes: most bots have none
	return &found
}

// forget drops the oldest action that a user has started.
func (l *local) forget(userID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started[userID] = l.started[userID][1:]; len(l.started[userID]) == 0 {
		delete(l.started, userID)
	}
}
