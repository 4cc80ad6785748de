// Package watcher looks at accounts that somebody wants to be watched, and tells what
// changed in them.
//
// Redis holds when each account is due: once in an interval, which grows where that would
// be more calls a second than are allowed. Of all processes that share the Redis, the one
// that holds the lease looks and tells. A look writes the bots' states, the changes, and
// the next due time in one script, unless that time was changed meanwhile. So a change is
// neither lost nor told twice as the work of two processes.
//
// A look that fails tells nothing: the service being away is no change. Looks stand
// back behind customers. They are few at a time, cease for as long as the service asks
// for after a 429, and are one in a while where the service is taken to be away.
package watcher

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/lease"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// Reason is why an account is watched. One may have several.
type Reason string

// The reasons.
const (
	Alerts Reason = "alerts"
	Panel  Reason = "panel"
)

// Change is a change of a bot's state, as two looks show it.
type Change struct {
	CustomerID string `json:"customer"`
	ServerID   string `json:"server"`
	Name       string `json:"name"`
	Plan       string `json:"plan,omitempty"`
	// From is history.Unwatched where the bot was not seen before; To is history.Gone
	// where the account has it no more.
	From hostapi.State `json:"from"`
	To   hostapi.State `json:"to"`
	// From was seen first at Since; it may have lasted for longer where nobody looked
	// before that.
	Since  time.Time `json:"since,omitzero"`
	Longer bool      `json:"longer,omitempty"`
	// The change came between After and At: the look before, and when the service told of
	// it, which is the look that showed it or, of a bot that a customer had looked at
	// alone, a moment before that.
	After time.Time `json:"after,omitzero"`
	At    time.Time `json:"at"`
	// Unasked says that the bot stopped running although nobody had asked for it.
	Unasked bool `json:"unasked,omitempty"`
}

// Accounts asks the service for an account, for others to see as well.
type Accounts interface {
	Look(ctx context.Context, userID string) (accounts.Snapshot, error)
}

// Config is what a Watcher needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Space    keyspace.Space // in Redis
	Accounts Accounts
	// Interval is between two looks at an account; 0 turns all of this off. Rate is how
	// many looks a second there may be, over all processes.
	Interval time.Duration
	Rate     int
	// DownSince returns since when the service is taken to be away; zero: it is not.
	DownSince func() time.Time
	OnSlow    func(Status) // is told when the interval has to grow
	Log       zerolog.Logger
	Timing    Timing
}

// Timing is how a Watcher uses time, beside the interval. Tests may be less patient.
type Timing struct {
	Turn   time.Duration // between two questions what is due and what has changed, at most
	Lease  time.Duration // until another process takes the place of one that died
	Settle time.Duration // for how long an action explains what it leads to
	Probe  time.Duration // between two looks while the service is away
}

// DefaultTiming returns the timing for Discord and the service.
func DefaultTiming() Timing {
	return Timing{Turn: 200 * time.Millisecond, Lease: 10 * time.Second, Settle: 2 * time.Minute, Probe: 15 * time.Second}
}

// Status is how the watching fares.
type Status struct {
	Accounts int           // that are watched
	Interval time.Duration // between two looks at one, as it is now
	Grown    bool          // it is longer than it should be
	Lag      time.Duration // for how long the account has been due that is due first
	Looks    uint64        // that succeeded in this process
	Failed   uint64        // that did not
}

// Watcher watches accounts. It is safe for concurrent use.
type Watcher struct {
	Config
	observers     []func(context.Context, []Change) error
	status        atomic.Pointer[Status]
	looks, failed atomic.Uint64
	lease         *lease.Lease // whoever holds it looks and tells

	looking  sync.WaitGroup
	mu       sync.Mutex
	underWay map[string]bool // the accounts that are being looked at

	// Used by Run alone.
	left     float64 // of the looks that the rate allows
	leftAt   time.Time
	probedAt time.Time // while the service is away
}

// New returns a watcher. It looks at nothing until Run is called.
func New(c Config) *Watcher {
	w := &Watcher{Config: c, lease: lease.New(c.Redis, c.Space.Key(leaseKey)), underWay: make(map[string]bool)}
	w.status.Store(&Status{Interval: c.Interval})
	return w
}

// Observe has changed be told of changes, in the order in which they were seen, by one
// process at a time. It is told of them again where it returned an error or its process
// died, so it must be able to take one twice. Observe is called before Run.
func (w *Watcher) Observe(changed func(ctx context.Context, changes []Change) error) {
	w.observers = append(w.observers, changed)
}

// On tells whether accounts are watched at all.
func (w *Watcher) On() bool { return w.Config.Interval > 0 }

// Status returns how the watching fares, as this process has seen last.
func (w *Watcher) Status() Status {
	s := *w.status.Load()
	s.Looks, s.Failed = w.looks.Load(), w.failed.Load()
	return s
}

// Pace returns at which interval accounts are looked at now.
func (w *Watcher) Pace() time.Duration { return w.status.Load().Interval }

// Watch has an account watched, from now on. Several calls for a reason are as one.
func (w *Watcher) Watch(ctx context.Context, customerID string, why Reason) error {
	return w.run(ctx, watchScript, customerID, string(why)).Err()
}

// Unwatch takes a reason back. Without any, the account is not watched any more, and
// all that is kept of it is forgotten.
func (w *Watcher) Unwatch(ctx context.Context, customerID string, why Reason) error {
	return w.run(ctx, unwatchScript, customerID, string(why)).Err()
}

// Expect notes that an action on a bot is about to be sent to the service, so that what
// it leads to is not told as unasked for. It takes a quarter of a second at most.
func (w *Watcher) Expect(ctx context.Context, customerID, serverID, action string) {
	if !w.On() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, expectLimit)
	defer cancel()
	if err := w.run(ctx, expectScript, customerID, serverID, action+" "+strconv.FormatInt(time.Now().Unix(), 10)).Err(); err != nil {
		w.Log.Debug().Err(err).Msg("redis does not take which action is about to begin")
	}
}
