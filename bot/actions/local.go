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
	tidied  time.Time              // when what is over was forgotten last
}

type botKey struct{ customerID, serverID string }

type heldKey struct {
	bot    botKey
	action string
}

func newLocal() *local {
	return &local{running: make(map[botKey]Running), started: make(map[string][]time.Time), held: make(map[heldKey]time.Time)}
}

// release is how a lock of the process is released.
type release struct {
	holdBack time.Duration // for so long the same action is refused
	unsent   bool          // it was not carried out, and does not count
}

func (l *local) acquire(c Claim) (free func(release), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), botKey{c.Request.CustomerID, c.Action.BotID}
	l.tidy(now)
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	if until := l.held[heldKey{key, c.Action.Name}]; now.Before(until) {
		return nil, &HeldError{until}
	}
	recent := within(l.started[c.Request.UserID], now)
	l.started[c.Request.UserID] = recent
	if len(recent) >= PerWindow {
		return nil, &LimitError{Until: recent[0].Add(Window)}
	}
	l.started[c.Request.UserID] = append(recent, now)
	l.running[key] = Running{c.Action.Name, now}
	return func(r release) {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, key)
		if r.holdBack > 0 {
			l.held[heldKey{key, c.Action.Name}] = time.Now().Add(r.holdBack)
		}
		started := l.started[c.Request.UserID]
		if i := slices.Index(started, now); r.unsent && i >= 0 {
			l.started[c.Request.UserID] = slices.Delete(started, i, i+1)
		}
	}, nil
}

// within returns those of some times that are in the window.
func within(all []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(all, func(at time.Time) bool { return now.Sub(at) >= Window })
}

// tidy forgets what is over, of everybody, once in a while. The caller holds the mutex.
func (l *local) tidy(now time.Time) {
	if now.Sub(l.tidied) < Window {
		return
	}
	l.tidied = now
	maps.DeleteFunc(l.held, func(_ heldKey, until time.Time) bool { return !now.Before(until) })
	for user, all := range l.started {
		if l.started[user] = within(all, now); len(l.started[user]) == 0 {
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
