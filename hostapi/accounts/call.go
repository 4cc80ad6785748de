package accounts

import (
	"context"
	"crypto/rand"
	"time"

	"hostbot/hostapi"
)

// lookAgain is the pause between two looks at whether another process has the
// answer that it is asking for.
const lookAgain = 100 * time.Millisecond

// saveAgain is the pause before what Redis did not take is written again. It
// doubles with each attempt.
const saveAgain = 250 * time.Millisecond

// call gets the account from the service, or from the process that is asking
// it. All in this process who ask meanwhile share it.
type call struct {
	ended  chan struct{} // closed with answer or err, once they are stored
	answer Snapshot
	err    error
}

// await returns when there is an answer or an error, or false when ctx is done
// before.
func (a *call) await(ctx context.Context) bool {
	select {
	case <-a.ended: // what is there counts, even where ctx is done too
		return true
	default:
	}
	select {
	case <-a.ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns the outcome, or the error of ctx where that is done before.
func (a *call) wait(ctx context.Context) (Snapshot, error) {
	if !a.await(ctx) {
		return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
	}
	return a.answer, a.err
}

// ask returns the call that is under way for an account, or begins one with
// what was found in Redis.
func (c *Cache) ask(userID string, seen found) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked := c.calls[userID]; asked != nil {
		return asked
	}
	asked := &call{ended: make(chan struct{})}
	if c.closed {
		asked.err = hostapi.Interrupted(c.ctx, hostapi.OpList)
		close(asked.ended)
		return asked
	}
	c.calls[userID] = asked
	c.work.Go(func() {
		asked.answer, asked.err = c.resolve(userID, seen)
		c.leave(userID, asked) // first: what it ended with is old for whoever knows of it
		close(asked.ended)
	})
	return asked
}

// leave lets the next who asks begin another call.
func (c *Cache) leave(userID string, asked *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[userID] == asked {
		delete(c.calls, userID)
	}
}

// resolve returns an account that was not fresh when it was looked for.
func (c *Cache) resolve(userID string, seen found) (Snapshot, error) {
	token := rand.Text()
	waiting, cancel := context.WithTimeout(c.ctx, c.limits.patience)
	defer cancel()
	if now := c.now(); seen.entry.next(now, c.limits) == showFailure {
		pause(waiting, seen.entry.failure.left(now))
	}
	seen, do := c.turn(waiting, userID, token, seen)
	switch do {
	case askService:
		return c.query(userID, token, seen)
	case await:
		return Snapshot{}, hostapi.Interrupted(waiting, hostapi.OpList)
	default:
		return seen.entry.outcome(do, c.now())
	}
}

// turn claims the right to ask the service. While others have it, or had it a
// moment ago, it waits for what comes of that, or for the end of ctx.
func (c *Cache) turn(ctx context.Context, userID, token string, seen found) (found, step) {
	for {
		var do step
		seen = c.store.change(ctx, userID, seen, func(e entry) (entry, bool) {
			now := c.now()
			do = e.next(now, c.limits)
			return e.claimed(token, now, c.limits), do == askService
		})
		if do != await || !pause(ctx, lookAgain) {
			return seen, do
		}
		seen = c.store.get(ctx, userID)
	}
}

// query asks the service and stores what comes of it, unless the claim was lost.
func (c *Cache) query(userID, token string, seen found) (Snapshot, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.limits.patience)
	defer cancel()
	list, err := c.source.List(ctx, userID)
	now := c.now()
	switch {
	case err == nil, notSent(err), hostapi.CodeOf(err) == hostapi.CodeNotFound: // which is an answer
	default:
		c.log.Warn().Err(err).Str("user", userID).Msg("the hosting service did not answer for an account")
	}
	answer := Snapshot{List: list, FetchedAt: now}
	store := func(e entry) (entry, bool) {
		if !e.held(token) {
			return e, false
		}
		e = e.ended(list, err, now, c.limits)
		if err == nil {
			answer.List = e.answer.list
		}
		return e, true
	}
	ctx = context.WithoutCancel(ctx)
	if seen.pending != nil { // Redis may have taken the claim and not said so
		seen = c.store.get(ctx, userID)
	}
	if stored := c.store.change(ctx, userID, seen, store); stored.pending != nil {
		c.work.Go(func() { c.save(userID) })
	}
	if err != nil {
		return Snapshot{}, err
	}
	return answer, nil
}

// save writes what Redis did not take as soon as it does, or until the claim that
// it may hold is over anyway: everybody else waits for what comes of that.
func (c *Cache) save(userID string) {
	ctx, cancel := context.WithTimeout(c.ctx, c.limits.patience)
	defer cancel()
	for wait := saveAgain; pause(ctx, wait); wait *= 2 {
		seen := c.store.get(ctx, userID)
		if !seen.unread && seen.pending != nil {
			seen = c.store.change(ctx, userID, seen, func(e entry) (entry, bool) { return e, true })
		}
		if seen.pending == nil {
			return
		}
	}
}

// pause waits, and tells whether ctx lasted that long.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
