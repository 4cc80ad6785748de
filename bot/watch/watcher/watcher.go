// Package watcher polls watched accounts and passes each poll, and the changes in it, to observers.
//
// Redis has when each account is due: once in an interval. The interval grows if more polls a second would be needed
// than are allowed. The leader polls. It passes a poll to the observers first, and then saves the bots' states together
// with the next due time, unless another process has polled the account meanwhile. So no change is lost if a process
// dies, but an observer may get one twice. It has the same name then (Change.Left).
//
// A poll that fails is no change. Customers come before polls: few run at a time, fewer while the service answers 429,
// and one every Timing.Probe while the service is away. An account whose poll met a 429 waits for its next turn or, if
// the service asks for longer, for up to two intervals. Other accounts do not wait for it.
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
	Alerts   Reason = "alerts"
	Panel    Reason = "panel"
	Restarts Reason = "restarts"
)

// Poll is what a poll of an account has shown.
type Poll struct {
	CustomerID string
	At         time.Time    // when the service answered
	List       hostapi.List // the account and its bots; empty if it has no bots any more
	Changes    []Change     // since the poll before
}

// Change is a change of a bot's state, as two polls show it.
type Change struct {
	CustomerID string
	ServerID   string
	Name       string
	Plan       string
	// From is history.Unwatched if the bot was not seen before; To is history.Gone if the account has it no more.
	From hostapi.State
	To   hostapi.State
	// Since is when From was first seen. With AtLeast it may have begun earlier, as nobody polled.
	Since   time.Time
	AtLeast bool
	// The change happened between After, the poll before, and At: this poll, or a moment before it if a customer
	// had just refreshed this bot.
	After time.Time
	At    time.Time
	// Acted is when this program was about to act on the bot last, in whole seconds; a time long ago if it never was.
	Acted time.Time
	// Unexpected says that the bot stopped running although nobody had asked for it.
	Unexpected bool
}

// Left names a change by the state that the bot has left, and since when it had that. The name is the same in each
// process and poll until the new state is written, even if a failover loses writes.
func (c Change) Left() string {
	return string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
}

// Accounts asks the service for an account, and caches the answer.
type Accounts interface {
	Look(ctx context.Context, userID string) (accounts.Snapshot, error)
}

// Config is what a Watcher needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Space    keyspace.Space // in Redis
	Accounts Accounts
	// Interval is the time between two polls of an account; 0 turns polling off.
	Interval time.Duration
	// Rate is the most polls a second, over all processes.
	Rate int
	// DownSince returns since when the service is away; zero if it is not.
	DownSince func() time.Time
	// OnSlow is called when the interval has to grow.
	OnSlow func(Status)
	// OnLimits is called, in all processes, when the service begins to limit polls, when the rate of all polls is
	// reduced, and when it is over (now is zero).
	OnLimits func(before, now Limits)
	// Wake is leader.Leader.Wake.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Watcher uses time, beside the interval. Tests may be less patient.
type Timing struct {
	Refresh     time.Duration // between two calls of Refresh
	GracePeriod time.Duration // how long after an action its effects are expected
	Probe       time.Duration // between two polls while the service is away
}

// DefaultTiming returns the timing for Discord and the service.
func DefaultTiming() Timing {
	return Timing{Refresh: 10 * time.Second, GracePeriod: 2 * time.Minute, Probe: 15 * time.Second}
}

// Status is the state of polling.
type Status struct {
	Accounts int           // watched accounts
	Interval time.Duration // between two polls of one, now
	Grown    bool          // Interval is longer than it should be
	Delay    time.Duration // how late the next poll is
	Polls    uint64        // successful polls of this process
	Failed   uint64        // its failed polls
	Limits   Limits        // by the service
}

// Watcher watches accounts. It is safe for concurrent use.
type Watcher struct {
	cfg           Config
	index         *record.Kind[struct{}] // for the due times; the accounts' hashes are the watcher's own
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
		cfg:   c,
		index: &record.Kind[struct{}]{Redis: c.Redis, Space: c.Space, Name: kind},
		pace:  newPace(c.Rate),
	}
	w.status.Store(&Status{Interval: c.Interval})
	return w
}

// Observe adds an observer. see is called with each successful poll, even without a change, by one process at a time. The
// states are saved after all observers have returned. If one fails or the process dies, the same changes come again,
// with a later At, so see must accept that. So an observer that always fails stops the account's polls for all observers:
// see returns errors that pass, such as Redis's, and skips a record that it cannot read (record.Kind.Of, or Lenient).
// Observe is called before the leader runs.
func (w *Watcher) Observe(see func(ctx context.Context, p Poll) error) {
	w.observers = append(w.observers, see)
}

