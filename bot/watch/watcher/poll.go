package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/leader"
	"hostbot/bot/watch/history"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

const (
	// As many polls run at once as may begin in a second, within these bounds. The upper one is a quarter of the
	// connections that hostapi opens, so that no customer waits for one.
	leastAtOnce, mostAtOnce = 4, 64
)

// Work returns the leader's work: to poll accounts.
func (w *Watcher) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: w.index.DueKey(), DeadFor: time.Hour,
		AtOnce: min(max(w.cfg.Rate, leastAtOnce), mostAtOnce), Admit: w.admit,
		Limit: w.pollLimit() + 3*callLimit, Reconcile: w.reconcile,
	}
}

// pollLimit returns how long the service may take to answer a poll.
func (w *Watcher) pollLimit() time.Duration { return w.cfg.Interval / 2 }

// admit reports whether one more account may be polled now. It is not called concurrently.
func (w *Watcher) admit() bool {
	now := time.Now()
	// While the service is away, one poll finds out whether it is back.
	if last := w.probed.Load(); last != nil && !w.cfg.DownSince().IsZero() && now.Sub(*last) < w.cfg.Timing.Probe {
		return false
	}
	if !w.pace.admit(now, w.Interval()) {
		return false
	}
	w.probed.Store(&now)
	return true
}

// account is a watched account, as Redis has it.
type account struct {
	customerID string
	fields     map[string]string // see scripts.go
}

// reconcile polls an account that is due: it asks the service, passes the poll to the observers, and saves it. If the
// process dies in between, the account is still due, and the next leader passes the same changes on again.
func (w *Watcher) reconcile(ctx context.Context, customerID string) (again time.Duration, err error) {
	a, err := w.read(ctx, customerID)
	if a == nil {
		return 0, err
	}
	began := time.Now()
	snapshot, err := w.ask(ctx, customerID)
	if err != nil {
		w.failed.Add(1)
		return w.failure(ctx, a, began, err)
	}
	w.pace.succeeded(customerID, time.Now())
	shown := w.compare(a, snapshot)
	poll := Poll{CustomerID: customerID, At: snapshot.FetchedAt, List: snapshot.List, Changes: shown.changes}
	if err := w.show(ctx, poll); err != nil {
		w.failed.Add(1)
		w.cfg.Log.Warn().Err(err).Msg("a poll could not be handed on and is repeated")
		return 0, err
	}
	again, written, err := w.write(ctx, a, snapshot.FetchedAt, shown)
	if err != nil || !written {
		w.failed.Add(1)
		w.cfg.Log.Debug().Err(err).Msg("what a poll has shown was not written")
		return 0, err
	}
	w.polls.Add(1)
	return again, nil
}

// show passes a poll to all observers, even if one fails.
func (w *Watcher) show(ctx context.Context, p Poll) error {
	var failed error
	for _, see := range w.observers {
		failed = errors.Join(failed, see(ctx, p))
	}
	return failed
}

// ask asks the service for an account.
func (w *Watcher) ask(ctx context.Context, customerID string) (accounts.Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, w.pollLimit())
	defer cancel()
	snapshot, err := w.cfg.Accounts.Look(limited, customerID)
	if hostapi.CodeOf(err) == hostapi.CodeNotFound { // the account has no bots any more
		return accounts.Snapshot{FetchedAt: time.Now()}, nil
	}
	return snapshot, err
}

// read reads an account; nil if it is not watched.
func (w *Watcher) read(ctx context.Context, customerID string) (*account, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fields, err := w.cfg.Redis.HGetAll(ctx, history.AccountKey(w.cfg.Space, customerID)).Result()
	if err == nil && len(fields) == 0 { // it is forgotten, or Redis has evicted it
		err = w.cfg.Redis.ZScore(ctx, w.index.DueKey(), customerID).Err()
		if errors.Is(err, redis.Nil) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &account{customerID, fields}, nil
}

// failure makes an account wait for its next turn after a failed poll. If the service was not asked, the account is
// still due; if it answered 429, see limited.
func (w *Watcher) failure(ctx context.Context, a *account, began time.Time, failure error) (again time.Duration, err error) {
	switch hostapi.CodeOf(failure) {
	case hostapi.CodeCanceled:
		return 0, failure
	case hostapi.CodeRateLimited:
		return w.limited(ctx, a, began, failure)
	}
	again, _, err = w.write(ctx, a, time.Time{}, seen{})
	return again, err
}

// limited makes an account wait after a 429: for its next turn or, if the service asks for longer, for up to
// longestWait intervals. It saves the limits for all processes.
func (w *Watcher) limited(ctx context.Context, a *account, began time.Time, failure error) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	interval, now, since := w.Interval(), w.now(), w.Status().Limits.Since
	if since.IsZero() {
		since = now
	}
	noted, _ := json.Marshal(w.pace.refused(a.customerID, began, since, time.Now(), interval)) // cannot fail
	due := w.next(a, now)
	if e, ok := errors.AsType[*hostapi.Error](failure); ok && e.RetryAfter > 0 {
		if until := now.Add(min(e.RetryAfter, longestWait*interval)); until.After(due) {
			due = until
		}
	}
	p := w.cfg.Redis.Pipeline()
	p.Set(ctx, w.cfg.Space.Key(limitedKey), noted, recovery*interval)
	p.ZAddArgs(ctx, w.index.DueKey(), redis.ZAddArgs{XX: true, GT: true, Members: []redis.Z{{Score: float64(due.UnixMilli()), Member: a.customerID}}})
	_, err = p.Exec(ctx)
	return due.Sub(now), err
}

// next returns when an account is due again: an interval, or a multiple of it, after it was due before. Each account's
// place in the interval is derived from its ID, so that polls are spread evenly.
func (w *Watcher) next(a *account, now time.Time) time.Time {
	interval := w.Interval().Milliseconds()
	from, err := strconv.ParseInt(a.fields[nextField], 10, 64)
	if err != nil {
		h := fnv.New32a()
		_, _ = h.Write([]byte(a.customerID))
		from = int64(float64(h.Sum32()) / math.MaxUint32 * float64(interval))
	}
	since := (now.UnixMilli() - from) % interval // less than 0 if this process was too early
	return now.Add(time.Duration(interval-since) * time.Millisecond)
}

// write saves what a poll at a time has shown; if the time is zero, only when the account is due again. It reports
// false if the account is not watched any more, or was polled by another process.
func (w *Watcher) write(ctx context.Context, a *account, at time.Time, shown seen) (again time.Duration, written bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	now := w.now()
	next := w.next(a, now)
	set, gone := []any{nextField, next.UnixMilli()}, []any(nil)
	if !at.IsZero() {
		set = append(set, history.FieldAt, at.Unix())
	}
	for serverID, added := range shown.added {
		field := history.Field(serverID)
		if added == "" {
			gone = append(gone, field, notePrefix+serverID)
			continue
		}
		set = append(set, field, history.Append(a.fields[field], added, at.Add(-history.KeptFor)))
	}
	lasts := history.KeptFor.Milliseconds()
	if before := a.polledAt(); at.IsZero() || before.Truncate(time.Hour).Equal(at.Truncate(time.Hour)) {
		lasts = 0 // an hour more or less does not matter
	}
	args := slices.Concat([]any{a.customerID, next.UnixMilli(), lasts, len(set)}, set, gone)
	written, err = redis.NewScript(writeScript).Run(ctx, w.cfg.Redis, w.keys(a.customerID), args...).Bool()
	return next.Sub(now), written, err
}
