// Package actionlock lets one action at a time run on a hosted bot and a user
// start 30 actions a minute, and lets an interaction that Discord delivers twice
// act once: within the process, and through Redis among all processes that share
// it. An action whose end is not known is held back for a while.
//
// Where Redis does not answer, the process decides alone. Two processes may then
// let two actions run at once.
package actionlock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// PerWindow is how many actions a user may start within Window.
	PerWindow = 30
	Window    = time.Minute
	// HeldBack is for how long an action is refused after one of its kind on the same
	// bot whose end is not known.
	HeldBack = 30 * time.Second
)

// Claim asks for the lock of a bot.
type Claim struct {
	InteractionID string
	UserID        string // of the caller
	CustomerID    string // of the bot's owner
	ServerID      string // of the bot; empty for one that is to be created
	Action        string
}

// Running is an action that is running.
type Running struct {
	Action string
	Since  time.Time
}

// BusyError says that another action is running on the bot.
type BusyError struct{ Running Running }

func (e *BusyError) Error() string {
	return fmt.Sprintf("actionlock: %s is running since %s", e.Running.Action, e.Running.Since.Format(time.RFC3339))
}

// LimitError says that the user has started too many actions.
type LimitError struct{ Until time.Time }

func (e *LimitError) Error() string {
	return fmt.Sprintf("actionlock: %d actions within %v; the next is allowed at %s", PerWindow, Window, e.Until.Format(time.RFC3339))
}

// HeldError says that it is not known how the same action has just ended on the bot.
type HeldError struct{ Until time.Time }

func (e *HeldError) Error() string {
	return "actionlock: the end of the same action is not known; the next is allowed at " + e.Until.Format(time.RFC3339)
}

// ErrDuplicate says that another process acts for the same interaction.
var ErrDuplicate = errors.New("actionlock: another process acts for the interaction")

// Locks grants locks. It is safe for concurrent use.
type Locks struct {
	redis   redis.UniversalClient
	local   *local
	renewal time.Duration
}

// New returns locks that nobody holds. Without a Redis (nil) the process decides
// alone. Redis must heed the deadline of a command's context.
func New(client redis.UniversalClient) *Locks {
	return &Locks{redis: client, local: newLocal(), renewal: renewal}
}

// Lock is the right to act on a bot.
type Lock struct {
	// Local says that this process granted the lock alone, because Redis did not
	// answer. Another process may have granted one as well.
	Local   bool
	release func(holdBack time.Duration)
}

// Release gives the lock up. Release and HoldBack take a second at most. After the
// first call of either, further calls do nothing.
func (l *Lock) Release() { l.release(0) }

// HoldBack gives the lock up after an action whose end is not known. The same action
// is refused on the bot for the time HeldBack.
func (l *Lock) HoldBack() { l.release(HeldBack) }

// Acquire returns the lock that is asked for, or a *BusyError, a *HeldError, a
// *LimitError or ErrDuplicate. It takes a second at most, and as long again where the process
// refuses what Redis granted.
func (l *Locks) Acquire(ctx context.Context, c Claim) (*Lock, error) {
	releaseShared, granted := func(time.Duration) {}, false
	if l.redis != nil {
		shared, sure, refusal := l.newLock(ctx, c)
		if refusal != nil {
			return nil, refusal
		}
		releaseShared, granted = shared.release, sure
	}
	// The process is asked also where Redis grants the lock: an action may still
	// be running that was started while Redis did not answer.
	releaseLocal, err := l.local.acquire(c)
	if err != nil {
		releaseShared(0)
		return nil, err
	}
	var once sync.Once
	return &Lock{Local: !granted, release: func(holdBack time.Duration) {
		once.Do(func() {
			releaseLocal(holdBack)
			releaseShared(holdBack)
		})
	}}, nil
}

// Running returns the action that this process is running on a bot, or nil.
func (l *Locks) Running(customerID, serverID string) *Running {
	return l.local.current(customerID, serverID)
}
