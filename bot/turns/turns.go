// Package turns sees to it that one action at a time runs on a hosted bot, that
// no user starts more than so many a minute, and that an interaction which is
// delivered twice acts once: within the process, and through Redis among all
// that share one.
//
// Where Redis does not answer, the process decides by itself, so two processes
// may then let two actions run at once.
package turns

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
)

const (
	// visitLimit bounds one use of Redis. It is generous: the interaction is
	// deferred meanwhile, and what goes on without Redis may act twice.
	visitLimit = time.Second
	// lease is after what time a turn is over whose holder has died. Who lives
	// renews it every renewal.
	lease   = 30 * time.Second
	renewal = 10 * time.Second
	// endPause is between two attempts to give a turn up.
	endPause = 200 * time.Millisecond
)

// Claim asks for the turn to act on a bot.
type Claim struct {
	InteractionID string
	UserID        string // who acts
	CustomerID    string // whose bot it is
	ServerID      string // of the bot; may be empty for one that is to be made
	Action        string
}

// Turn is an action that is under way.
type Turn struct {
	Action string
	Since  time.Time
}

// BusyError says that another action is running on the bot.
type BusyError struct{ Turn Turn }

func (e *BusyError) Error() string {
	return fmt.Sprintf("turns: %s is running since %s", e.Turn.Action, e.Turn.Since.Format(time.RFC3339))
}

// LimitError says that the user has started too many actions.
type LimitError struct{ Until time.Time }

func (e *LimitError) Error() string {
	return fmt.Sprintf("turns: %d actions within %v; the next is allowed at %s", PerWindow, Window, e.Until.Format(time.RFC3339))
}

// ErrTaken says that another process acts for the same interaction.
var ErrTaken = errors.New("turns: the interaction was taken by another process")

// Turns are safe for concurrent use.
type Turns struct {
	redis redis.UniversalClient
	local *local
	now   func() time.Time
}

// New returns turns that nobody has. Without a Redis (nil) the process decides
// alone.
func New(client redis.UniversalClient) *Turns {
	return &Turns{redis: client, local: newLocal(time.Now), now: time.Now}
}

// Begin takes the turn for a claim and returns what to call at its end, more
// than once if need be. The error is a *BusyError, a *LimitError or ErrTaken. It
// takes a second at most, and as long again where Redis does not answer and the
// process refuses.
func (t *Turns) Begin(ctx context.Context, c Claim) (end func(), err error) {
	if t.redis == nil {
		return t.local.begin(c)
	}
	turn, err := t.take(ctx, c)
	if err != nil {
		return nil, err
	}
	// Also where Redis has granted it: an action may still be running that was
	// begun while Redis did not answer.
	leave, err := t.local.begin(c)
	if err != nil {
		turn.end()
		return nil, err
	}
	return sync.OnceFunc(func() {
		leave()
		turn.end()
	}), nil
}

// Current returns the action that this process is running on a bot, if any.
func (t *Turns) Current(customerID, serverID string) (Turn, bool) {
	return t.local.current(customerID, serverID)
}

// take takes the turn among all processes.
func (t *Turns) take(ctx context.Context, c Claim) (*shared, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), visitLimit)
	defer cancel()
	return take(ctx, t.redis, c, t.now())
}

func isRefusal(err error) bool {
	var busy *BusyError
	var limit *LimitError
	return errors.As(err, &busy) || errors.As(err, &limit) || errors.Is(err, ErrTaken)
}
