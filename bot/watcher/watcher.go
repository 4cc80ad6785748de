// Package watcher looks at accounts that somebody wants to be watched, and tells what
// changed in them.
//
// An account is looked at once in an interval, which grows where that would be more
// calls a second than are allowed. Redis holds when each account is due. Of all
// processes that share the Redis, one takes an account that is due, with a lease: the
// due time moves on by that, so that another process takes the account if this one
// dies. A look writes the bots' states, the changes, and the next due time in one
// script. So a change is neither lost nor told twice as the work of two processes.
//
// A look that fails tells nothing: the service being away is no change. Looks stand
// back behind customers. They are few at a time, cease for as long as the service asks
// for after a 429, and are one in a while where the service is taken to be away.
package watcher

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/lease"
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

// Look is one look at an account that succeeded.
type Look struct {
	CustomerID string
	Servers    []hostapi.Server // shared: nothing in it may be changed
	At         time.Time
	Changes    []Change
}

// Observer is told what the watcher sees. A function that is nil is told nothing.
type Observer struct {
	// Changed is told of changes, in the order in which they were seen, by one process
	// at a time. It is told of them again where it returned an error or its process died,
	// so it must be able to take one twice.
	Changed func(ctx context.Context, changes []Change) error
	// Looked is told of every look, in the process that looked. What it was not told, as
	// its process died, the next look tells. It must return soon.
	Looked func(ctx context.Context, look Look)
}

// Accounts asks the service for an account, for others to see as well.
type Accounts interface {
	Look(ctx context.Context, userID string) (accounts.Snapshot, error)
}

// Config is what a Watcher needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Accounts Accounts
	// Interval is between two looks at an account; 0 turns all of this off. Rate is how
	// many looks a second there may be, over all processes.
	Interval time.Duration
	Rate     int
	// DownSince returns since when the service is taken to be away; zero: it is not.
	DownSince func() time.Time
	// OnSlow is told when the interval has to grow, and OnPace when it need not any more.
	OnSlow func(Status)
	OnPace func(Status)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Watcher uses time, beside the interval. Tests may be less patient.
type Timing struct {
	Turn   time.Duration // between two questions what is due
	Tell   time.Duration // between two questions what has changed
	Lease  time.Duration // until another process tells of changes in the place of one that died
	Settle time.Duration // for how long an action explains what it leads to
	Probe  time.Duration // between two looks of a process while the service is away
}

// DefaultTiming returns the timing for Discord and the service.
func DefaultTiming() Timing {
	return Timing{Turn: 200 * time.Millisecond, Tell: 500 * time.Millisecond, Lease: 10 * time.Second, Settle: 2 * time.Minute, Probe: 15 * time.Second}
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
	observers []Observer
	status    atomic.Pointer[Status]
	teller    *lease.Lease // whoever holds it tells of changes

	looks, failed atomic.Uint64
	inFlight      atomic.Int64
	looking       sync.WaitGroup
	probedAt      time.Time // while the service is away; used by run alone
}

// New returns a watcher. It looks at nothing until Run is called.
func New(c Config) *Watcher {
	w := &Watcher{Config: c, teller: lease.New(c.Redis, tellerKey)}
	w.status.Store(&Status{Interval: c.Interval})
	return w
}

// Observe adds an observer. It is called before Run.
func (w *Watcher) Observe(o Observer) { w.observers = append(w.observers, o) }

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

// Forget forgets all that is kept of an account, which is not watched any more for
// whatever reason. It tells whether there was anything.
func (w *Watcher) Forget(ctx context.Context, customerID string) (known bool, err error) {
	return w.run(ctx, unwatchScript, customerID, "*").Bool()
}

// Expect notes that an action on a bot is about to be sent to the service, so that what
// it leads to is not told as unasked for. It takes a quarter of a second at most.
func (w *Watcher) Expect(ctx context.Context, customerID, serverID, action string) {
	if !w.On() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, expectLimit)
	defer cancel()
	if err := w.run(ctx, expectScript, customerID, serverID, expectation{action, time.Now()}.encode()).Err(); err != nil {
		w.Log.Debug().Err(err).Msg("redis does not take which action is about to begin")
	}
}
