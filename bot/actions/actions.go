// Package actions grants locks for actions on hosted bots, one at a time for each bot, and reports the actions
// of processes that died.
//
// An action begins with a record in Redis. The record is a lock as well: while the action runs, no process
// that shares this Redis begins another one on the same bot. A user starts 30 actions a minute at most, and an
// interaction that Discord delivers twice acts once. After an action whose outcome is not known, the same
// action on the same bot is refused for a while.
//
// The record has a state: locked, then sent, from right before the request to the hosting service, then ended,
// with its outcome. The process that runs the action renews the record every 2 s, and the lock lasts for 30 s
// from then. If a record has not been renewed for 8 s, the leader reports it: a locked action as not done, and
// its bot is free at once; a sent one as not confirmed; an ended one with its outcome.
//
// A process that was only suspended still shows the true outcome, and staff read that after the leader's
// report. It does not send an action that was reported as not done. A process that Discord does not answer
// ceases to renew what has ended, so that the leader answers the callers.
//
// If Redis does not answer, each process decides alone. Two processes may then run two actions at once, and
// a process that dies leaves no record.
package actions

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/seldom"
	"hostbot/bot/store/keyspace"
)

const (
	// PerWindow is how many actions a user may start within Window: in all processes on one customer's bots,
	// and in each process on all bots.
	PerWindow = 30
	Window    = time.Minute
	// Pause is how long an action is refused after the same action on the same bot if its outcome is not known.
	Pause = 30 * time.Second
)

// Claim asks for the right to carry out an action on a bot.
type Claim struct {
	Request *interaction.Request
	Action  interaction.Action // BotID is empty for a bot that is to be created
}

// Running is an action that is running.
type Running struct {
	Action string
	Since  time.Time
}

// BusyError says that another action is running on the bot.
type BusyError struct{ Running Running }

func (e *BusyError) Error() string {
	return fmt.Sprintf("actions: %s is running since %s", e.Running.Action, e.Running.Since.Format(time.RFC3339))
}

// LimitError says that the user has started too many actions.
type LimitError struct{ Until time.Time }

func (e *LimitError) Error() string {
	return fmt.Sprintf("actions: %d actions within %v; the next is allowed at %s", PerWindow, Window, e.Until.Format(time.RFC3339))
}

// PausedError says that the same action has just ended on the bot with an unknown outcome.
type PausedError struct{ Until time.Time }

func (e *PausedError) Error() string {
	return "actions: the outcome of the same action is not known; the next is allowed at " + e.Until.Format(time.RFC3339)
}

// ErrDuplicate says that another process acts for the same interaction.
var ErrDuplicate = errors.New("actions: another process acts for the interaction")

// ErrRunning says that an action on one of a customer's bots runs.
var ErrRunning = errors.New("actions: an action on one of the customer's bots runs")

// idlePause is how often AwaitIdle looks.
const idlePause = time.Second

// Report is an action whose process died, with its outcome.
type Report struct {
	Request interaction.Request // without options, fields and values; Token is valid or empty
	Action  interaction.Action
	Known   bool             // the outcome is logged for staff; the caller may not know it
	Lock    interaction.Lock // Logged is called once the outcome is logged for staff
}

// Config is what Actions need.
type Config struct {
	// Redis must heed the deadline of a command's context. If it is nil, the process decides alone.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Reached returns for how long Redis has answered this process without a break.
	Reached func() time.Duration
	// CutOff reports whether Discord has not answered this process for a while. Run needs it.
	CutOff func() bool
	// Report logs the outcome for staff and answers the caller. If it fails, or the process dies in it,
	// it is called again.
	Report func(context.Context, Report) error
	Log    zerolog.Logger
	Timing Timing
}

// Timing says when a process counts as dead.
type Timing struct {
	Abandoned time.Duration // since the last renewal, for the action to be reported
	Renew     time.Duration // between two renewals
}

