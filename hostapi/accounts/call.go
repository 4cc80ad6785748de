package accounts

import (
	"context"
	"slices"

	"hostbot/hostapi"
)

// call is one call to the service for an account, shared by all who ask for it
// meanwhile. What becomes known of the account during the call is newer than
// the call's answer, and is kept beside it until the answer is stored. All but
// answered is guarded by Cache.mu.
type call struct {
	answered chan struct{} // closed with answer or err
	answer   Snapshot
	err      error

	statuses map[string]string // by server id
	expired  bool
	// forgotten: the answer is not to be kept at all. It is expired as well.
	forgotten bool
	changes   int // how often what is above changed
}

func (a *call) setStatus(serverID, status string) {
	a.changes++
	a.statuses[serverID] = status
	a.answer.List = withStatus(a.answer.List, serverID, status)
}

func (a *call) expire() {
	a.changes++
	a.expired = true
}

// forget tells whether there is an answer, which is then dropped.
func (a *call) forget() (answered bool) {
	a.expire()
	a.forgotten = true
	select {
	case <-a.answered:
		return true
	default:
		return false
	}
}

// await returns when there is an answer or an error, or false when ctx is done
// before.
func (a *call) await(ctx context.Context) bool {
	select {
	case <-a.answered: // what is there counts, even where ctx is done too
		return true
	default:
	}
	select {
	case <-a.answered:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns the outcome of a call, or the error of ctx where that is done
// before.
func (c *Cache) wait(ctx context.Context, asked *call) (Snapshot, error) {
	if !asked.await(ctx) {
		return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
	}
	return c.result(asked)
}

// result returns the outcome of a call that is over.
func (c *Cache) result(asked *call) (Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return asked.answer, asked.err
}

// underWay returns the call that is under way for an account, or nil.
func (c *Cache) underWay(userID string) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[userID]
}

// ask returns the call that is under way for an account, or begins one. One that
// was under way when the asker began serves as well, though it be over: the
// asker may have looked into Redis just before its answer was stored.
func (c *Cache) ask(userID string, earlier *call) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked := c.calls[userID]; asked != nil {
		return asked
	}
	if earlier != nil && !earlier.expired {
		return earlier
	}
	asked := &call{answered: make(chan struct{}), statuses: make(map[string]string)}
	if c.closed {
		asked.err = hostapi.Interrupted(c.ctx, hostapi.OpList)
		close(asked.answered)
		return asked
	}
	c.calls[userID] = asked
	c.work.Go(func() { c.run(userID, asked) })
	return asked
}

func (c *Cache) run(userID string, asked *call) {
	ctx, cancel := context.WithTimeout(c.ctx, c.patience)
	defer cancel()
	list, err := c.source.List(ctx, userID)

	c.mu.Lock()
	for serverID, status := range asked.statuses {
		list = withStatus(list, serverID, status)
	}
	asked.answer, asked.err = Snapshot{List: list, FetchedAt: c.now()}, err
	if err != nil {
		asked.answer = Snapshot{}
		c.leave(userID, asked)
	}
	close(asked.answered)
	c.mu.Unlock()

	if err != nil {
		if hostapi.CodeOf(err) != hostapi.CodeNotFound { // that is an answer
			c.log.Warn().Err(err).Str("user", userID).Msg("the hosting service did not answer for an account")
		}
		return
	}
	c.keep(ctx, userID, asked)
}

// keep stores the answer to a call, again where it changes meanwhile: a change
// that went to Redis before the answer would be lost under it.
func (c *Cache) keep(ctx context.Context, userID string, asked *call) {
	for stored := false; ; stored = true {
		c.mu.Lock()
		answer, expired, forgotten, changes := asked.answer, asked.expired, asked.forgotten, asked.changes
		c.mu.Unlock()
		switch {
		case !expired:
			c.store.put(ctx, userID, answer.List, answer.FetchedAt)
		case stored && forgotten:
			_, _ = c.store.forget(ctx, userID) // what goes wrong is in the log
		case stored:
			c.store.expire(ctx, userID)
		}
		c.mu.Lock()
		settled := expired || asked.changes == changes
		if settled {
			c.leave(userID, asked)
		}
		c.mu.Unlock()
		if settled {
			return
		}
	}
}

// leave lets the next who asks begin another call. c.mu is held.
func (c *Cache) leave(userID string, asked *call) {
	if c.calls[userID] == asked {
		delete(c.calls, userID)
	}
}

// withStatus returns the list with another status of one server. The list given
// stays as it is, as others may be reading it.
func withStatus(list hostapi.List, serverID, status string) hostapi.List {
	i := slices.IndexFunc(list.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 || list.Servers[i].Status == status {
		return list
	}
	list.Servers = slices.Clone(list.Servers)
	list.Servers[i].Status = status
	return list
}
