// Package actions carries out one action at a time on a hosted bot, once, and reports the action of a
// process that died.
//
// An action begins with a record in Redis, which is its lock as well: while it runs, no process
// that shares this Redis begins another one on the bot. A user starts 30 actions a minute at
// most, and an interaction that Discord delivers twice acts once. An action that ended in a way
// that nobody knows is held back for a while.
//
// The record says how far the action is: it is locked until it is about to be sent to the hosting
// service, sent until it has ended, and then has its outcome. The process that runs the action renews
// the record every 2 s, and the lock holds for 30 s from then. A record that was not renewed for 8 s is
// abandoned: the leader reports it. What was locked was not done, and its bot is free at once. What was
// sent is not confirmed. What has ended is reported as it ended.
//
// A process that was only stopped shows the true end all the same, and staff read that after what the
// leader has reported. It does not send what was reported as not done. A process that Discord does not
// answer ceases to renew what has ended, so that the leader tells the callers.
//
// If Redis does not answer, the process decides alone. Two processes may then let two actions run
// at once, and a process that dies leaves no record.
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
	// PerWindow is how many actions a user may start within Window: over all processes on the bots of one
	// customer, and in each process on those of all customers, as staff do.
	PerWindow = 30
	Window    = time.Minute
	// HeldBack is for how long an action is refused after one of its kind on the same
	// bot whose end is not known.
	HeldBack = 30 * time.Second
)

// Claim asks for the right to carry out an action on a bot.
type Claim struct {
	Request *interaction.Request
	Action  interaction.Action // the bot's ID is empty for one that is to be created
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

// HeldError says that it is not known how the same action has just ended on the bot.
type HeldError struct{ Until time.Time }

func (e *HeldError) Error() string {
	return "actions: the end of the same action is not known; the next is allowed at " + e.Until.Format(time.RFC3339)
}

// ErrDuplicate says that another process acts for the same interaction.
var ErrDuplicate = errors.New("actions: another process acts for the interaction")

// ErrRunning says that an action on one of a customer's bots runs.
var ErrRunning = errors.New("actions: an action on one of the customer's bots runs")

// idlePause is between two looks whether actions run.
const idlePause = time.Second

// Report is what is reported of an action whose process died. It has an outcome.
type Report struct {
	Request interaction.Request // without what was typed and chosen, and with a token that is good or none
	Action  interaction.Action
	Known   bool // staff know how it ended; the caller may not
	// Lock is told when staff know.
	Lock interaction.Lock
}

// Config is what Actions need.
type Config struct {
	// Redis must heed the deadline of a command's context. Without one (nil) the process
	// decides alone.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Reached returns for how long this process could reach Redis without a break.
	Reached func() time.Duration
	// CutOff reports whether Discord has not answered this process for a while. It may be nil.
	CutOff func() bool
	// Report tells staff and the caller of an action. If this process dies in it, or after an error,
	// it is called again.
	Report func(context.Context, Report) error
	Log    zerolog.Logger
	Timing Timing
}

// Timing says when a process counts as dead.
type Timing struct {
	Abandoned time.Duration // an action is abandoned that was not renewed for so long
	Renew     time.Duration // between two renewals
}

// DefaultTiming has an action reported within ten seconds after its process has died. A process
// that cannot reach Redis for six seconds is not taken for dead.
func DefaultTiming() Timing { return Timing{Abandoned: 8 * time.Second, Renew: 2 * time.Second} }

// Actions are the actions of one process. They are safe for concurrent use.
type Actions struct {
	cfg   Config
	store store
	local *local
	noted seldom.Line

	mu  sync.Mutex
	own map[*Lock]struct{} // of which Redis is to be told
}

// New returns the actions of a process, none of which runs. They are renewed while Run
// runs. The leader reports those that nobody renews (Work).
func New(cfg Config) *Actions {
	return &Actions{cfg: cfg, store: store{cfg}, local: newLocal(), own: make(map[*Lock]struct{})}
}

// Acquire returns the lock that is asked for, or a *BusyError, a *HeldError, a *LimitError or
// ErrDuplicate. It takes a second at most, and as long again if the process refuses what Redis
// granted.
func (a *Actions) Acquire(ctx context.Context, c Claim) (*Lock, error) {
	got := a.AcquireAll(ctx, []Claim{c})[0]
	return got.Lock, got.Refusal
}

// Acquired is a lock, or why it was refused.
type Acquired struct {
	Lock    *Lock
	Refusal error
}

// AcquireAll is Acquire for several bots, in the order of the claims, for which Redis is asked once.
func (a *Actions) AcquireAll(ctx context.Context, claims []Claim) []Acquired {
	got, locks := make([]Acquired, len(claims)), make([]*Lock, len(claims))
	for i, c := range claims {
		locks[i] = a.newLock(c)
	}
	refusals := make([]error, len(claims))
	if a.cfg.Redis != nil {
		refusals = a.store.acquire(context.WithoutCancel(ctx), locks)
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

// acquireLocal asks the process for a lock that Redis has not refused. It is asked also if Redis grants
// the lock: an action may still be running that was started while Redis did not answer.
func (a *Actions) acquireLocal(l *Lock, c Claim) error {
	if a.cfg.Redis != nil {
		// If no answer came, Redis may have granted the lock all the same. It is renewed and
		// released for that reason: otherwise others would be told of an action that has ended.
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

// Running returns the action that this process is running on a bot, or nil.
func (a *Actions) Running(customerID, serverID string) *Running {
	return a.local.current(customerID, serverID)
}

// AwaitIdle waits until no action runs on a customer's bots, in whichever process, and its customer and staff
// know how it ended. The error is ErrRunning if one still runs once ctx is done.
func (a *Actions) AwaitIdle(ctx context.Context, customerID string) error {
	for a.cfg.Redis != nil {
		runs, err := a.store.runs(ctx, customerID)
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

// botField names a bot in Redis. Its ID may be long, and hold anything.
func botField(serverID string) string {
	sum := sha256.Sum256([]byte(serverID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// keep has a lock be renewed.
func (a *Actions) keep(l *Lock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own[l] = struct{}{}
}

// forget has a lock not renewed any more.
func (a *Actions) forget(l *Lock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.own, l)
}
