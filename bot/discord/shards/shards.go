// Package shards divides the bot's shards among its replicas, and keeps the session
// of each shard that this replica holds.
//
// A shard is held by a lease in Redis. Its holder renews it every 2 s; 5 s after the
// last time another replica takes it. Each replica takes no more than its fair share,
// and gives away what it has beyond that when others have less. The session is kept
// beside the lease, so that whoever takes a shard resumes it: Discord then sends what
// came in between, and no IDENTIFY is spent. What was replayed and had been answered
// is not answered again: package responder sees to that.
//
// Replicas with another number of shards form another set, which runs beside this one.
// If Discord recommended both numbers, the larger set replaces the smaller one: a replica
// that starts joins it, and the others follow once each of its shards is served.
//
// While Redis is away, each replica goes on with what it holds, and one that starts
// serves all shards: that an event comes twice does no harm, that it does not come
// does.
//
// The words: a replica syncs when it has Redis renew its leases and grant what is free, by
// one script for all its shards. A shard is given away when its session goes to another
// replica, and lost when another has its lease already.
package shards

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/store/keyspace"
)

// Config is what Shards needs. The functions must return at once.
type Config struct {
	// Redis is shared by all replicas. Nil: there is no other.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// Count is the number of shards; 0 for as many as Discord recommends, and so is more than 16
	// times that.
	Count     int
	Discovery *gateway.Discovery
	// Gateway makes the session of a shard. Where the session is not the zero value, it
	// is to be resumed.
	Gateway func(gateway.Shard, gateway.Session) *gateway.Gateway
	// OnLost is told that Discord could not be asked how many shards it recommends.
	OnLost func(error)
	// OnReleased is told that a shard is not held any more.
	OnReleased func(shard int)
	// OnOutgrown is told, once, that Discord recommends more shards than run.
	OnOutgrown func(recommended, running int)
	// OnTooFew is told of each shard that Discord refuses because there are too few, with
	// a *gateway.FinalError. That shard is not served here any more. Run goes on with the
	// others until its end: the process is to stop as if it had been told to.
	OnTooFew func(error)
	Log      zerolog.Logger
	Timing   Timing
}

// Timing is how long replicas wait for what. All replicas have the same.
type Timing struct {
	// Lease is for how long a shard is held after its holder has last said so, in whole milliseconds.
	// It bears one sync that fails. Nobody serves a shard for that long after its holder's death.
	Lease time.Duration
	Sync  time.Duration // between two syncs
	Retry time.Duration // between two syncs while Redis does not answer
	// Cooldown is how long a replica that Redis has forgotten takes nothing: the others,
	// which Redis may have forgotten as well, sync in that time.
	Cooldown time.Duration
	Alone    time.Duration // for which a replica that starts waits for Redis
}

// DefaultTiming returns the timing for use.
func DefaultTiming() Timing {
	return Timing{Lease: 5 * time.Second, Sync: 2 * time.Second, Retry: time.Second, Cooldown: 4 * time.Second, Alone: 2 * time.Second}
}

// Shards are the shards of this replica.
type Shards struct {
	cfg       Config
	leases    leases
	leave     chan chan bool
	failed    chan error    // why a session ended for good
	done      chan struct{} // closed when Run has returned
	sessions  sync.WaitGroup
	handovers atomic.Int64

	// Used by Run alone.
	phase        phase
	count        int       // of the shards of all replicas
	recommended  int       // by Discord, as it last said
	began        time.Time // with this number of shards
	asked        time.Time // how many shards Discord recommends
	cooldownEnds time.Time // until then nothing is taken
	told         bool      // that Discord recommends more
	standby      bool      // operators were told that this replica stands by

	mu   sync.Mutex
	held map[int]*held
	last *answer // of the last sync; nil if Redis did not answer
}

// held is a shard that is held.
type held struct {
	gateway *gateway.Gateway
	stop    context.CancelCauseFunc
	ended   chan struct{}
	leased  bool // and not just served while Redis is away
}

// New returns shards of which none is held yet.
func New(cfg Config) *Shards {
	return &Shards{
		cfg: cfg, leases: newLeases(cfg.Redis, cfg.Space, cfg.Count == 0, cfg.Timing.Lease), phase: joining, held: make(map[int]*held),
		leave: make(chan chan bool), failed: make(chan error), done: make(chan struct{}),
	}
}

// Status is how a shard that is held fares.
type Status struct {
	ID      int
	Ready   bool          // Discord delivers events
	Latency time.Duration // see gateway.Gateway
}

// Held lists the shards that this replica holds.
func (s *Shards) Held() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, 0, len(s.held))
	for _, id := range slices.Sorted(maps.Keys(s.held)) {
		list = append(list, Status{id, s.held[id].gateway.Ready(), s.held[id].gateway.Latency()})
	}
	return list
}

// Ready reports whether Discord delivers the events of all shards that are held, if any.
func (s *Shards) Ready() bool {
	held := s.Held()
	return len(held) > 0 && !slices.ContainsFunc(held, func(s Status) bool { return !s.Ready })
}

// Standby reports whether nothing is held because others hold all shards.
func (s *Shards) Standby() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held) == 0 && s.last != nil && s.last.Free == 0
}

