package actions

import (
	"maps"
	"slices"
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

func (l *local) acquire(c Claim) (release func(holdBack time.Duration), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), botKey{c.Request.CustomerID, c.Action.BotID}
	l.forget(now)
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	if until, held := l.held[heldKey{key, c.Action.Name}]; held {
		return nil, &HeldError{until}
	}
	if recent := l.started[c.Request.UserID]; len(recent) >= PerWindow {
		return nil, &LimitError{Until: recent[0].Add(Window)}
	}
	l.started[c.Request.UserID] = append(l.started[c.Request.UserID], now)
	l.running[key] = Running{c.Action.Name, now}
	return func(holdBack time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, key)
		if holdBack > 0 {
			l.held[heldKey{key, c.Action.Name}] = time.Now().Add(holdBack)
		}
	}, nil
}

// forget forgets what is over. The caller holds the mutex.
func (l *local) forget(now time.Time) {
	maps.DeleteFunc(l.held, func(_ heldKey, until time.Time) bool { return !now.Before(until) })
	for user, all := range l.started {
		recent := slices.DeleteFunc(all, func(at time.Time) bool { return now.Sub(at) >= Window })
		if l.started[user] = recent; len(recent) == 0 {
			delete(l.started, user)
		}
	}
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
