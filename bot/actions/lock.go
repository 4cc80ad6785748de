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

// Lock is the right to carry out an action on a bot. Sent, End, Told and Close follow each other; each
// may be left out but Close. Each takes a second at most for Redis.
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
	told   bool          // staff know how it ended, and the bot is free
	unsent bool          // it was not carried out, and does not count
	pause  time.Duration // for which Redis is yet to hold the same action back
	saved  bool          // Redis has all that, as far as this process knows
}

// Shared reports whether Redis granted the lock. Otherwise another process may have granted one
// as well.
func (l *Lock) Shared() bool { return l.shared }

// Sent is called before the action is sent to the hosting service. If the process dies from then on, nobody
// knows how the action ended. The error is interaction.ErrUnsent if this process was stopped for so long that
// another one has reported that nothing was done. The action must not be sent then.
func (l *Lock) Sent() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != locked {
		return nil
	}
	l.state = sent
	err := l.save()
	if !errors.Is(err, interaction.ErrUnsent) {
		return nil // if Redis did not answer, it may have taken that all the same
	}
	l.state = locked
	return err
}

// End records how the action ended. The bot is free in this process, and in others once Told was
// called.
func (l *Lock) End(action interaction.Action) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if action.Outcome == interaction.Unconfirmed {
		l.pause = HeldBack
	}
	l.free(release{holdBack: l.pause})
	l.action, l.state = action, ended
	_ = l.save() // or the next renewal does it
}

// Told frees the bot, as staff know how the action ended.
func (l *Lock) Told() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = true
	_ = l.save()
}

// Close forgets the action, as the caller knows of it, too. If it was not sent, it does not count among
// those that the user has started. If it was and has not ended, as what runs it has panicked, the same
// action is held back.
func (l *Lock) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == gone {
		return
	}
	l.unsent = l.unsent || l.state == locked
	if l.state == sent {
		l.pause = HeldBack
	}
	l.free(release{holdBack: l.pause, unsent: l.unsent})
	l.state = gone
	_ = l.save()
}

// free frees the bot in this process. The caller holds the mutex.
func (l *Lock) free(r release) {
	l.freeLocal(r)
	l.freeLocal = func(release) {}
}

// save makes Redis hold what is true of the action. The caller holds the mutex.
func (l *Lock) save() error {
	if l.all.cfg.Redis == nil {
		return nil
	}
	err := l.all.store.save(l)
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

// renew makes Redis hold what is true, also if it has lost it since. An action that has ended is not
// renewed while this process is cut off from Discord, so that another one tells its caller.
func (l *Lock) renew(cutOff bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cutOff && l.state == ended && l.saved {
		return nil
	}
	return l.save()
}