// Handovers is how many shards were given to other replicas.
func (s *Shards) Handovers() int64 { return s.handovers.Load() }

// Run keeps sessions until ctx is done, and returns nil, or until Discord refuses one
// for good, and returns a *gateway.FinalError, but for what OnTooFew is told. At the end sessions are left for the
// next process to resume, where one can know of them. It is called once.
func (s *Shards) Run(ctx context.Context) error {
	defer close(s.done)
	defer s.sessions.Wait()
	err := s.serve(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *Shards) serve(ctx context.Context) (err error) {
	if s.count, err = s.choose(ctx); err != nil {
		return err
	}
	changed, unsubscribe := s.leases.subscribe(ctx)
	defer unsubscribe()
	for s.began = time.Now(); ; {
		for len(changed) > 0 { // the sync answers all notices that came before it
			<-changed
		}
		next := s.sync(ctx)
		select {
		case <-ctx.Done():
			s.end(ctx)
			return nil
		case err := <-s.failed:
			if final, ok := errors.AsType[*gateway.FinalError](err); !ok || final.Code != gateway.CodeTooFewShards {
				s.stop(s.ids(), nil)
				return err
			}
			s.cfg.OnTooFew(err)
		case given := <-s.leave:
			s.phase = leaving
			s.sync(ctx)
			given <- s.last != nil && s.last.Replicas > 0 && len(s.held) == 0
		case <-time.After(next):
		case <-changed:
		}
	}
}

// MostTimes is how many times as many shards as Discord recommends are believed to be wanted. Discord
// recommends one for about 1,000 guilds and allows 2,500 in one
// (https://discord.com/developers/docs/events/gateway#sharding).
const MostTimes = 16

// choose returns how many shards there are to be. Replicas that asked Discord before may
// have been told more: a larger set that runs is joined by the first sync.
func (s *Shards) choose(ctx context.Context) (int, error) {
	s.asked, s.recommended = time.Now(), 1
	if s.cfg.Count > 0 {
		return s.doubt(ctx, s.cfg.Count), nil
	}
	limits, err := s.cfg.Discovery.Ask(ctx, s.cfg.OnLost)
	if err != nil {
		return 0, err
	}
	s.recommended = max(limits.Shards, 1)
	return s.recommended, nil
}

// doubt returns a number of shards that was set, or what Discord recommends where the former is out of all
// proportion: it would have each replica begin sessions for hours, and use up the day's, of which
// nobody has a use.
func (s *Shards) doubt(ctx context.Context, count int) int {
	if count <= MostTimes {
		return count
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timing.Alone)
	defer cancel()
	limits, err := s.cfg.Discovery.GatewayBot(ctx)
	if err != nil || limits.Shards == 0 || count <= MostTimes*limits.Shards {
		return count // Discord has not said otherwise
	}
	s.cfg.Log.Error().Int("set", count).Int("recommended", limits.Shards).
		Msgf("DISCORD_SHARDS is more than %d times what discord recommends: as many as that are begun; correct the setting", MostTimes)
	s.recommended, s.leases.recommended = limits.Shards, true
	return limits.Shards
}

// Leave gives all shards to the other replicas and reports whether there are any. Where
// there are none, Run goes on until its end, and so it does where they do not take the
// shards within seconds.
func (s *Shards) Leave(ctx context.Context) (given bool) {
	answer := make(chan bool, 1)
	select {
	case s.leave <- answer:
	case <-s.done:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case given = <-answer:
	case <-ctx.Done():
	}
	return given
}

// end leaves all shards. Where others may know of the sessions, they are kept.
func (s *Shards) end(ctx context.Context) {
	s.phase = leaving
	if s.cfg.Redis == nil {
		s.stop(s.ids(), nil)
		return
	}
	s.handOver(context.WithoutCancel(ctx), s.ids())
}

// hold begins or resumes the session of a shard.
func (s *Shards) hold(ctx context.Context, id int, session gateway.Session, leased bool) {
	if h := s.held[id]; h != nil {
		h.leased = h.leased || leased
		return
	}
	h := &held{gateway: s.cfg.Gateway(gateway.Shard{ID: id, Count: s.count}, session), ended: make(chan struct{}), leased: leased}
	ctx, h.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.held[id] = h
	s.mu.Unlock()
	s.sessions.Go(func() {
		defer close(h.ended)
		err := h.gateway.Run(ctx)
		if err == nil {
			return
		}
		select {
		case s.failed <- err:
		case <-ctx.Done():
		}
	})
}

// stop ends what is served of shards, and waits for that. The sessions are kept where
// the cause is gateway.ErrHandOver. It returns them.
func (s *Shards) stop(ids []int, cause error) map[int]gateway.Session {
	left := make(map[int]gateway.Session, len(ids))
	for _, id := range ids {
		s.held[id].stop(cause)
	}
	for _, id := range ids {
		<-s.held[id].ended
		left[id] = s.held[id].gateway.Session()
		s.mu.Lock()
		delete(s.held, id)
		s.mu.Unlock()
		s.cfg.OnReleased(id)
	}
	return left
}

// ids lists the shards that are held.
func (s *Shards) ids() []int { return slices.Sorted(maps.Keys(s.held)) }
