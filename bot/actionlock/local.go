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
	held    map[heldKey]time.Time  // until when
}

type botKey struct{ customerID, serverID string }

type heldKey struct {
	bot    botKey
	action string
}

func newLocal() *local {
	return &local{running: make(map[botKey]Running), started: make(map[string][]time.Time), held: make(map[heldKey]time.Time)}
}

func (l *local) acquire(c Claim) (release func(holdBack bool), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), botKey{c.CustomerID, c.ServerID}
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	if until := l.held[heldKey{key, c.Action}]; now.Before(until) {
		return nil, &HeldError{until}
	}
	if recent := l.started[c.UserID]; len(recent) >= PerWindow {
		return nil, &LimitError{Until: recent[0].Add(Window)}
	}
	l.started[c.UserID] = append(l.started[c.UserID], now)
	time.AfterFunc(Window, func() { l.forget(c.UserID) })
	l.running[key] = Running{c.Action, now}
	return func(holdBack bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, key)
		if holdBack {
			l.holdBack(heldKey{key, c.Action})
		}
	}, nil
}

// holdBack holds an action back. The caller holds the mutex.
func (l *local) holdBack(key heldKey) {
	l.held[key] = time.Now().Add(HeldBack)
	time.AfterFunc(HeldBack, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, key) // a second one was refused until now
	})
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
