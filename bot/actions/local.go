package actions

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// local has the locks of the process.
type local struct {
	mu      sync.Mutex
	running map[botKey]Running
	started map[string][]time.Time // by user, oldest first
	paused  map[pauseKey]time.Time // until when
	tidied  time.Time              // when tidy last did its work
}

type botKey struct{ customerID, serverID string }

type pauseKey struct {
	bot    botKey
	action string
}

func newLocal() *local {
	return &local{running: make(map[botKey]Running), started: make(map[string][]time.Time), paused: make(map[pauseKey]time.Time)}
}

// release is how a lock of the process is released.
type release struct {
	pause  time.Duration // for which the same action is refused
	unsent bool          // it does not count towards PerWindow
}

func (l *local) acquire(c Claim) (free func(release), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), botKey{c.Request.CustomerID, c.Action.BotID}
	l.tidy(now)
	if other, busy := l.running[key]; busy {
		return nil, &BusyError{other}
	}
	if until := l.paused[pauseKey{key, c.Action.Name}]; now.Before(until) {
		return nil, &PausedError{until}
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
		if r.pause > 0 {
			l.paused[pauseKey{key, c.Action.Name}] = time.Now().Add(r.pause)
		}
		started := l.started[c.Request.UserID]
		if i := slices.Index(started, now); r.unsent && i >= 0 {
			l.started[c.Request.UserID] = slices.Delete(started, i, i+1)
		}
	}, nil
}

// within returns the times that are less than Window ago.
func within(all []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(all, func(at time.Time) bool { return now.Sub(at) >= Window })
}

// tidy removes what is over, at most once in a Window. The caller holds the mutex.
func (l *local) tidy(now time.Time) {
	if now.Sub(l.tidied) < Window {
		return
	}
	l.tidied = now
	maps.DeleteFunc(l.paused, func(_ pauseKey, until time.Time) bool { return !now.Before(until) })
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
	found := running // a copy, so that nothing is allocated for the many bots without an action
	return &found
}
