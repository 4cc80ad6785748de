package actions

import (
	"sync"
	"time"

	"hostbot/bot/interaction"
)

// state is how far an action is, as Redis has it.
type state string

const (
	running     state = "running"
	ended       state = "ended"
	unconfirmed state = "unconfirmed" // nobody knows how it ended
	gone        state = "gone"        // it is not in Redis
)

// phase is what is yet to be done about an action.
type phase int

const (
	acting   phase = iota // it is carried out
	untold                // it has ended, and staff are to be told
	told                  // staff know, and the caller is to be told; the bot is free
	closed                // nothing
	reported              // nothing, as another process has told that nobody knows how it ended
)

// Lock is the right to carry out an action on a bot. End, Told and Close follow each other; each may
// be left out but Close. Each takes a second at most for Redis.
type Lock struct {
	all       *Actions
	request   interaction.Request
	entry     entry
	name      string // of the action
	since     time.Time
	shared    bool
	freeLocal func(release)

	mu     sync.Mutex // held while Redis is told
	action interaction.Action
	state  state
	phase  phase
	saved  bool // Redis has the state and the phase
	handed bool // the leader is to tell the caller
}

// Shared reports whether Redis granted the lock. Otherwise another process may have granted one
// as well.
func (l *Lock) Shared() bool { return l.shared }

// End records how the action ended, and reports whether staff are to be told. They are not if
// another process has told them that nobody knows. The bot is free in this process, and in others
// once Told was called.
func (l *Lock) End(action interaction.Action) (tell bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end, holdBack := ended, time.Duration(0)
	if action.Outcome == interaction.Unconfirmed {
		end, holdBack = unconfirmed, HeldBack
	}
	if l.phase == acting {
		l.action, l.state = action, end
		l.move(untold)
	}
	l.free(release{holdBack: holdBack})
	return l.phase != reported
}

// free frees the bot in this process. The caller holds the mutex.
func (l *Lock) free(r release) {
	l.freeLocal(r)
	l.freeLocal = func(release) {}
}

// Told frees the bot, as staff know how the action ended.
func (l *Lock) Told() { l.moveTo(told) }

// Close forgets the action, as the caller knows of it, too. If it has not ended, it was not
// carried out, and does not count among those that the user has started.
func (l *Lock) Close() { l.moveTo(closed) }

func (l *Lock) moveTo(next phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(release{unsent: next == closed && l.phase == acting})
	if l.phase < next {
		l.move(next)
	}
}

// isOwn reports whether the user acts on a bot of their own.
func (l *Lock) isOwn() bool { return l.request.UserID == l.request.CustomerID }

// move goes on to another phase. The caller holds the mutex.
func (l *Lock) move(next phase) {
	l.phase, l.saved = next, false
	l.all.note(l, l.sync())
}

// sync makes Redis hold what is true of the action. The caller holds the mutex.
func (l *Lock) sync() error {
	if l.all.cfg.Redis == nil || l.phase == reported {
		l.all.forget(l)
		return nil
	}
	if !l.saved && (l.phase != closed || l.state == unconfirmed) || l.phase == acting {
		taken, err := l.all.store.save(l)
		if err != nil {
			return err
		}
		if l.saved = true; taken {
			l.phase = reported
			l.all.forget(l)
			return nil
		}
	}
	if l.phase != closed {
		return nil
	}
	if err := l.all.store.remove(l.entry); err != nil {
		return err
	}
	if l.state == running {
		l.all.store.giveBack(l)
	}
	l.all.forget(l)
	l.all.remember(l.entry)
	return nil
}

// handOver has the leader tell the caller how the action ended, if this process is cut off from
// Discord and staff know already. It reports whether the leader is to, from now on or before.
func (l *Lock) handOver(cutOff bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cutOff && !l.handed && l.phase == told && l.saved {
		l.handed = l.all.store.abandon(l.entry.String()) == nil // otherwise the next renewal does it
	}
	return l.handed
}

// renew makes Redis hold what is true, also if it has lost it since.
func (l *Lock) renew() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.sync()
	l.all.note(l, err)
	return err
}
