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
	// The polls at one time are as many as there may be in a second, but within these
	// bounds: a slow service is left to customers. The latter is a quarter of the
	// connections that hostapi opens, so that no customer waits for one.
	leastAtOnce, mostAtOnce = 4, 64
)

// Work is what the leader does: it polls accounts.
func (w *Watcher) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: w.index.DueKey(), DeadFor: time.Hour,
		AtOnce: min(max(w.Rate, leastAtOnce), mostAtOnce), Admit: w.admit,
		Limit: w.pollLimit() + 3*callLimit, Reconcile: w.reconcile,
	}
}

// pollLimit bounds how long the service may take.
func (w *Watcher) pollLimit() time.Duration { return w.Config.Interval / 2 }

// admit reports whether one more account may be polled now. The leader asks one at a time.
func (w *Watcher) admit() bool {
	now := time.Now()
	// While the service is away, one poll finds out whether it is back.
	if last := w.probed.Load(); last != nil && !w.DownSince().IsZero() && now.Sub(*last) < w.Timing.Probe {
		return false
	}
	if !w.pace.admit(now, w.Interval()) {
		return false
	}
	w.probed.Store(&now)
	return true
}

// account is one that is polled, as Redis holds it.
type account struct {
	customerID string
	fields     map[string]string // see scripts.go
}

// reconcile polls an account that is due: it asks the service, gives observers what that
// has shown, and writes it. A process that dies in between leaves the account due, so that the
// next leader sees the same changes, and tells of them again.
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
		w.Log.Warn().Err(err).Msg("a poll could not be handed on and is repeated")
		return 0, err
	}
	again, written, err := w.write(ctx, a, snapshot.FetchedAt, shown)
	if err != nil || !written {
		w.failed.Add(1)
		w.Log.Debug().Err(err).Msg("what a poll has shown was not written")
		return 0, err
	}
	w.polls.Add(1)
	return again, nil
}

// show gives each observer a poll, also those after one that fails.
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
	snapshot, err := w.Accounts.Look(limited, customerID)
	if hostapi.CodeOf(err) == hostapi.CodeNotFound { // the account has no bots any more
		return accounts.Snapshot{FetchedAt: time.Now()}, nil
	}
	return snapshot, err
}

// read reads an account; nil if it is not watched.
func (w *Watcher) read(ctx context.Context, customerID string) (*account, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fields, err := w.Redis.HGetAll(ctx, history.AccountKey(w.Space, customerID)).Result()
	if err == nil && len(fields) == 0 { // it is forgotten, or Redis has evicted it
		err = w.Redis.ZScore(ctx, w.index.DueKey(), customerID).Err()
		if errors.Is(err, redis.Nil) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &account{customerID, fields}, nil
}

// failure has an account wait for its next turn after a poll that began at a time and has failed,
// unless the service was not asked, or wants to be asked about this account at another time.
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

// limited has an account wait after a poll that met a 429: for its next turn, or for as long as the
// service says if that is longer, but for longestWait. It notes for all processes that the service
// limits polls.
func (w *Watcher) limited(ctx context.Context, a *account, began time.Time, failure error) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	interval, now, since := w.Interval(), w.now(), w.Status().Limits.Since
	if since.IsZero() {
		since = now
	}
	noted, _ := json.Marshal(w.pace.refused(a.customerID, began, since, time.Now(), interval)) // which cannot fail
	due := w.next(a, now)
	if e, ok := errors.AsType[*hostapi.Error](failure); ok && e.RetryAfter > 0 {
		if until := now.Add(min(e.RetryAfter, longestWait*interval)); until.After(due) {
			due = until
		}
	}
	_, err = w.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, w.Space.Key(limitedKey), noted, recovery*interval)
		p.ZAddArgs(ctx, w.index.DueKey(), redis.ZAddArgs{XX: true, GT: true, Members: []redis.Z{{Score: float64(due.UnixMilli()), Member: a.customerID}}})
		return nil
	})
	return due.Sub(now), err
}

// next returns when an account is due again: an interval after it was due, or a multiple, so
// that it keeps its place while the interval changes. Each account has its place in the
// interval, by its ID, so that all are spread evenly; the first poll is put there.
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

// write writes what a poll at a time has shown, or only when the account is due again if the
// time is zero. It reports false if the account is not watched any more, or was polled by
// another process.
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
	written, err = redis.NewScript(writeScript).Run(ctx, w.Redis, w.keys(a.customerID), args...).Bool()
	return next.Sub(now), written, err
}
