// Package accounts caches the hosting service's accounts in Redis. Most questions
// cost one round trip to Redis and no call to the service, and there is still something to show
// while the service is slow or away.
//
// An account is fresh for Config.TTL. After that the service is asked. If it is slow or fails, the old account is shown
// with its age until Config.MaxStale. That an account does not exist is cached for Config.TTL. Known, which does not
// ask the service, finds both for Config.KeepFor if that is longer.
//
// An account that was listed is not taken to be gone, or empty, at once (doubt.go).
//
// Concurrent callers in one process share a call for an account. Each process
// asks for itself.
//
// Each change of an account in Redis gives it another generation. An answer of the
// service is stored only where the generation is still the one from before the
// call. So an answer to a call that began before an action does not bring a
// server's former status back, whichever process asked.
// A stored account has its generation with it, so that it can be changed without reading it again.
//
// The cache does not fail if Redis does. While Redis cannot be read, the service is asked. If a change of an account
// could not be saved in Redis, the process asks the service until it is saved.
//
// Redis's clock decides whether an account in Redis is fresh. The clocks of the
// processes may differ: an account whose status another process notes is then fresh
// for longer or shorter, for TTL at most.
package accounts

import (
	"cmp"
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

// Snapshot is an account as the service last described it. It is shared: nothing
// in it may be changed.
type Snapshot struct {
	List hostapi.List
	// FetchedAt is when the service answered, by the clock of the process that
	// asked; it is never in the future.
	FetchedAt time.Time
	Old       bool // older than Config.TTL: the service is slow or fails
	// Failure is with what the service has just failed, so that nothing newer is known.
	Failure error
	// Notes are what is known of servers beside the list, by their IDs.
	Notes map[string]Note
	// Beside are the fields of the hash at Config.BesideKey, as they were when Account or
	// Refresh was called, or Update returned. They are nil if Redis cannot tell.
	Beside map[string]string
	// Update waits for the service's answer, and returns it once. It is nil where
	// the service is not being asked.
	Update func(context.Context) (Snapshot, error)

	fresh *entry // as it was found; nil: Acted looks for it
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
	Prefix string // of all keys in Redis; "hostbot:" where it is empty
	Source Source
	// TTL is how old an account may be to be shown without asking the service.
	TTL time.Duration
	// MaxStale is how old an account may be to be shown while the service is slow
	// or fails. It is at least TTL.
	MaxStale time.Duration
	// KeepFor returns for how long an account is kept for Known at least, whatever TTL and
	// MaxStale say; so is that there is none. It may be nil.
	KeepFor func() time.Duration
	// Away reports whether the service is taken to be away, so that no doubt becomes belief. It may be nil.
	Away func() bool
	// OnDoubt is told how many accounts that were listed before the service does not find now, over all processes, when
	// that may have changed. begun is why if it has just become so of one, and otherwise nil. It may be nil.
	OnDoubt func(lost int, begun error)
	// Patience bounds a call to the service, which goes on when its callers have gone.
	Patience time.Duration
	// BesideKey returns the key of a hash that is read along with a user's account, in the
	// same round trip. In a Cluster it is in the slot of the hash tag {userID}. It may be nil.
	BesideKey func(userID string) string
	// StatusMap is that of all servers. Source gives them the same.
	StatusMap hostapi.StatusMap
	// OnGarbage is called when a key held something else than an account.
	OnGarbage func(error)
	// OnLookup is called by each Account: fresh reports whether the service had not to be
	// asked. It may be nil.
	OnLookup func(fresh bool)
	Now      func() time.Time // nil: time.Now
}

// Cache answers questions about accounts. It is safe for concurrent use.
type Cache struct {
	config Config
	calls  singleflight.Group // by user ID, for one server by that and the server's; they return a Snapshot
	ctx    context.Context    // of calls to the service
	cancel context.CancelFunc

	listAlone atomic.Int64 // until this Unix time the list stands in for single servers
	outage    atomic.Int64 // when the service was last seen not to find accounts, or to be away (Unix ns)
	// unwritten holds, by user ID, a text of its own for the latest change that Redis
	// did not take. What Redis holds of such an account is not believed.
	unwritten sync.Map
}

// New returns a cache, to be closed.
func New(c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.KeepFor == nil {
		c.KeepFor = func() time.Duration { return 0 }
	}
	if c.OnLookup == nil {
		c.OnLookup = func(bool) {}
	}
	if c.Away == nil {
		c.Away = func() bool { return false }
	}
	if c.OnDoubt == nil {
		c.OnDoubt = func(int, error) {}
	}
	c.Prefix = cmp.Or(c.Prefix, "hostbot:")
	ctx, cancel := context.WithCancel(context.Background())
	return &Cache{config: c, ctx: ctx, cancel: cancel}
}

// Account returns a user's account. Where it is not fresh, the service is asked.
// Where the service has not answered at by, or has failed, the old account is
// returned. Where there is none to show, Account waits for the service until ctx
// is done.
//
// There is an error only then, the service's or that of hostapi.Interrupted, and where the service says that there is no such account (any more).
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

// Acted notes an action that was carried out on a server, and the status that the
// service returned for it, which is shown without asking the service. The status is ""
// where it returned none. The answer to a call that began before is not stored. The
// account grows no younger by it. Where this cannot be stored, the service is asked.
//
// known is what the caller knows of the user's account, if anything. Where that is still what Redis
// has, Redis need not be asked for it.
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

// StartupChanged notes that the way in which a server is started was changed just now. Where this
// cannot be stored, it is not known.
func (c *Cache) StartupChanged(ctx context.Context, userID, serverID string) {
	ctx = context.WithoutCancel(ctx)
	if found := c.load(ctx, userID); found.entry != nil {
		_ = c.store(ctx, userID, found, found.entry.with(serverID, func(_ *hostapi.Server, n *Note) { n.StartupAt = c.config.Now() }))
	}
}

// Deleted notes that a server was deleted just now: that the account does not have it any more is no surprise.
// Where this cannot be stored, it is not known.
func (c *Cache) Deleted(ctx context.Context, userID, serverID string) {
	ctx = context.WithoutCancel(ctx)
	if found := c.load(ctx, userID); found.entry != nil {
		_ = c.store(ctx, userID, found, found.entry.without(serverID))
	}
}

// Expire makes the next Account ask the service, whatever the account's age. It
// stays to be shown while the service is slow or fails.
func (c *Cache) Expire(ctx context.Context, userID string) {
	if err := c.expire(context.WithoutCancel(ctx), userID); err != nil {
		change := rand.Text()
		c.unwritten.Store(userID, change)
		// By then nothing from before the change is fresh, whoever stored it.
		time.AfterFunc(c.config.TTL+c.config.Patience, func() { c.unwritten.CompareAndDelete(userID, change) })
	}
	// Later callers must not share a call that found the account fresh before. Those
	// who came meanwhile may.
	c.calls.Forget(userID)
}

// Has reports whether anything is cached of an account: what Forget drops.
func (c *Cache) Has(ctx context.Context, userID string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	n, err := c.config.Redis.Exists(limited, c.freshKey(userID), c.lastKey(userID)).Result()
	return n > 0, err
}

// Forget drops everything that is cached of an account, and reports whether there
// was anything. The answer to a call that began before is not stored. The error is
// Redis's, which may still hold the account then.
func (c *Cache) Forget(ctx context.Context, userID string) (known bool, err error) {
	ctx = context.WithoutCancel(ctx)
	removed, err := c.drop(ctx, userID, c.freshKey(userID), c.lastKey(userID))
	return removed > 0, errors.Join(err, c.listed(ctx, userID))
}

// Close ends calls to the service.
func (c *Cache) Close() { c.cancel() }
