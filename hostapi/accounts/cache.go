// Package accounts keeps customers' accounts in Redis, so that most questions
// about one are answered without the hosting service, and while it is away.
//
// An account that is young enough is shown as it is. An older one is asked for
// again, and shown with its age where the answer is late or does not come. What
// an action brings to light is put into the account at once, and a list that
// the service was asked for before then does not undo it, on whichever machine
// either of them happened.
//
// Redis makes nothing fail here: where it is slow, gone or holds what can not
// be, the service is asked.
package accounts

import (
	"cmp"
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/hostapi"
)

// Source is where accounts come from.
type Source interface {
	List(ctx context.Context, userID string) (hostapi.List, error)
}

// Config is what a Cache needs. Redis and Source are required.
type Config struct {
	Redis  redis.UniversalClient
	Source Source
	// Fresh is how long an account is shown as it is; 0 means 30 s.
	Fresh time.Duration
	// Keep is how long an account is kept to be shown while the service is slow
	// or away; 0 means 24 h.
	Keep time.Duration
	// Patience bounds one call to the service, whoever waits for it; 0 means
	// 30 s, and no more than a minute is granted.
	Patience time.Duration
	// OpTimeout bounds one use of Redis, a read or a change; 0 means 250 ms.
	OpTimeout time.Duration
	Log       zerolog.Logger
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

const (
	defaultFresh     = 30 * time.Second
	defaultKeep      = 24 * time.Hour
	defaultPatience  = 30 * time.Second
	maxPatience      = time.Minute // well below changesLast
	defaultOpTimeout = 250 * time.Millisecond
	// closeLimit bounds Close.
	closeLimit = 5 * time.Second
)

// Snapshot is an account as last heard from the service, with what actions have
// brought to light since. It is shared, and must not be changed.
type Snapshot struct {
	List hostapi.List
	// FetchedAt is when the service answered.
	FetchedAt time.Time
	// Old says that List is older than it should be: the service failed, or has
	// not answered yet.
	Old bool
	// Update waits for the service's answer, or for the end of its context. It
	// is nil unless List is old and the service is still being asked. It may be
	// called more than once.
	Update func(context.Context) (Snapshot, error)
}

// Cache answers with accounts. It is safe for concurrent use.
type Cache struct {
	source  Source
	fresh   time.Duration
	now     func() time.Time
	log     zerolog.Logger
	store   *store
	flights *flights
}

// New returns a cache.
func New(c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Cache{
		source: c.Source,
		fresh:  cmp.Or(c.Fresh, defaultFresh),
		now:    c.Now,
		log:    c.Log,
		store: &store{
			redis: c.Redis,
			keep:  cmp.Or(c.Keep, defaultKeep),
			bound: cmp.Or(c.OpTimeout, defaultOpTimeout),
			now:   c.Now,
			log:   c.Log,
		},
		flights: newFlights(min(cmp.Or(c.Patience, defaultPatience), maxPatience)),
	}
}

// Close ends the calls to the service and waits for them, for 5 s at most.
func (c *Cache) Close() { c.flights.close(closeLimit) }

// Account returns a user's account. Where there is an old one, the service has
// until by to answer with a newer one; where there is none, as long as ctx
// lasts. The error is the service's, or says why ctx ended. That the service
// knows no such account, or forbids it, is an error however much is known.
func (c *Cache) Account(ctx context.Context, userID string, by time.Time) (Snapshot, error) {
	known, err := c.store.read(ctx, userID)
	if known.fresh(c.now(), c.fresh) {
		return Snapshot{List: *known.List, FetchedAt: known.FetchedAt}, nil
	}
	flight := c.flights.join(userID, c.asking(userID, known.revision(), err == nil))
	if known.List == nil {
		return flight.wait(ctx)
	}

	patient, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	old := Snapshot{List: *known.List, FetchedAt: known.FetchedAt, Old: true}
	switch {
	case !flight.await(patient):
		old.Update = flight.wait
		return old, nil
	case flight.err == nil:
		return flight.snapshot, nil
	case definite(flight.err):
		return Snapshot{}, flight.err
	default:
		c.log.Debug().Err(flight.err).Str("user", userID).Msg("the service failed; an old account is shown")
		return old, nil
	}
}

// asking returns a call to the service which puts the answer into Redis, unless
// that failed before: what happened meanwhile would not be known.
func (c *Cache) asking(userID string, revision int64, store bool) func(context.Context) (Snapshot, error) {
	return func(ctx context.Context) (Snapshot, error) {
		list, err := c.source.List(ctx, userID)
		if err != nil {
			return Snapshot{}, err
		}
		now := c.now()
		fetched := Snapshot{List: list, FetchedAt: now}
		if !store {
			return fetched, nil
		}
		stored, err := c.store.change(ctx, userID, func(e entry) entry { return e.renewed(list, now, revision) })
		if err == nil {
			fetched.List = *stored.List
		}
		return fetched, nil
	}
}

// definite tells of an answer from the service that an old account must not
// hide.
func definite(err error) bool {
	code := hostapi.CodeOf(err)
	return code == hostapi.CodeNotFound || code == hostapi.CodeForbidden
}

// SetStatus puts the status that an action returned into a user's account. The
// account does not become younger by that.
func (c *Cache) SetStatus(ctx context.Context, userID, serverID, status string) {
	c.record(ctx, userID, change{ServerID: serverID, Status: status})
}

// SetServer puts the record that an action returned into a user's account,
// which may not have had that server before. The account does not become
// younger by that.
func (c *Cache) SetServer(ctx context.Context, userID string, s hostapi.Server) {
	c.record(ctx, userID, change{ServerID: s.ID, Server: &s})
}

// Expire makes a user's account old: something has changed, and it is not known
// what. An answer that the service is giving now does not count as newer.
func (c *Cache) Expire(ctx context.Context, userID string) {
	c.record(ctx, userID, change{})
	c.flights.forget(userID)
}

// record puts a change into Redis even where the one who made it is gone.
func (c *Cache) record(ctx context.Context, userID string, made change) {
	// An error has been logged; the account stays as it was until it is old.
	_, _ = c.store.change(context.WithoutCancel(ctx), userID, func(e entry) entry {
		e.record(made, c.now())
		return e
	})
}