// DefaultTiming has an action reported within ten seconds after its process has died. A process that cannot
// reach Redis for six seconds does not count as dead.
func DefaultTiming() Timing { return Timing{Abandoned: 8 * time.Second, Renew: 2 * time.Second} }

// Actions are the actions of one process. They are safe for concurrent use.
type Actions struct {
	cfg   Config
	local *local
	noted seldom.Line

	mu  sync.Mutex
	own map[*Lock]struct{} // to be renewed
}

// New returns the actions of a process. Run renews them. The leader reports those that nobody renews (Work).
func New(cfg Config) *Actions {
	return &Actions{cfg: cfg, local: newLocal(), own: make(map[*Lock]struct{})}
}

// Acquire returns a lock, or a *BusyError, a *PausedError, a *LimitError or ErrDuplicate. It takes a second at
// most, and as long again if the process refuses what Redis granted.
func (a *Actions) Acquire(ctx context.Context, c Claim) (*Lock, error) {
	got := a.AcquireAll(ctx, []Claim{c})[0]
	return got.Lock, got.Refusal
}

// Acquired is a lock, or why it was refused.
type Acquired struct {
	Lock    *Lock
	Refusal error
}

// AcquireAll is Acquire for several bots, in one request to Redis. The results are in the order of the claims.
func (a *Actions) AcquireAll(ctx context.Context, claims []Claim) []Acquired {
	got, locks := make([]Acquired, len(claims)), make([]*Lock, len(claims))
	for i, c := range claims {
		locks[i] = a.newLock(c)
	}
	refusals := make([]error, len(claims))
	if a.cfg.Redis != nil {
		refusals = a.acquireShared(context.WithoutCancel(ctx), locks)
	}
	for i, l := range locks {
		if refusals[i] == nil {
			refusals[i] = a.acquireLocal(l, claims[i])
		}
		if got[i].Refusal = refusals[i]; refusals[i] == nil {
			got[i].Lock = l
		}
	}
	return got
}

// acquireLocal takes the process's own lock, once Redis has not refused. An action may still be running that
// was started while Redis did not answer.
func (a *Actions) acquireLocal(l *Lock, c Claim) error {
	if a.cfg.Redis != nil {
		// Even if no answer came, Redis may have granted the lock. So it is renewed and released: otherwise the
		// leader would report an action that has ended.
		a.keep(l)
	}
	free, err := a.local.acquire(c)
	if err != nil {
		l.Close()
		return err
	}
	l.freeLocal = free
	return nil
}

func (a *Actions) newLock(c Claim) *Lock {
	request := *c.Request
	request.Options, request.Fields, request.Values = nil, nil, nil
	return &Lock{
		all: a, request: request, action: c.Action, name: c.Action.Name, state: locked, freeLocal: func(release) {}, since: time.Now(),
		entry: entry{request.CustomerID, botField(c.Action.BotID), rand.Text()},
	}
}

// Running returns the action that this process runs on a bot, or nil.
func (a *Actions) Running(customerID, serverID string) *Running {
	return a.local.current(customerID, serverID)
}

// AwaitIdle waits until no process has an action on a customer's bots that is running, or whose outcome is yet
// to be answered and logged. It returns ErrRunning if ctx is done first.
func (a *Actions) AwaitIdle(ctx context.Context, customerID string) error {
	for a.cfg.Redis != nil {
		runs, err := a.exists(context.WithoutCancel(ctx), Key(customerID)) // a record of an action on any of the bots
		if err != nil || !runs {
			return err
		}
		select {
		case <-ctx.Done():
			return ErrRunning
		case <-time.After(idlePause):
		}
	}
	return nil
}

// botField names a bot in Redis, as its ID may be long and contain anything.
func botField(serverID string) string {
	sum := sha256.Sum256([]byte(serverID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// keep adds a lock to those that are renewed.
func (a *Actions) keep(l *Lock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own[l] = struct{}{}
}

// forget removes a lock from those that are renewed.
func (a *Actions) forget(l *Lock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.own, l)
}
