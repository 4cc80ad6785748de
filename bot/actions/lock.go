package actions

import (
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// state is how far an action is.
type state string

const (
	locked state = "locked" // it has yet to be sent to the hosting service
	sent   state = "sent"   // it may have reached the service
	ended  state = "ended"  // with an outcome
	gone   state = "gone"   // it is not in Redis, or to be removed
)

// Lock is the right to carry out an action on a bot. Sent, End, Logged and Close are called in this order; all
// but Close may be left out. Each takes a second at most.
type Lock struct {
	all       *Actions
	request   interaction.Request
	entry     entry
	name      string // of the action
	since     time.Time
	shared    bool
	freeLocal func(release)

	mu     sync.Mutex // also held during requests to Redis
	action interaction.Action
	state  state
	logged bool          // staff can read the outcome, and the bot is free
	unsent bool          // it does not count towards PerWindow
	pause  time.Duration // of the same action, not saved yet
	saved  bool          // the latest save succeeded
}

// Shared reports whether Redis granted the lock. If not, another process may have granted one as well.
func (l *Lock) Shared() bool { return l.shared }

// Sent is called before the action is sent to the hosting service. If the process dies after that, the outcome
// is not known. Sent returns interaction.ErrUnsent if this process was suspended for so long that the leader has
// reported the action as not done: it must not be sent then.
func (l *Lock) Sent() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != locked {
		return nil
	}
	l.state = sent
	err := l.save()
	if !errors.Is(err, interaction.ErrUnsent) {
		return nil // even without an answer, Redis may have saved it
	}
	l.state = locked
	return err
}

// End saves the outcome. The bot is free in this process, and in others once Logged was called.
func (l *Lock) End(action interaction.Action) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if action.Outcome == interaction.Unconfirmed {
		l.pause = Pause
	}
	l.free(release{pause: l.pause})
	l.action, l.state = action, ended
	_ = l.save() // or the next renewal does it
}

// Logged frees the bot, as staff can read the outcome.
func (l *Lock) Logged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logged = true
	_ = l.save()
}

// Close removes the record, as the caller was answered. An action that was not sent does not count towards
// PerWindow. After one that was sent and has not ended, as its handler panicked, the same action is paused.
func (l *Lock) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == gone {
		return
	}
	l.unsent = l.unsent || l.state == locked
	if l.state == sent {
		l.pause = Pause
	}
	l.free(release{pause: l.pause, unsent: l.unsent})
	l.state = gone
	_ = l.save()
}

// free frees the bot in this process. The caller holds the mutex.
func (l *Lock) free(r release) {
	l.freeLocal(r)
	l.freeLocal = func(release) {}
}

// save writes the record. The caller holds the mutex.
func (l *Lock) save() error {
	if l.all.cfg.Redis == nil {
		return nil
	}
	err := l.all.save(l)
	l.saved = err == nil
	switch {
	case err == nil && l.state == gone:
		l.all.forget(l)
	case err == nil:
		l.pause = 0
	case !errors.Is(err, interaction.ErrUnsent):
		l.all.noted.Begin(&l.all.cfg.Log, zerolog.WarnLevel).Err(err).Str("interaction", l.request.ID).Msg("the record of an action is not up to date")
	}
	return err
}

// renew writes the record again, even if Redis has lost it. While this process is cut off from Discord, an
// action that has ended is not renewed, so that the leader answers its caller.
func (l *Lock) renew(cutOff bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cutOff && l.state == ended && l.saved {
		return nil
	}
	return l.save()
}
