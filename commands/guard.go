package commands

import (
	"fmt"
	"sync"
	"time"
)

const (
	// actionsPerWindow is how many actions a user may start within a window.
	actionsPerWindow = 30
	actionWindow     = time.Minute
)

// busyError says that another action is running on the bot.
type busyError struct {
	botName string
	since   time.Time
}

func (e *busyError) Error() string {
	return "another action is running since " + e.since.Format(time.RFC3339)
}

// limitError says that the user has started too many actions.
type limitError struct{ until time.Time }

func (e *limitError) Error() string {
	return fmt.Sprintf("%d actions within %v; the next is allowed at %s", actionsPerWindow, actionWindow, e.until.Format(time.RFC3339))
}

// guard allows one action at a time on a bot, and a user only so many a minute.
type guard struct {
	now func() time.Time

	mu      sync.Mutex
	running map[guarded]running
	started map[string][]time.Time // by user, oldest first, within the window
}

type guarded struct{ customerID, serverID string }

// running is an action that has not ended.
type running struct {
	action action
	since  time.Time
}

func newGuard(now func() time.Time) *guard {
	return &guard{now: now, running: make(map[guarded]running), started: make(map[string][]time.Time)}
}

// begin notes the start of an action on a customer's bot and returns what to
// call at its end. It counts for the user who starts it.
func (g *guard) begin(userID, customerID, serverID, botName string, a action) (end func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, key := g.now(), guarded{customerID, serverID}
	if other, busy := g.running[key]; busy {
		return nil, &busyError{botName: botName, since: other.since}
	}
	g.forget(now)
	if recent := g.started[userID]; len(recent) >= actionsPerWindow {
		return nil, &limitError{until: recent[0].Add(actionWindow)}
	}
	g.started[userID] = append(g.started[userID], now)
	g.running[key] = running{a, now}
	// Once: when it is called again, another action may be running.
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, key)
	}), nil
}

// current returns the action that is running on a bot, if any.
func (g *guard) current(customerID, serverID string) (running, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, ok := g.running[guarded{customerID, serverID}]
	return r, ok
}

// forget drops starts that have left the window. It looks at all users, of
// whom few act within a minute, so that nobody is remembered for ever.
func (g *guard) forget(now time.Time) {
	for user, times := range g.started {
		kept := times
		for len(kept) > 0 && !kept[0].Add(actionWindow).After(now) {
			kept = kept[1:]
		}
		if len(kept) == 0 {
			delete(g.started, user)
		} else {
			g.started[user] = kept
		}
	}
}
