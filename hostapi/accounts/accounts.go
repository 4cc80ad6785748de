// Package accounts caches the hosting service's accounts in Redis. Most questions cost one round trip to Redis and no call
// to the service. While the service is slow or away, the cache still has something to show.
//
// An account is fresh for Config.TTL. After that the service is asked. If it is slow or fails, the old account is shown
// with its age until Config.MaxStale. If the service says that an account does not exist, that is cached for Config.TTL.
// Known does not ask the service: it finds accounts, and that there is none, for Config.KeepFor if that is longer.
//
// If the service no longer finds an account that it has listed, or lists it as empty, that is not believed at once
// (doubt.go).
//
// Callers in one process that ask for an account at the same time share one call. Each process asks for itself.
//
// Each change of an account in Redis gives it another generation. An answer of the service is stored only if the
// generation has not changed since before the call. Otherwise a call that began before an action could bring a server's
// former status back. This holds over all processes. The generation is stored in the account, too, so that a caller who
// has read the account can change it without reading it again.
//
// If Redis fails, the cache does not. While Redis cannot be read, the service is asked. If a change of an account could
// not be saved in Redis, the process asks the service for that account until the change is saved.
//
// Redis's clock decides whether an account in Redis is fresh. If the clocks of two processes differ, an account whose
// status one of them has noted is fresh for a longer or shorter time, for at most TTL.
package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"

	"hostbot/hostapi"
)

// Snapshot is an account as the service last described it. It is shared, so nobody may change anything in it.
type Snapshot struct {
	List hostapi.List
	// FetchedAt is when the service answered, by the clock of the process that asked. It is never in the future.
	FetchedAt time.Time
	Old       bool // older than Config.TTL: the service is slow or fails
	// Failure is the error with which the service has just failed. It is the reason that the account is old.
	Failure error
	// Notes are what is known of servers beside the list, by server ID.
	Notes map[string]Note
	// Beside has the fields of the hashes at Config.BesideKeys, as they were when Account or Refresh was called, or when
	// Update returned. Those of a hash are missing if Redis failed.
	Beside map[string]string
	// Update waits for the service's answer and returns it. It may be called once. It is nil if the service is not being
	// asked.
	Update func(context.Context) (Snapshot, error)

	fresh *entry // the entry that Account found; nil: Acted reads it
}

// Source asks the service for an account, or for one server of it.
type Source interface {
	List(ctx context.Context, userID string) (hostapi.List, error)
	Get(ctx context.Context, userID, serverID string) (hostapi.Server, error)
}

// Config is the settings of a Cache and all that it uses.
type Config struct {
	// Redis must heed the deadline of a command's context
	// (ContextTimeoutEnabled); every use is bounded to 250 ms by it.
	Redis  redis.UniversalClient
	Prefix string // of all keys in Redis
	Source Source
	// TTL is how old an account may be to be shown without asking the service.
	TTL time.Duration
	// MaxStale is how old an account may be to be shown while the service is slow
	// or fails. It is at least TTL.
	MaxStale time.Duration
	// KeepFor returns for how long Known finds an account at least, or that there is none, even if TTL and MaxStale are
	// shorter.
	KeepFor func() time.Duration
	// Away reports whether the service is taken to be away. While it is, doubted answers are not believed, however long
	// they last.
	Away func() bool
	// OnDoubt is called when the number of lost accounts may have changed: those that the service has listed and does not
	// find now, over all processes. If one has just been lost, begun is the service's error; otherwise it is nil.
	OnDoubt func(lost int, begun error)
	// Patience bounds a call to the service. The call goes on even if its callers have gone.
	Patience time.Duration
	// BesideKeys returns the keys of hashes that are read in the same round trip as a user's account. They must have the hash
	// tag {userID}, so that a Cluster keeps all in one slot.
	BesideKeys func(userID string) []string
	// StatusMap is set on all servers that are read from Redis. Source must set the same one.
	StatusMap hostapi.StatusMap
	// OnGarbage is called when a key held anything but an account.
	OnGarbage func(error)
	// OnLookup is called in each call of Account. fresh says that the account was fresh, so that the service was not
	// asked.
	OnLookup func(fresh bool)
	Now      func() time.Time // nil: time.Now
}

// Cache answers questions about accounts. It is safe for concurrent use.
type Cache struct {
	config Config
	calls  singleflight.Group // by USER or USER/SERVER; each returns a Snapshot
	ctx    context.Context    // of calls to the service
	cancel context.CancelFunc

	listAlone atomic.Int64 // until this Unix time the whole list is asked for in place of a single server
	outage    atomic.Int64 // when the service was last seen to be away, or not to find several accounts (Unix ns)
	// unwritten has the accounts with a change that could not be saved in Redis, by user ID. The value is a random text
	// for the latest such change. While an account is here, what Redis has of it is not used.
	unwritten sync.Map
}

// New returns a cache. Close it after use.
func New(c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Cache{config: c, ctx: ctx, cancel: cancel}
}

