// Package watcher polls accounts that somebody wants to be watched, and tells what
// changed in them.
//
// Redis holds when each account is due: once in an interval, which grows where that would
// be more calls a second than are allowed. The leader polls. It tells observers of a change
// first, and then writes the bots' states together with the next due time, unless another
// process has polled the account meanwhile. So no change is lost by the death of a process. One
// may be told of twice, and it is named by the state that was left and since when, which every
// poll sees alike until the new state is written.
//
// A poll that fails tells nothing: the service being away is no change. Polls stand
// back behind customers. They are few at a time, fewer while the service answers 429, and one in a
// while where the service is taken to be away. An account whose poll met a 429 waits for its
// next turn or, if the service asks for more, for up to two intervals. No other account waits for it.
package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
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

// Poll is what a poll of an account has shown.
type Poll struct {
	CustomerID string
	At         time.Time    // when the service answered
	List       hostapi.List // the account and its bots; empty if the service has no bots of it any more
	// Changes are what has changed in its bots since the poll before.
	Changes []Change
}

// Change is a change of a bot's state, as two polls show it.
type Change struct {
	CustomerID string
	ServerID   string
	Name       string
	Plan       string
	// From is history.Unwatched where the bot was not seen before; To is history.Gone
	// where the account has it no more.
	From hostapi.State
	To   hostapi.State
	// From was seen first at Since; it may have lasted for longer where nobody polled
	// before that.
	Since   time.Time
	AtLeast bool
	// The change came between After and At: the poll before, and when the service told of
	// it, which is the poll that showed it or, of a bot that a customer had looked at
	// alone, a moment before that.
	After time.Time
	At    time.Time
	// Acted is when this program was about to act on the bot last, in whole seconds; a time long ago if it never was.
	Acted time.Time
	// Unexpected says that the bot stopped running although nobody had asked for it.
	Unexpected bool
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
	// Interval is between two polls of an account; 0 turns all of this off. Rate is how
	// many polls a second there may be, over all processes.
	Interval time.Duration
	Rate     int
	// DownSince returns since when the service is taken to be away; zero: it is not.
	DownSince func() time.Time
	OnSlow    func(Status) // is told when the interval has to grow
	// OnLimits is told when the service begins to limit polls, when that becomes a limit of all of
	// them, and when it is over (now is zero). All processes tell of it.
	OnLimits func(before, now Limits)
	// Wake tells the leader which accounts are due.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Watcher uses time, beside the interval. Tests may be less patient.
type Timing struct {
	Refresh     time.Duration // between two questions to Redis how the watching fares
	GracePeriod time.Duration // for how long an action explains what it leads to
	Probe       time.Duration // between two polls while the service is away
}

// DefaultTiming returns the timing for Discord and the service.
func DefaultTiming() Timing {
	return Timing{Refresh: 10 * time.Second, GracePeriod: 2 * time.Minute, Probe: 15 * time.Second}
}

// Status is how the watching fares.
type Status struct {
	Accounts int           // that are watched
	Interval time.Duration // between two polls of one, as it is now
	Grown    bool          // it is longer than it should be
	Delay    time.Duration // for how long the account has been due that is due first
	Polls    uint64        // polls that succeeded in this process
	Failed   uint64        // that did not
	Limits   Limits        // by the service
}

// Watcher watches accounts. It is safe for concurrent use.
type Watcher struct {
	Config
	index         *record.Kind[struct{}] // of accounts: their hashes are the watcher's own
	observers     []func(context.Context, Poll) error
	status        atomic.Pointer[Status]
	clock         atomic.Pointer[reading]
	polls, failed atomic.Uint64
	pace          *pace
	probed        atomic.Pointer[time.Time] // when the last poll began
}

// reading is what Redis's clock showed at a time.
type reading struct{ at, shown time.Time }

// now is the time by Redis's clock, as of the last Refresh.
func (w *Watcher) now() time.Time {
	if r := w.clock.Load(); r != nil {
		return r.shown.Add(time.Since(r.at))
	}
	return time.Now()
}

// New returns a watcher. The leader polls (Work).
func New(c Config) *Watcher {
	w := &Watcher{
		Config: c,
		index:  &record.Kind[struct{}]{Redis: c.Redis, Space: c.Space, Name: kind},
		pace:   newPace(c.Rate),
	}
	w.status.Store(&Status{Interval: c.Interval})
	return w
}

// Observe has see be given each poll that succeeds, also one that shows no change, by one process at a time.
// It is given the changes again if it returned an error or its process died, so it must be able to take one
// twice, whose At is later then. The states are written after all observers have returned. Observe is
// called before the leader runs.
func (w *Watcher) Observe(see func(ctx context.Context, p Poll) error) {
	w.observers = append(w.observers, see)
}

// On reports whether accounts are watched at all.
func (w *Watcher) On() bool { return w.Config.Interval > 0 }

// Status returns how the watching fares, as this process has seen last.
func (w *Watcher) Status() Status {
	s := *w.status.Load()
	s.Polls, s.Failed = w.polls.Load(), w.failed.Load()
	return s
}

// Interval returns at which interval accounts are looked at now.
func (w *Watcher) Interval() time.Duration { return w.status.Load().Interval }

// Run keeps Status and Interval up to date until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	if !w.On() {
		return
	}
	ticker := time.NewTicker(w.Timing.Refresh)
	defer ticker.Stop()
	for {
		if err := w.Refresh(ctx); err != nil {
			w.Log.Debug().Err(err).Msg("redis does not tell how the watching fares")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// spare is the part of the rate that is left for polls that come late, and tolerance is by how
// much the interval may grow before somebody is told.
const spare, tolerance = 0.1, 1.05

// Refresh asks Redis how many accounts are watched and which is due first, and notes at which
// interval so many can be polled.
func (w *Watcher) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var clock *redis.TimeCmd
	var watched *redis.IntCmd
	var first *redis.ZSliceCmd
	var limited *redis.StringCmd
	asked := time.Now()
	_, _ = w.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		clock, watched, first = p.Time(ctx), p.ZCard(ctx, w.index.DueKey()), p.ZRangeWithScores(ctx, w.index.DueKey(), 0, 0)
		limited = p.Get(ctx, w.Space.Key(limitedKey))
		return nil
	})
	if err := errors.Join(clock.Err(), watched.Err(), first.Err()); err != nil {
		return err
	}
	w.clock.Store(&reading{asked, clock.Val()})
	least := time.Duration(float64(watched.Val()) / (float64(w.Rate) * (1 - spare)) * float64(time.Second))
	now := &Status{Accounts: int(watched.Val()), Interval: max(w.Config.Interval, least)}
	if due := first.Val(); len(due) > 0 && due[0].Score > 0 { // 0 is for now
		now.Delay = max(0, clock.Val().Sub(time.UnixMilli(int64(due[0].Score))))
	}
	now.Grown = float64(now.Interval) > tolerance*float64(w.Config.Interval)
	_ = json.Unmarshal([]byte(limited.Val()), &now.Limits) // or there are none
	former := w.status.Swap(now)
	if now.Grown && !former.Grown {
		w.OnSlow(*now)
	}
	if before, limits := former.Limits, now.Limits; !limits.Since.Equal(before.Since) || limits.All && !before.All {
		w.OnLimits(before, limits)
	}
	return nil
}

