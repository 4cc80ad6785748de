package accounts

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/singleflight"

	"hostbot/hostapi"
)

// refresh starts to ask the service for an account, or joins a call that is under way.
func (c *Cache) refresh(userID string) <-chan singleflight.Result {
	return c.calls.DoChan(userID, func() (any, error) {
		ctx, cancel := context.WithTimeout(c.ctx, c.config.Patience)
		defer cancel()
		return c.fetch(ctx, userID, false)
	})
}

// await waits for a call and returns its account. If the call has failed, or has not ended at by, it returns the old
// account if there is one to show.
func (c *Cache) await(ctx context.Context, userID string, by time.Time, call <-chan singleflight.Result) (Snapshot, error) {
	update := func(ctx context.Context) (Snapshot, error) { return end(ctx, call) }
	last := c.get(ctx, c.lastKey(userID), userID)
	if last == nil || last.Missing || c.config.Now().Sub(last.FetchedAt) > c.config.MaxStale {
		return update(ctx)
	}
	old := Snapshot{List: last.List, FetchedAt: last.FetchedAt, Notes: last.Notes, Old: true}
	waiting, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	select {
	case r := <-call:
		if r.Err == nil || hostapi.CodeOf(r.Err) == hostapi.CodeNotFound { // which is an answer
			return outcome(r)
		}
		old.Failure = r.Err
	case <-waiting.Done():
		old.Update = update
	}
	return old, nil
}

// end waits until a call has ended, and returns its result.
func end(ctx context.Context, call <-chan singleflight.Result) (Snapshot, error) {
	select {
	case r := <-call:
		return outcome(r)
	case <-ctx.Done():
		return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
	}
}

// outcome returns the result of a call that has ended.
func outcome(r singleflight.Result) (Snapshot, error) {
	snapshot, _ := r.Val.(Snapshot) // as refresh returns it
	return snapshot, r.Err
}

// fetch asks the service for an account. If anew is not set, it does not ask if the account has become fresh. If an action
// changes the account meanwhile, the answer may be from before that, so the service is asked again.
func (c *Cache) fetch(ctx context.Context, userID string, anew bool) (Snapshot, error) {
	for ctx.Err() == nil {
		found := c.load(ctx, userID)
		if found.fresh && !anew {
			return found.entry.snapshot()
		}
		list, err := c.config.Source.List(c.asListed(ctx, found), userID)
		missing := hostapi.CodeOf(err) == hostapi.CodeNotFound // which is an answer
		if e, ok := errors.AsType[*hostapi.Error](err); ok && e.Doubted && errors.Is(c.doubt(ctx, userID, found, err), errChanged) {
			continue
		}
		if err != nil && !missing {
			return Snapshot{}, err
		}
		found.fresh = true
		answer := &entry{UserID: userID, FetchedAt: c.config.Now(), Missing: missing, List: list, Notes: found.entry.actions(list)}
		if errors.Is(c.store(ctx, userID, found, answer), errChanged) {
			continue
		}
		c.settle(ctx, userID, found)
		if missing {
			return Snapshot{}, err // which tells more than the entry
		}
		return answer.snapshot()
	}
	return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
}
