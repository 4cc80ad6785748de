package turns

import (
	"sync"
	"time"
)

// local is who has which turn within the process.
type local struct {
	now func() time.Time

	mu      sync.Mutex
	running map[botKey]Turn
	started map[string][]time.Time // by user, oldest first, within the window
}

type botKey struct{ customerID, serverID string }

func newLocal(now func() time.Time) *local {
	return &local{now: now, running: make(map[botKey]Turn), started: make(map[string][]time.Time)}
}

func (l *local) begin(c Claim) (end func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := l.now(), botKey{c.CustomerID, c.ServerID}
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	l.forget(now)
	if recent := l.started[c.UserID]; len(recent) >= PerWindow {
		return nil, &LimitError{Until: recent[0].Add(Window)}
	}
	l.started[c.UserID] = append(l.started[c.UserID], now)
	l.running[key] = Turn{c.Action, now}
	// Once: when it is called again, another action may be running.
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, key)
	}), nil
}

func (l *local) current(customerID, serverID string) (Turn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn, ok := l.running[botKey{customerID, serverID}]
	return turn, ok
}

// forget drops starts that have left the window. It looks at all users, of
// whom few act within a minute, so that nobody is remembered for ever.
func (l *local) forget(now time.Time) {
	for user, times := range l.started {
		kept := times
		for len(kept) > 0 && !kept[0].Add(Window).After(now) {
			kept = kept[1:]
		}
		if len(kept) == 0 {
			delete(l.started, user)
		} else {
			l.started[user] = kept
		}
	}
}
