package accounts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"

	"hostbot/hostapi"
)

const (
	// refreshPause is the shortest time between two requests of Refresh for an account.
	refreshPause = 5 * time.Second
	// listAloneFor is for how long the whole list is asked for in place of a single server, once the service has turned
	// out not to tell of single servers. After that it is tried again, as the service may have been changed.
	listAloneFor = 10 * time.Minute
)

// Seen returns when the service last described a server, alone or in the list.
func (s Snapshot) Seen(serverID string) time.Time {
	if seen := s.Notes[serverID].Seen; seen.After(s.FetchedAt) {
		return seen
	}
	return s.FetchedAt
}

// Refresh asks the service for an account as Ask does, but over all processes at most once in five seconds. In between it
// does what Account does.
func (c *Cache) Refresh(ctx context.Context, userID, serverID string, by time.Time) (Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	var asks *redis.BoolCmd
	beside := c.along(limited, userID, func(r redis.Cmdable) { asks = r.SetNX(limited, c.askedKey(userID), "", refreshPause) })
	if first, err := asks.Result(); err == nil && !first {
		return c.Account(ctx, userID, by)
	}
	snapshot, err := c.Ask(ctx, userID, serverID, by)
	return c.withBeside(snapshot, userID, beside), err
}

// Look asks the service for an account when nobody waits for the answer: the request is sent once (hostapi.Once). If
// Refresh or Look asked in the last five seconds, and the account is fresh, Look does not ask again. Unlike Refresh it does
// not expire the account, so others go on using it meanwhile. If the service fails, or has not answered when ctx is done,
// Look returns an error.
func (c *Cache) Look(ctx context.Context, userID string) (Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	first, err := c.config.Redis.SetNX(limited, c.askedKey(userID), "", refreshPause).Result()
	return c.fetch(hostapi.Once(ctx), userID, first || err != nil)
}

// Ask asks the service for one server of an account, or for all of them if serverID is "", and returns the account with
// the answer. If the service has not answered at by, or has failed, it returns the old account, as Account does.
//
// If the service does not tell of single servers, or the account is not known to have this one, it asks for all servers.
func (c *Cache) Ask(ctx context.Context, userID, serverID string, by time.Time) (Snapshot, error) {
	if serverID == "" || c.config.Now().Unix() < c.listAlone.Load() {
		return c.await(ctx, userID, by, c.askForAll(userID))
	}
	call := c.calls.DoChan(userID+"/"+serverID, func() (any, error) {
		ctx, cancel := context.WithTimeout(c.ctx, c.config.Patience)
		defer cancel()
		return c.fetchServer(ctx, userID, serverID)
	})
	return c.await(ctx, userID, by, call)
}

// askForAll starts to ask the service for an account, even if it is fresh.
func (c *Cache) askForAll(userID string) <-chan singleflight.Result {
	c.Expire(c.ctx, userID)
	return c.refresh(userID)
}

// fetchServer asks the service for a server, and stores the answer. If an action changes the account meanwhile, the answer
// may be from before that, so the service is asked again.
func (c *Cache) fetchServer(ctx context.Context, userID, serverID string) (Snapshot, error) {
	for ctx.Err() == nil {
		found := c.load(ctx, userID)
		if found.entry == nil || !found.entry.has(serverID) {
			return end(ctx, c.askForAll(userID))
		}
		server, err := c.config.Source.Get(ctx, userID, serverID)
		switch {
		case tellsNothing(server, err):
			snapshot, err := end(ctx, c.askForAll(userID))
			if e := (&entry{List: snapshot.List}); err == nil && e.has(serverID) { // so the server is not what is missing
				c.listAlone.Store(c.config.Now().Add(listAloneFor).Unix())
			}
			return snapshot, err
		case err != nil:
			return Snapshot{}, err
		}
		answer := found.entry.with(serverID, func(s *hostapi.Server, n *Note) {
			*s, n.Seen = server, c.config.Now()
			n.Settled = n.Settled || !server.State().Moving()
		})
		answer.DoubtedSince = time.Time{}
		if !errors.Is(c.store(ctx, userID, found, answer), errChanged) {
			c.settle(ctx, userID, found)
			return answer.snapshot()
		}
	}
	return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpGet)
}

// tellsNothing reports whether an answer says nothing about a server: the service has no such operation or no such server,
// something else has answered in its place, or the record lacks what those in the list have. The service's document shows
// neither the path of this operation nor its answer.
func tellsNothing(s hostapi.Server, err error) bool {
	var e *hostapi.Error
	if !errors.As(err, &e) {
		return err == nil && (s.Name == "" || s.Status == "")
	}
	switch {
	case e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed, e.Status == http.StatusNotImplemented, e.Status/100 == 3:
		return true
	default:
		return e.Code == hostapi.CodeNotOffered || e.Code == hostapi.CodeNotFound || e.Code == hostapi.CodeMalformed
	}
}
