package accounts

import (
	"context"
	"errors"

	"golang.org/x/sync/singleflight"

	"hostbot/hostapi"
)

// refresh asks the service for an account, or joins a call that is under way.
func (c *Cache) refresh(userID string) <-chan singleflight.Result {
	return c.calls.DoChan(userID, func() (any, error) {
		ctx, cancel := context.WithTimeout(c.ctx, c.config.Patience)
		defer cancel()
		return c.fetch(ctx, userID)
	})
}

// outcome returns how a call ended.
func outcome(r singleflight.Result) (Snapshot, error) {
	snapshot, _ := r.Val.(Snapshot) // as refresh returns it
	return snapshot, r.Err
}

// fetch asks the service for an account, unless it has become fresh. Where an action
// changes the account meanwhile, the answer may be from before that, and the service
// is asked again.
func (c *Cache) fetch(ctx context.Context, userID string) (Snapshot, error) {
	for ctx.Err() == nil {
		found := c.load(ctx, userID)
		if found.fresh {
			return found.entry.snapshot()
		}
		list, err := c.config.Source.List(ctx, userID)
		missing := hostapi.CodeOf(err) == hostapi.CodeNotFound // which is an answer
		if err != nil && !missing {
			return Snapshot{}, err
		}
		found.fresh = true
		answer := &entry{UserID: userID, FetchedAt: c.config.Now(), Missing: missing, List: list}
		switch {
		case errors.Is(c.store(ctx, userID, found, answer), errChanged):
		case missing:
			return Snapshot{}, err // which tells more than the entry
		default:
			return answer.snapshot()
		}
	}
	return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
}
