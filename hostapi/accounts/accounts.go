// Package accounts remembers in Redis what the hosting service said of an
// account, so that most questions about it cost one round trip there and no
// call to the service, and a slow or absent service still leaves something to
// show.
//
// The service sees at most one call for an account in Config.Fresh, whatever is
// asked, by all processes together. That there is no such account is remembered
// as well. After a call that failed there is none for 1 s, for 2 s after the
// next, and so on up to Config.Fresh. What is remembered is returned meanwhile;
// where nothing is, the same error, but for the last 2 s, which are waited for.
// A call that hostapi refuses to send counts for none. Only Forget has the
// service asked sooner, and Expire, a second after the call before at the
// earliest.
//
// A process that is about to ask the service leaves its claim in Redis. The
// others wait for what comes of that, and take over where it has died. Only
// what the claim was for is stored, and what became known while it was there is
// not lost under it: an answer to a call that began before an action does not
// bring a server's former status back, whichever process asked.
//
// Redis is an aid and never a reason to fail: where it is slow, gone or holds
// what makes no sense, each process remembers for itself. What a process could
// not write it prefers to what it reads, until it is written; where Redis was
// changed otherwise meanwhile, it asks the service. So an answer from before an
// action does not come back as fresh because the change was lost. The log tells
// when Redis fails and when that is over.
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
	source Lister
	store  *store
	limits limits
	now    func() time.Time
	log    zerolog.Logger

	ctx    context.Context // of calls to the service
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	// calls holds the call that is under way for an account.
	calls map[string]*call
}

// New returns a cache, to be closed.
func New(c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	l := limits{fresh: c.Fresh, keep: c.Keep, patience: c.Patience}
	ctx, cancel := context.WithCancel(context.Background())
	return &Cache{
		source: c.Source,
		store:  newStore(c.Redis, l, c.Now, c.Log),
		limits: l,
		now:    c.Now,
		log:    c.Log,
		ctx:    ctx,
		cancel: cancel,
		calls:  make(map[string]*call),
	}
}

// Account returns a user's account. Where what is remembered is not fresh, the
// service is asked; where it has not answered at by, or has failed, the old
// account is returned. Where nothing is remembered, Account waits for the
// service until ctx is done. There is an error only then, the service's or a
// *hostapi.Error that wraps ctx's, and where the service says that there is no
// such account (any more).
func (c *Cache) Account(ctx context.Context, userID string, by time.Time) (Snapshot, error) {
	seen, now := c.store.get(ctx, userID), c.now()
	old, known := seen.entry.shown(now, c.limits)
	old.Old = true
	switch do := seen.entry.next(now, c.limits); {
	case do == showFailure && known:
		return old, nil
	case do == showAnswer, do == showFailure && seen.entry.failure.left(now) > shortHold:
		return seen.entry.outcome(do, now)
	}

	asked := c.ask(userID, seen)
	if !known {
		return asked.wait(ctx)
	}
	waiting, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	if !asked.await(waiting) {
		old.Update = asked.wait
		return old, nil
	}
	switch {
	case asked.err == nil:
		return asked.answer, nil
	case hostapi.CodeOf(asked.err) == hostapi.CodeNotFound:
		return Snapshot{}, asked.err // a definite answer: the account is no more
	default:
		return old, nil // the failure is in the log
	}
}

// SetStatus notes the status that an action returned for a server, so that it
// is shown without asking the service; a call to the service that began before
// does not bring the former status back. The account grows no younger by it.
func (c *Cache) SetStatus(ctx context.Context, userID, serverID, status string) {
	c.edit(ctx, userID, func(e entry) entry { return e.withStatus(serverID, status) })
}

// Expire makes the next Account ask the service, whatever the age of what is
// remembered, which stays to be shown while the service is slow or away. Within
// a second of the latest call it waits for the end of that second first.
func (c *Cache) Expire(ctx context.Context, userID string) {
	c.disown(userID)
	c.edit(ctx, userID, entry.outdated)
}

// Forget drops everything that is remembered of an account, and tells whether
// there was anything. An answer that the service is just giving is not kept
// either. The error is Redis's, of which nothing is known then.
func (c *Cache) Forget(ctx context.Context, userID string) (known bool, err error) {
	c.disown(userID)
	return c.store.forget(ctx, userID)
}

// disown keeps those who ask from now on from sharing a call that began before.
func (c *Cache) disown(userID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, userID)
}

// edit changes what is remembered of an account, if there is anything, or may be
// in a Redis that cannot be read.
func (c *Cache) edit(ctx context.Context, userID string, change func(entry) entry) {
	ctx = context.WithoutCancel(ctx)
	seen := c.store.get(ctx, userID)
	c.store.change(ctx, userID, seen, func(e entry) (entry, bool) {
		known := e.answer != nil || e.claim != nil || e.failure != nil
		return change(e), known || seen.unread
	})
}

// Close ends calls to the service and waits for them.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.work.Wait()
}
