package watcher

import (
	"context"
	"encoding/json"
)

// atOnce is how many changes observers are told of at once.
const atOnce = 100

// tell tells observers of the changes that were seen first. What cannot be told now is
// told in another turn.
func (w *Watcher) tell(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.Timing.Lease/2) // and nothing is told once another process may
	defer cancel()
	messages, err := w.Redis.XRangeN(ctx, w.Space.Key(changesKey), "-", "+", atOnce).Result()
	if err != nil || len(messages) == 0 {
		return
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
	for _, changed := range w.observers {
		if err := changed(ctx, changes); err != nil {
			w.Log.Warn().Err(err).Msg("changes could not be told and will be told again")
			return
		}
	}
	_ = w.Redis.XDel(ctx, w.Space.Key(changesKey), ids...).Err() // otherwise they are told again
}
