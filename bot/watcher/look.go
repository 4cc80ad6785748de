package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/history"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

const (
	// The looks of a process at one time are as many as there may be in a second, but
	// within these bounds: a slow service is left to customers. The latter is a quarter of
	// the connections that hostapi opens, so that no customer waits for one.
	leastAtOnce, mostAtOnce = 4, 64
	// holdBack is for how long no look is made after a 429 that does not say for how long.
	holdBack = 30 * time.Second
	// spare is the part of the rate that is left for looks that come late.
	spare = 0.1
	// tolerance is by how much the interval may grow before somebody is told.
	tolerance = 1.05
)

// record is what Redis holds of an account that this process has taken.
type record struct {
	customerID string
	due        int64             // when it was, in ms
	lease      string            // until when it is, in ms
	ahead      time.Duration     // by how much Redis's clock is ahead of this process's
	fields     map[string]string // the last two entries alone of a bot's log
}

// Run looks at accounts, and tells of changes, until ctx is done and the last look has
// ended.
func (w *Watcher) Run(ctx context.Context) {
	if !w.On() {
		return
	}
	w.looking.Go(func() { w.tellAll(ctx) })
	ticker := time.NewTicker(w.Timing.Turn)
	defer ticker.Stop()
	for {
		w.turn(ctx)
		select {
		case <-ctx.Done():
			w.looking.Wait()
			return
		case <-ticker.C:
		}
	}
}

// turn begins looks at accounts that are due, as many as may be now.
func (w *Watcher) turn(ctx context.Context) {
	n := min(max(w.Rate, leastAtOnce), mostAtOnce) - int(w.inFlight.Load())
	if !w.DownSince().IsZero() { // one look after a while finds out whether the service is back
		if time.Since(w.probedAt) < w.Timing.Probe {
			n = 0
		}
		n = min(n, 1)
	}
	taken, err := w.take(ctx, max(n, 0))
	if err != nil {
		w.Log.Debug().Err(err).Msg("redis does not tell which accounts are due")
		return
	}
	for i, r := range taken {
		w.probedAt = time.Now()
		w.inFlight.Add(1)
		w.looking.Go(func() {
			defer w.inFlight.Add(-1)
			select { // they begin one after the other, until the next turn
			case <-time.After(w.Timing.Turn * time.Duration(i) / time.Duration(len(taken))):
			case <-ctx.Done():
			}
			w.look(ctx, r)
		})
	}
}

// take takes accounts that are due, and notes how the watching fares.
func (w *Watcher) take(ctx context.Context, most int) ([]record, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	keys := []string{dueKey, budgetKey, history.AccountPrefix, changesKey}
	answer, err := redis.NewScript(takeScript).Run(ctx, w.Redis, keys, most, w.Rate, w.leaseTime().Milliseconds()).Slice()
	if err != nil {
		return nil, err
	}
	if len(answer) != 4 {
		return nil, errors.New("watcher: redis answers something else than what is due")
	}
	watched, _ := answer[0].(int64)
	lag, _ := answer[1].(int64)
	lease, _ := answer[2].(string)
	w.pace(int(watched), time.Duration(lag)*time.Millisecond)
	list, _ := answer[3].([]any)
	until, _ := strconv.ParseFloat(lease, 64)
	ahead := time.Until(time.UnixMilli(int64(until))) - w.leaseTime()
	var taken []record
	for _, item := range list {
		if parts, _ := item.([]any); len(parts) == 3 {
			taken = append(taken, readRecord(parts, lease, ahead))
		}
	}
	return taken, nil
}

func readRecord(parts []any, lease string, ahead time.Duration) record {
	r := record{lease: lease, ahead: ahead, fields: make(map[string]string)}
	r.customerID, _ = parts[0].(string)
	due, _ := parts[1].(string)
	ms, _ := strconv.ParseFloat(due, 64)
	r.due = int64(ms)
	fields, _ := parts[2].([]any)
	for i := 0; i+1 < len(fields); i += 2 {
		name, _ := fields[i].(string)
		r.fields[name], _ = fields[i+1].(string)
	}
	return r
}

// leaseTime is for how long a process has an account: its death delays the account by
// an interval at most.
func (w *Watcher) leaseTime() time.Duration { return w.Interval / 2 }

