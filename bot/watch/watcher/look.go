package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

const (
	// The looks at one time are as many as there may be in a second, but within these
	// bounds: a slow service is left to customers. The latter is a quarter of the
	// connections that hostapi opens, so that no customer waits for one.
	leastAtOnce, mostAtOnce = 4, 64
	// holdBack is for how long no look is made after a 429 that does not say for how long.
	holdBack = 30 * time.Second
	// spare is the part of the rate that is left for looks that come late.
	spare = 0.1
	// tolerance is by how much the interval may grow before somebody is told.
	tolerance = 1.05
)

// account is one that is due.
type account struct {
	customerID string
	due        string // since when, as Redis has it
}

// Run looks at accounts, and tells of changes, while no other process does, until ctx is
// done and the last look has ended.
func (w *Watcher) Run(ctx context.Context) {
	if !w.On() {
		return
	}
	// A turn begins no more than mostAtOnce looks.
	turn := min(w.Timing.Turn, mostAtOnce*time.Second/time.Duration(w.Rate))
	w.lease.Run(ctx, turn, w.Timing.Lease, w.turn)
	w.looking.Wait()
}

// turn notes how the watching fares. Where this process holds the lease, it tells of
// changes, and begins looks at accounts that are due, as many as may be now.
func (w *Watcher) turn(ctx context.Context, held bool) {
	most := 0
	if held {
		w.tell(ctx)
		most = w.room()
	}
	w.mu.Lock()
	looking := maps.Clone(w.underWay) // an account whose look ends before Redis's answer is read is in that answer too
	w.mu.Unlock()
	due, err := w.due(ctx, most)
	if err != nil {
		w.Log.Debug().Err(err).Msg("redis does not tell which accounts are due")
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range due {
		if most == 0 || looking[a.customerID] {
			continue
		}
		most--
		w.left--
		w.probedAt = time.Now()
		w.underWay[a.customerID] = true
		w.looking.Go(func() {
			w.look(ctx, a)
			w.mu.Lock()
			defer w.mu.Unlock()
			delete(w.underWay, a.customerID)
		})
	}
}

// room returns how many looks may begin now. Unused room is kept for a quarter of
// a second.
func (w *Watcher) room() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, rate := time.Now(), float64(w.Rate)
	w.left = min(max(1, rate/4), w.left+now.Sub(w.leftAt).Seconds()*rate)
	w.leftAt = now
	room := min(int(w.left), min(max(w.Rate, leastAtOnce), mostAtOnce)-len(w.underWay))
	switch away := !w.DownSince().IsZero(); {
	case away && now.Sub(w.probedAt) < w.Timing.Probe:
		return 0
	case away: // one look finds out whether the service is back
		return min(room, 1)
	default:
		return max(room, 0)
	}
}

// due returns accounts that are due, those first that were due first: as many as are asked
// for, and those at which this process looks already. It notes how the watching fares.
func (w *Watcher) due(ctx context.Context, most int) ([]account, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if most > 0 {
		most += mostAtOnce
	}
	answer, err := redis.NewScript(dueScript).Run(ctx, w.Redis, []string{w.Space.Key(dueKey), w.Space.Key(heldKey)}, most).Slice()
	if err != nil {
		return nil, err
	}
	if len(answer) != 3 {
		return nil, errors.New("watcher: redis answers something else than what is due")
	}
	watched, _ := answer[0].(int64)
	lag, _ := answer[1].(int64)
	list, _ := answer[2].([]any)
	w.pace(int(watched), time.Duration(lag)*time.Millisecond)
	var due []account
	for i := 0; i+1 < len(list); i += 2 {
		customerID, _ := list[i].(string)
		since, _ := list[i+1].(string)
		due = append(due, account{customerID, since})
	}
	return due, nil
}

// pace notes at which interval so many accounts can be looked at.
func (w *Watcher) pace(watched int, lag time.Duration) {
	former := w.status.Load()
	least := time.Duration(float64(watched) / (float64(w.Rate) * (1 - spare)) * float64(time.Second))
	now := &Status{Accounts: watched, Interval: max(w.Interval, least), Lag: lag}
	now.Grown = float64(now.Interval) > tolerance*float64(w.Interval)
	w.status.Store(now)
	if now.Grown && !former.Grown {
		w.OnSlow(*now)
	}
}

// look asks the service for an account, and writes what that shows.
func (w *Watcher) look(ctx context.Context, a account) {
	limited, cancel := context.WithTimeout(ctx, w.Interval/2)
	defer cancel()
	snapshot, err := w.Accounts.Look(limited, a.customerID)
	after := context.WithoutCancel(ctx)
	if hostapi.CodeOf(err) == hostapi.CodeNotFound { // the account has no bots any more
		snapshot, err = accounts.Snapshot{FetchedAt: time.Now()}, nil
	}
	if err != nil {
		w.postpone(after, a, err)
		w.failed.Add(1)
		return
	}
	written, err := w.write(after, a, snapshot)
	if redis.HasErrorPrefix(err, "WRONGTYPE") { // due since the same time for good, it would be looked at before all others
		w.Log.Error().Err(err).Str("user", a.customerID).Msg("what redis holds of a watched account makes no sense")
		w.postpone(after, a, err)
	}
	if err != nil || !written {
		w.failed.Add(1)
		w.Log.Debug().Err(err).Msg("what a look has shown was not written")
		return
	}
	w.looks.Add(1)
}

// postpone has an account wait for its next turn after a look that has failed, unless the
// service was not asked.
func (w *Watcher) postpone(ctx context.Context, a account, failure error) {
	switch hostapi.CodeOf(failure) {
	case hostapi.CodeCanceled:
	case hostapi.CodeRateLimited:
		pause := holdBack
		if e, ok := errors.AsType[*hostapi.Error](failure); ok && e.RetryAfter > 0 {
			pause = e.RetryAfter
		}
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		if err := redis.NewScript(holdScript).Run(ctx, w.Redis, []string{w.Space.Key(heldKey)}, pause.Milliseconds()).Err(); err != nil {
			w.Log.Debug().Err(err).Msg("redis does not take for how long the service wants no looks")
		}
	default:
		if err := w.run(ctx, postponeScript, a.customerID, w.next(a)...).Err(); err != nil {
			w.Log.Debug().Err(err).Msg("redis does not take when an account is due again")
		}
	}
}

// next returns what nextScript needs. Each account has its place in the interval, by its
// ID, so that all are spread evenly.
func (w *Watcher) next(a account) []any {
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.customerID))
	interval := w.Pace().Milliseconds()
	return []any{a.due, interval, int64(float64(h.Sum32()) / math.MaxUint32 * float64(interval))}
}

// write writes what a look has shown. It returns false where the account is not watched
// any more, or another process has looked at it.
func (w *Watcher) write(ctx context.Context, a account, look accounts.Snapshot) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fields, err := w.Redis.HGetAll(limited, history.AccountKey(w.Space, a.customerID)).Result()
	if err != nil {
		return false, err
	}
	shown := w.compare(record{a.customerID, fields}, look)
	at := look.FetchedAt
	args := append(w.next(a), at.Unix(), at.Add(-history.KeptFor).Unix(), history.MaxEntries, history.KeptFor.Milliseconds(), len(shown.added))
	for serverID, entries := range shown.added {
		args = append(args, serverID, entries)
	}
	for _, change := range shown.changes {
		encoded, err := json.Marshal(change)
		if err != nil {
			return false, err
		}
		args = append(args, encoded)
	}
	return w.run(ctx, writeScript, a.customerID, args...).Bool()
}