// On reports whether polling is on.
func (w *Watcher) On() bool { return w.cfg.Interval > 0 }

// Status returns the state of polling, as of the last Refresh.
func (w *Watcher) Status() Status {
	s := *w.status.Load()
	s.Polls, s.Failed = w.polls.Load(), w.failed.Load()
	return s
}

// Interval returns the present time between two polls of an account.
func (w *Watcher) Interval() time.Duration { return w.status.Load().Interval }

// Run keeps Status and Interval up to date until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	if !w.On() {
		return
	}
	ticker := time.NewTicker(w.cfg.Timing.Refresh)
	defer ticker.Stop()
	for {
		if err := w.Refresh(ctx); err != nil {
			w.cfg.Log.Debug().Err(err).Msg("redis does not tell how the watching fares")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// spare is the share of the rate that is left for late polls. tolerance is how much the interval may grow before OnSlow
// is called.
const spare, tolerance = 0.1, 1.05

// Refresh asks Redis how many accounts are watched and which is due first, and computes the interval.
func (w *Watcher) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	asked, p := time.Now(), w.cfg.Redis.Pipeline()
	clock, watched, first := p.Time(ctx), p.ZCard(ctx, w.index.DueKey()), p.ZRangeWithScores(ctx, w.index.DueKey(), 0, 0)
	limited := p.Get(ctx, w.cfg.Space.Key(limitedKey))
	_, _ = p.Exec(ctx) // each command has its own error
	if err := errors.Join(clock.Err(), watched.Err(), first.Err()); err != nil {
		return err
	}
	w.clock.Store(&reading{asked, clock.Val()})
	least := time.Duration(float64(watched.Val()) / (float64(w.cfg.Rate) * (1 - spare)) * float64(time.Second))
	now := &Status{Accounts: int(watched.Val()), Interval: max(w.cfg.Interval, least)}
	if due := first.Val(); len(due) > 0 && due[0].Score > 0 { // 0 is for now
		now.Delay = max(0, clock.Val().Sub(time.UnixMilli(int64(due[0].Score))))
	}
	now.Grown = float64(now.Interval) > tolerance*float64(w.cfg.Interval)
	_ = json.Unmarshal([]byte(limited.Val()), &now.Limits) // or there are none
	former := w.status.Swap(now)
	if now.Grown && !former.Grown {
		w.cfg.OnSlow(*now)
	}
	if before, limits := former.Limits, now.Limits; !limits.Since.Equal(before.Since) || limits.All && !before.All {
		w.cfg.OnLimits(before, limits)
	}
	return nil
}

// Watch makes an account watched from now on, for a reason. Repeating it changes nothing.
func (w *Watcher) Watch(ctx context.Context, customerID string, why Reason) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	now, err := w.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	tx := w.cfg.Redis.TxPipeline()
	tx.HSet(ctx, history.AccountKey(w.cfg.Space, customerID), reasonPrefix+string(why), 1)
	added := tx.ZAddNX(ctx, w.index.DueKey(), redis.Z{Score: float64(now.UnixMilli()), Member: customerID})
	_, err = tx.Exec(ctx)
	if err == nil && added.Val() > 0 {
		w.cfg.Wake(ctx, kind, customerID)
	}
	return err
}

// Hasten has an account be polled now, if it is watched.
func (w *Watcher) Hasten(ctx context.Context, customerID string) error {
	err := w.index.Hasten(ctx, customerID)
	w.cfg.Wake(ctx, kind, customerID)
	return err
}

// Unwatch removes a reason. Without any, the account is not watched any more, and its history is removed.
func (w *Watcher) Unwatch(ctx context.Context, customerID string, why Reason) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	key, own := history.AccountKey(w.cfg.Space, customerID), reasonPrefix+string(why)
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
		err := w.cfg.Redis.Watch(ctx, unwatch, key)
		if !errors.Is(err, redis.TxFailedErr) { // a poll has written what it has shown
			return err
		}
	}
}

// NoteAction notes that an action on a bot is about to be sent to the service, so that its effects are not taken to be
// unexpected. It takes a quarter of a second at most.
func (w *Watcher) NoteAction(ctx context.Context, customerID, serverID, action string) {
	if !w.On() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteLimit)
	defer cancel()
	expected := action + " " + strconv.FormatInt(time.Now().Unix(), 10)
	if err := redis.NewScript(noteScript).Run(ctx, w.cfg.Redis, w.keys(customerID), customerID, notePrefix+serverID, expected).Err(); err != nil {
		w.cfg.Log.Debug().Err(err).Msg("redis does not take which action is about to begin")
	}
}
