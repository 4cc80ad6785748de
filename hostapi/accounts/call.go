package accounts

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/singleflight"

	"hostbot/hostapi"
)

// betweenCalls is the least time between the beginnings of two calls for an
// account, and from the end of one that failed to the beginning of the next.
const betweenCalls = time.Second

// refresh asks the service for an account, or joins a call that is under way.
func (c *Cache) refresh(userID string) <-chan singleflight.Result {
	return c.calls.DoChan(userID, func() (any, error) {
		c.mu.Lock()
		if c.ctx.Err() != nil {
			c.mu.Unlock()
			return Snapshot{}, hostapi.Interrupted(c.ctx, hostapi.OpList)
		}
		c.work.Add(1)
		c.mu.Unlock()
		defer c.work.Done()
		ctx, cancel := context.WithTimeout(c.ctx, c.patience)
		defer cancel()
		return c.fetch(ctx, userID)
	})
}

// outcome returns how a call ended.
func outcome(r singleflight.Result) (Snapshot, error) {
	snapshot, _ := r.Val.(Snapshot) // as refresh returns it
	return snapshot, r.Err
}

// fetch asks the service for an account, unless it has become fresh. Where others
// change the account meanwhile, the answer may be from before that, and the
// service is asked again.
func (c *Cache) fetch(ctx context.Context, userID string) (Snapshot, error) {
	for ctx.Err() == nil {
		found := c.store.load(ctx, userID)
		if found.fresh {
			return found.entry.snapshot()
		}
		if c.waitForRest(ctx, userID) {
			continue
		}
		c.rest(userID)
		list, err := c.source.List(ctx, userID)
		missing := hostapi.CodeOf(err) == hostapi.CodeNotFound
		switch {
		case notSent(err):
			c.resting.Delete(userID)
			return Snapshot{}, err
		case err != nil && !missing:
			c.rest(userID)
			return Snapshot{}, err
		}
		answer := &entry{UserID: userID, FetchedAt: c.now(), Missing: missing, List: list}
		switch {
		case !c.store.save(ctx, userID, found, answer):
		case missing:
			return Snapshot{}, err // which tells more than the entry
		default:
			return answer.snapshot()
		}
	}
	return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
}

// notSent tells of a call that was refused without asking the service.
func notSent(err error) bool {
	var refusal *hostapi.Error
	return errors.As(err, &refusal) && refusal.NotSent
}

// rest keeps the next call for an account from beginning for a while.
func (c *Cache) rest(userID string) {
	until := time.Now().Add(c.pause)
	c.resting.Store(userID, until)
	time.AfterFunc(c.pause, func() { c.resting.CompareAndDelete(userID, until) })
}

// waitForRest returns when a call for an account may begin, or when ctx is done,
// and tells whether there was anything to wait for.
func (c *Cache) waitForRest(ctx context.Context, userID string) bool {
	value, _ := c.resting.Load(userID)
	until, resting := value.(time.Time)
	if !resting {
		return false
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}