// Watch has an account watched, from now on. Several calls for a reason are as one.
func (w *Watcher) Watch(ctx context.Context, customerID string, why Reason) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	now, err := w.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	var added *redis.IntCmd
	_, err = w.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, history.AccountKey(w.Space, customerID), reasonPrefix+string(why), 1)
		added = p.ZAddNX(ctx, w.index.DueKey(), redis.Z{Score: float64(now.UnixMilli()), Member: customerID})
		return nil
	})
	if err == nil && added.Val() > 0 {
		w.Wake(ctx, kind, customerID)
	}
	return err
}

// Unwatch takes a reason back. Without any, the account is not watched any more, and
// all that is kept of it is forgotten.
func (w *Watcher) Unwatch(ctx context.Context, customerID string, why Reason) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	key, own := history.AccountKey(w.Space, customerID), reasonPrefix+string(why)
	unwatch := func(tx *redis.Tx) error {
		fields, err := tx.HKeys(ctx, key).Result()
		if err != nil {
			return err
		}
		others := slices.ContainsFunc(fields, func(f string) bool { return f != own && strings.HasPrefix(f, reasonPrefix) })
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			if others {
				return p.HDel(ctx, key, own).Err()
			}
			p.ZRem(ctx, w.index.DueKey(), customerID)
			return p.Del(ctx, key).Err()
		})
		return err
	}
	for {
		err := w.Redis.Watch(ctx, unwatch, key)
		if !errors.Is(err, redis.TxFailedErr) { // a poll has written what it has shown
			return err
		}
	}
}

// NoteAction notes that an action on a bot is about to be sent to the service, so that what
// it leads to is not told as unasked for. It takes a quarter of a second at most.
func (w *Watcher) NoteAction(ctx context.Context, customerID, serverID, action string) {
	if !w.On() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteLimit)
	defer cancel()
	expected := action + " " + strconv.FormatInt(time.Now().Unix(), 10)
	if err := redis.NewScript(noteScript).Run(ctx, w.Redis, w.keys(customerID), customerID, notePrefix+serverID, expected).Err(); err != nil {
		w.Log.Debug().Err(err).Msg("redis does not take which action is about to begin")
	}
}
