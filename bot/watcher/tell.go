package watcher

import (
	"context"
	"encoding/json"
	"time"
)

// atOnce is how many changes observers are told of at once.
const atOnce = 100

// tellAll tells observers of changes until ctx is done, while no other process does.
func (w *Watcher) tellAll(ctx context.Context) {
	ticker := time.NewTicker(w.Timing.Tell)
	defer ticker.Stop()
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
		defer cancel()
		_ = w.teller.Release(last)
	}()
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
	ours, err := w.teller.Hold(ctx, w.Timing.Lease)
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