// pace notes at which interval so many accounts can be looked at.
func (w *Watcher) pace(watched int, lag time.Duration) {
	former := w.status.Load()
	least := time.Duration(float64(watched) / (float64(w.Rate) * (1 - spare)) * float64(time.Second))
	now := &Status{Accounts: watched, Interval: max(w.Interval, least), Lag: lag}
	now.Grown = float64(now.Interval) > tolerance*float64(w.Interval)
	w.status.Store(now)
	switch {
	case now.Grown && !former.Grown:
		w.OnSlow(*now)
	case former.Grown && !now.Grown:
		w.OnPace(*now)
	}
}

// look asks the service for an account, and writes what that shows.
func (w *Watcher) look(ctx context.Context, r record) {
	limited, cancel := context.WithTimeout(ctx, w.leaseTime())
	defer cancel()
	snapshot, err := w.Accounts.Look(limited, r.customerID)
	after := context.WithoutCancel(ctx)
	missing := hostapi.CodeOf(err) == hostapi.CodeNotFound // the account has no bots any more
	if err != nil && !missing {
		w.failed.Add(1)
		w.giveBack(after, r, err)
		return
	}
	if missing {
		snapshot = accounts.Snapshot{FetchedAt: time.Now()}
	}
	look := Look{CustomerID: r.customerID, Servers: snapshot.List.Servers, At: snapshot.FetchedAt}
	seen, err := w.compare(after, r, snapshot)
	written := false
	if err == nil {
		look.Changes = seen.changes
		written, err = w.write(after, r, look.At, seen)
	}
	if err != nil || !written {
		w.failed.Add(1)
		w.Log.Debug().Err(err).Bool("leased", written).Msg("what a look has shown was not written")
		return
	}
	w.looks.Add(1)
	for _, o := range w.observers {
		if o.Looked != nil {
			o.Looked(ctx, look)
		}
	}
}

// giveBack says when an account is due again after a look that has failed. It keeps its
// place before others where the service was not asked.
func (w *Watcher) giveBack(ctx context.Context, r record, failure error) {
	next, hold := w.next(r), time.Duration(0)
	var e *hostapi.Error
	switch code := hostapi.CodeOf(failure); {
	case code == hostapi.CodeRateLimited && errors.As(failure, &e):
		next, hold = r.due, e.RetryAfter
		if hold <= 0 {
			hold = holdBack
		}
	case code == hostapi.CodeCanceled:
		next = r.due
	}
	if err := w.run(ctx, failScript, r.customerID, r.lease, next, hold.Milliseconds()).Err(); err != nil {
		w.Log.Debug().Err(err).Msg("redis does not take when an account is due again")
	}
}

// next returns when an account is due after now. It keeps its place in the interval.
// Only after its first look it is given one, by its ID, so that all are spread evenly.
func (w *Watcher) next(r record) int64 {
	interval, now := w.Pace().Milliseconds(), time.Now().Add(r.ahead).UnixMilli()
	if r.fields[history.FieldAt] == "" {
		return now + int64(place(r.customerID)*float64(interval))
	}
	late := max(0, now-r.due)
	return r.due + (late/interval+1)*interval
}

// place returns where in the interval an account has its place, from 0 to 1.
func place(customerID string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(customerID))
	return float64(h.Sum32()) / math.MaxUint32
}

// write writes what a look has shown. It tells whether the lease still held.
func (w *Watcher) write(ctx context.Context, r record, at time.Time, seen seen) (bool, error) {
	args := []any{
		r.lease, w.next(r), at.Unix(), at.Add(-history.KeptFor).Unix(), history.MaxEntries,
		history.KeptFor.Milliseconds(), len(seen.added),
	}
	for serverID, entries := range seen.added {
		args = append(args, serverID, entries)
	}
	for _, change := range seen.changes {
		encoded, err := json.Marshal(change)
		if err != nil {
			return false, err
		}
		args = append(args, encoded)
	}
	return w.run(ctx, doneScript, r.customerID, args...).Bool()
}

// lookedAt returns when the last look at an account was; zero before the first.
func (r record) lookedAt() time.Time {
	seconds, err := strconv.ParseInt(r.fields[history.FieldAt], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// standing is a bot's state as the last look has shown it.
type standing struct {
	history.Entry
	longer bool // nobody looked before: it may have had the state for longer
}

// known returns the bots of which something is known.
func (r record) known() map[string]standing {
	bots := make(map[string]standing)
	for field, log := range r.fields {
		serverID, ok := strings.CutPrefix(field, history.FieldPrefix)
		if entries := history.Decode(log); ok && len(entries) > 0 {
			last := len(entries) - 1
			bots[serverID] = standing{entries[last], last > 0 && entries[last-1].State == history.Unwatched}
		}
	}
	return bots
}
