package watcher

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/go-redis/v9"
)

// atOnce is how many changes observers are told of at once.
const atOnce = 100

// tellAll tells observers of changes until ctx is done, while no other process does.
func (w *Watcher) tellAll(ctx context.Context) {
	ticker := time.NewTicker(w.Timing.Tell)
	defer ticker.Stop()
	defer w.release(context.WithoutCancel(ctx))
	for {
		for more := true; more && ctx.Err() == nil; {
			more = w.tell(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// tell tells observers of the changes that were seen first, and whether there may be
// more.
func (w *Watcher) tell(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, w.Timing.Lease/2) // and nothing is told once another process may
	defer cancel()
	ours, err := redis.NewScript(tellerScript).Run(ctx, w.Redis, []string{tellerKey}, w.token, w.Timing.Lease.Milliseconds()).Bool()
	if err != nil || !ours {
		return false
	}
	messages, err := w.Redis.XRangeN(ctx, changesKey, "-", "+", atOnce).Result()
	if err != nil || len(messages) == 0 {
		return false
	}
	var changes []Change
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
		text, _ := m.Values["change"].(string)
		var c Change
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			w.Log.Error().Err(err).Msg("a change makes no sense and is dropped")
			continue
		}
		changes = append(changes, c)
	}
	for _, o := range w.observers {
		if o.Changed == nil {
			continue
		}
		if err := o.Changed(ctx, changes); err != nil {
			w.Log.Warn().Err(err).Msg("changes could not be told and will be told again")
			return false
		}
	}
	return w.Redis.XDel(ctx, changesKey, ids...).Err() == nil && len(messages) == atOnce
}

// release lets another process tell of changes at once.
func (w *Watcher) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if holder, err := w.Redis.Get(ctx, tellerKey).Result(); err == nil && holder == w.token {
		_ = w.Redis.Del(ctx, tellerKey).Err() // it expires otherwise
	}
}
