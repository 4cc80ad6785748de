// Package accounts remembers in Redis what the hosting service said of an
// account, so that most questions about it cost one round trip there and no
// call to the service, and a slow or absent service still leaves something to
// show.
//
// Redis is an aid and never a reason to fail: where it is slow, gone or holds
// what makes no sense, the service is asked. The log tells when that begins and
// when it is over.
//
// Between processes the last one to write wins, so an account that another
// process was just asking for may show a status from before an action for as
// long as a cached account counts as fresh. Within a process it never does.
package accounts

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/hostapi"
)

// Snapshot is an account as last heard from the service. It is shared: nothing
// in it may be changed.
type Snapshot struct {
	List      hostapi.List
	FetchedAt time.Time
	Old       bool // older than it should be: the service is slow or away
	// Update waits for the service's answer, where it is still being asked; nil otherwise.
	Update func(context.Context) (Snapshot, error)
}

// Lister asks the service for an account.
type Lister interface {
	List(ctx context.Context, userID string) (hostapi.List, error)
}

// Config is what a Cache needs. All but Now is required.
type Config struct {
	// Redis must heed the deadline of a command's context
	// (ContextTimeoutEnabled); every use is bounded to 250 ms by it.
	Redis  redis.UniversalClient
	Source Lister
	// Fresh is how old an account may be to be shown without asking the service.
	Fresh time.Duration
	// Keep is how old an account may be to be shown while the service is slow or
	// away. It is at least Fresh.
	Keep time.Duration
	// Patience bounds one call to the service. The call is shared, and goes on
	// to its end or to this bound when its callers have gone.
	Patience time.Duration
	Log      zerolog.Logger
	Now      func() time.Time // nil: time.Now
}

// Cache answers questions about accounts. It is safe for concurrent use.
type Cache struct {
	source   Lister
	store    *store
	fresh    time.Duration
	patience time.Duration
	now      func() time.Time
	log      zerolog.Logger

	ctx    context.Context // of calls to the service
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	// calls holds the latest call for each account, until its answer is stored.
	calls map[string]*call
}

// New returns a cache, to be closed.
func New(c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Cache{
		source:   c.Source,
		store:    newStore(c.Redis, c.Keep, c.Now, c.Log),
		fresh:    c.Fresh,
		patience: c.Patience,
		now:      c.Now,
		log:      c.Log,
		ctx:      ctx,
		cancel:   cancel,
		calls:    make(map[string]*call),
	}
}

// Account returns a user's account. Where what is remembered is not fresh, the
// service is asked; where it has not answered at by, or has failed, the old
// account is returned. Where nothing is remembered, Account waits for the
// service until ctx is done. There is an error only then, the service's or a
// *hostapi.Error that wraps ctx's, and where the service says that there is no
// such account (any more).
func (c *Cache) Account(ctx context.Context, userID string, by time.Time) (Snapshot, error) {
	underWay := c.underWay(userID)
	old, known := c.store.get(ctx, userID)
	if known && !old.Expired && c.now().Sub(old.FetchedAt) < c.fresh {
		return Snapshot{List: old.List, FetchedAt: old.FetchedAt}, nil
	}
	asked := c.ask(userID, underWay)
	if !known {
		return c.wait(ctx, asked)
	}
	shown := Snapshot{List: old.List, FetchedAt: old.FetchedAt, Old: true}
	waiting, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	if !asked.await(waiting) {
		shown.Update = func(ctx context.Context) (Snapshot, error) { return c.wait(ctx, asked) }
		return shown, nil
	}
	answer, err := c.result(asked)
	switch {
	case err == nil:
		return answer, nil
	case hostapi.CodeOf(err) == hostapi.CodeNotFound:
		return Snapshot{}, err // a definite answer: the account is no more
	default:
		return shown, nil // the call has logged it
	}
}

// SetStatus notes the status that an action returned for a server, so that it
// is shown without asking the service; a call to the service that began before
// does not bring the former status back. The account grows no younger by it.
func (c *Cache) SetStatus(ctx context.Context, userID, serverID, status string) {
	c.mu.Lock()
	if asked := c.calls[userID]; asked != nil {
		asked.setStatus(serverID, status)
	}
	c.mu.Unlock()
	c.store.setStatus(ctx, userID, serverID, status)
}

// Expire makes the next Account ask the service, whatever the age of what is
// remembered, which stays to be shown while the service is slow or away.
func (c *Cache) Expire(ctx context.Context, userID string) {
	c.mu.Lock()
	if asked := c.calls[userID]; asked != nil {
		asked.expire()
		delete(c.calls, userID) // it began too early for whoever asks from now on
	}
	c.mu.Unlock()
	c.store.expire(ctx, userID)
}

// Forget drops everything that is remembered of an account, and tells whether
// there was anything. An answer that the service is just giving is not kept
// either. The error is Redis's, of which nothing is known then.
func (c *Cache) Forget(ctx context.Context, userID string) (known bool, err error) {
	c.mu.Lock()
	storing := false
	if asked := c.calls[userID]; asked != nil {
		storing = asked.forget()
		delete(c.calls, userID)
	}
	c.mu.Unlock()
	known, err = c.store.forget(ctx, userID)
	return err == nil && (known || storing), err
}

// Close ends calls to the service and waits for them.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.work.Wait()
}
