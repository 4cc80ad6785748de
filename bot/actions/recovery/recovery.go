// Package recovery ends what a process that died had begun.
//
// Before an action may reach the hosting service, the process that runs it keeps a
// record of it in Redis. It renews the record while it lives, and removes it once
// the action's end was told. A record that is no longer renewed is taken over by
// another process, or by the next one that starts. Nobody knows then whether the
// action reached the service, and those who wait for it are told so.
//
// Where Redis is away, a record is kept as soon as it is back. A process that dies
// before that leaves none, and so does one whose Redis loses what it holds. A Redis
// that fails over to a replica may also have a record again that was removed. So the
// process that removed a record removes it again while another could take it over.
package recovery

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
)

// Record is an action that has begun.
type Record struct {
	Request interaction.Request // without what was typed and chosen
	Action  interaction.Action  // without its end
	// To is where its end is told. The token is empty once it is no longer good.
	To rest.Callback

	id string // tells it from others; Add and take set it
}

// Config is what Records need.
type Config struct {
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// Finish tells that nobody knows how an action ended which another process had
	// begun. Where this process dies in it, yet another calls it again.
	Finish func(Record)
	Log    zerolog.Logger
	Timing Timing
}

// Timing says when a process counts as dead.
type Timing struct {
	Lease time.Duration // a record is taken over that was not renewed for so long
	Renew time.Duration // between two renewals, and between two looks for such records
}

// DefaultTiming has a record taken over within ten seconds after a process has
// died. A process that cannot reach Redis for six seconds is not taken for dead.
func DefaultTiming() Timing { return Timing{Lease: 8 * time.Second, Renew: 2 * time.Second} }

// Records are the records of one process. They are safe for concurrent use.
type Records struct {
	cfg   Config
	store store

	mu      sync.Mutex
	own     map[*owned]struct{}
	removed map[string]time.Time // when each record was, by its ID
}

// owned is a record whose action this process is to end.
type owned struct {
	Record
	mu    sync.Mutex // held while Redis is told of it
	ended bool
}

// New returns records that nothing renews until Run is called.
func New(cfg Config) *Records {
	return &Records{cfg: cfg, store: store{cfg.Redis, cfg.Space, cfg.Timing.Lease}, own: make(map[*owned]struct{}), removed: make(map[string]time.Time)}
}

// Add keeps a record until remove is called. Both wait for Redis for a second at
// most, and go on without it.
func (r *Records) Add(record Record) (remove func()) {
	if record.id == "" { // one interaction may begin several actions, one after the other
		record.id = record.Request.ID + ":" + record.Action.Name
	}
	record.Request.Options, record.Request.Fields, record.Request.Values = nil, nil, nil
	o := &owned{Record: record}
	r.mu.Lock()
	r.own[o] = struct{}{}
	delete(r.removed, o.id)
	r.mu.Unlock()
	r.update(o)
	return func() { r.end(o) }
}

func (r *Records) end(o *owned) {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	r.update(o)
}

// update makes Redis hold what is true of a record, and tells whether it does.
func (r *Records) update(o *owned) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	if o.ended {
		err = r.store.remove(o.id)
	} else {
		err = r.store.put(o.Record)
	}
	if err != nil {
		r.cfg.Log.Warn().Err(err).Str("interaction", o.Request.ID).Msg("the record of an action is not up to date")
		return false
	}
	if o.ended {
		r.mu.Lock()
		delete(r.own, o)
		r.removed[o.id] = time.Now()
		r.mu.Unlock()
	}
	return true
}

// Run renews the records of this process, and takes over those of processes that
// died, until ctx is done and the last Finish has returned.
func (r *Records) Run(ctx context.Context) {
	var finishing sync.WaitGroup
	defer finishing.Wait()
	ticker := time.NewTicker(r.cfg.Timing.Renew)
	defer ticker.Stop()
	// After an outage of Redis no record looks renewed. Every process that lives has
	// a lease's time to renew its own before another takes them over.
	reachable := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !r.renew() {
			reachable = time.Now().Add(r.cfg.Timing.Renew)
		}
		for time.Since(reachable) >= r.cfg.Timing.Lease {
			record, err := r.store.take()
			if err != nil {
				r.cfg.Log.Warn().Err(err).Msg("the action of a process that died cannot be taken over")
			}
			if record == nil {
				break
			}
			finishing.Go(func() { r.finish(*record) })
		}
	}
}

// renew brings the records of this process up to date, and tells whether Redis
// could be reached.
func (r *Records) renew() bool {
	if !r.removeAgain() {
		return false
	}
	r.mu.Lock()
	own := make([]*owned, 0, len(r.own))
	for o := range r.own {
		own = append(own, o)
	}
	r.mu.Unlock()
	for _, o := range own {
		if !r.update(o) {
			return false
		}
	}
	return r.store.reachable()
}

// removeAgain removes the records again that were removed within the time of a lease,
// or since Redis could be reached last, and tells whether Redis could be reached.
func (r *Records) removeAgain() bool {
	now := time.Now()
	r.mu.Lock()
	ids := slices.Collect(maps.Keys(r.removed))
	r.mu.Unlock()
	if err := r.store.remove(ids...); err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.removed, func(_ string, at time.Time) bool { return now.Sub(at) > r.cfg.Timing.Lease })
	return true
}

func (r *Records) finish(record Record) {
	r.cfg.Log.Warn().Str("interaction", record.Request.ID).Str("action", record.Action.Name).
		Msg("a process died while it ran an action")
	defer r.Add(record)()
	r.cfg.Finish(record)
}