// Account returns a user's account. If it is not fresh, the service is asked. If the service has not answered at by, or
// has failed, the old account is returned. If there is no old one that may be shown, Account waits for the service until
// ctx is done.
//
// It returns an error if there is nothing to show: the service's, or that of hostapi.Interrupted. It also returns the
// service's error if that says that there is no such account.
func (c *Cache) Account(ctx context.Context, userID string, by time.Time) (Snapshot, error) {
	var beside map[string]string
	if _, ok := c.unwritten.Load(userID); !ok {
		var fresh *entry
		if fresh, beside = c.loadFresh(ctx, userID); fresh != nil {
			c.config.OnLookup(true)
			snapshot, err := fresh.snapshot()
			snapshot.Beside, snapshot.fresh = beside, fresh
			return snapshot, err
		}
	}
	c.config.OnLookup(false)
	snapshot, err := c.await(ctx, userID, by, c.refresh(userID))
	return c.withBeside(snapshot, userID, beside), err
}

// ErrUnknown says that nothing is known of an account.
var ErrUnknown = errors.New("accounts: nothing is known of the account")

// Known returns what is known of a user's account, however old it is, without asking the service.
// The error may be ErrUnknown.
func (c *Cache) Known(ctx context.Context, userID string) (Snapshot, error) {
	found := c.load(ctx, userID)
	switch {
	case found.err != nil:
		return Snapshot{}, found.err
	case found.entry == nil:
		return Snapshot{}, ErrUnknown
	}
	return found.entry.snapshot()
}

// Acted notes an action that was carried out on a server, and the status that the service returned; "" if it returned
// none. From then on that status is shown. The account's age does not change by it. The answer to a call that began before
// is not stored. If the note cannot be stored, the next Account asks the service.
//
// known is what the caller knows of the user's account; it may be zero. If Redis still has just that, Acted saves the time
// to read it.
func (c *Cache) Acted(ctx context.Context, known Snapshot, userID, serverID, action, status string) {
	ctx = context.WithoutCancel(ctx)
	now := c.config.Now()
	note := func(f found) error {
		if f.entry == nil {
			return ErrUnknown
		}
		return c.store(ctx, userID, f, f.entry.with(serverID, func(s *hostapi.Server, n *Note) {
			n.Action, n.At, n.Settled = action, now, false
			if status != "" {
				s.Status, n.Seen = status, now
			}
		}))
	}
	err := errChanged
	if e := known.fresh; e != nil {
		err = note(found{entry: e, fresh: true, generation: e.Generation, longAgo: true})
	}
	if errors.Is(err, errChanged) {
		err = note(c.load(ctx, userID))
	}
	if err != nil {
		c.Expire(ctx, userID)
	}
}

// StartupChanged notes that it was changed just now how a server is started. If Redis fails, the note is lost.
func (c *Cache) StartupChanged(ctx context.Context, userID, serverID string) {
	ctx = context.WithoutCancel(ctx)
	if found := c.load(ctx, userID); found.entry != nil {
		_ = c.store(ctx, userID, found, found.entry.with(serverID, func(_ *hostapi.Server, n *Note) { n.StartupAt = c.config.Now() }))
	}
}

// Deleted notes that a server was deleted just now, so that nobody doubts an answer without it. If Redis fails, the note
// is lost.
func (c *Cache) Deleted(ctx context.Context, userID, serverID string) {
	ctx = context.WithoutCancel(ctx)
	if found := c.load(ctx, userID); found.entry != nil {
		_ = c.store(ctx, userID, found, found.entry.without(serverID))
	}
}

// Expire makes the next Account ask the service, even if the account is fresh. The account is kept, and shown while the
// service is slow or fails.
func (c *Cache) Expire(ctx context.Context, userID string) {
	if err := c.expire(context.WithoutCancel(ctx), userID); err != nil {
		change := rand.Text()
		c.unwritten.Store(userID, change)
		// By then nothing from before the change is fresh any more, whichever process stored it.
		time.AfterFunc(c.config.TTL+c.config.Patience, func() { c.unwritten.CompareAndDelete(userID, change) })
	}
	// Callers that come from now on must not share a call that found the account fresh before.
	c.calls.Forget(userID)
}

// Has reports whether anything is cached of an account that Forget would drop.
func (c *Cache) Has(ctx context.Context, userID string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	n, err := c.config.Redis.Exists(limited, c.freshKey(userID), c.lastKey(userID)).Result()
	return n > 0, err
}

// Forget drops everything that is cached of an account, and reports whether there was anything. The answer to a call that
// began before is not stored. The error is Redis's: then Redis may still have the account.
func (c *Cache) Forget(ctx context.Context, userID string) (known bool, err error) {
	ctx = context.WithoutCancel(ctx)
	removed, err := c.drop(ctx, userID, c.freshKey(userID), c.lastKey(userID))
	return removed > 0, errors.Join(err, c.listed(ctx, userID))
}

// Close cancels all calls to the service.
func (c *Cache) Close() { c.cancel() }
