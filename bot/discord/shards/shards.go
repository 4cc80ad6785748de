// Package shards divides the bot's shards among its replicas, and keeps the session
// of each shard that this replica holds.
//
// A shard is held by a lease in Redis. Its holder renews it every 2 s; 5 s after the
// last time another replica takes it. Replicas that live are in a sorted set. Each holds at most its share:
// the number of shards divided by that of replicas, rounded up. While it holds more, it gives one away
// each time that it syncs. The session is kept beside the lease, so that whoever takes a shard resumes it: Discord then
// sends what came in between, and no IDENTIFY is spent. What was replayed and had been answered
// is not answered again: package responder sees to that.
//
// Replicas that leave the number of shards to Discord run the same number. It stands in Redis while one of them
// lives: who starts goes by it, and asks Discord only if there is none, or if Discord has refused it as too small (close
// code 4011). Replicas with another number, as one that was set, form another set, which runs beside this one.
//
// While Redis is away, each replica goes on with what it holds, and one that starts
// serves all shards: that an event comes twice does no harm, that it does not come
// does.
//
// The words: a replica syncs when it has Redis renew its leases and takes what is free. A shard is given away
// when its session goes to another replica, and lost when another has its lease already.
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

// phase is where a replica stands with the others.
type phase string

const (
	joining phase = "joining" // Redis does not know it yet
	member  phase = "member"  // Redis knows it, or did, or it serves without Redis
	leaving phase = "leaving" // it gives what it holds to others, where there are any
)

// Shards are the shards of this replica.
type Shards struct {
	cfg       Config
	leases    *leases
	leave     chan chan bool
	ended     chan error    // why a session ended for good
	done      chan struct{} // closed when Run has returned
	sessions  sync.WaitGroup
	handovers atomic.Int64

	// Used by Run alone.
	phase        phase
	count        int       // of the shards of all replicas
	began        time.Time // with this number of shards
	asked        time.Time // how many shards Discord recommends
	failed       bool      // the last sync
	refused      bool      // Discord has refused this number of shards as too small
	cooldownEnds time.Time // until then nothing is taken
	told         bool      // that Discord recommends more
	standby      bool      // operators were told that this replica stands by

	mu   sync.Mutex
	held map[int]*held
	last *standing // of the last sync; nil if Redis did not answer
}

// held is a shard that is held.
type held struct {
	gateway *gateway.Gateway
	stop    context.CancelCauseFunc
	ended   chan struct{}
	leased  bool // and not just served while Redis is away

	saved   gateway.Session // as Redis has it
	savedAt time.Time
}

// New returns shards of which none is held yet.
func New(cfg Config) *Shards {
	return &Shards{
		cfg: cfg, leases: newLeases(cfg.Redis, cfg.Space, cfg.Timing.Lease), phase: joining, held: make(map[int]*held),
		leave: make(chan chan bool), ended: make(chan error), done: make(chan struct{}),
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
	return len(s.held) == 0 && s.last != nil && len(s.last.free) == 0
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
		case err := <-s.ended:
			if final, ok := errors.AsType[*gateway.FinalError](err); !ok || final.Code != gateway.CodeTooFewShards {
				s.stop(s.ids(), nil)
				return err
			}
			s.refused = true
			s.cfg.OnTooFew(err)
		case given := <-s.leave:
			s.phase = leaving
			s.sync(ctx)
			given <- s.last != nil && s.last.others > 0 && len(s.held) == 0
		case <-time.After(next):
		case <-changed:
		}
	}
}

// MostTimes is how many times as many shards as Discord recommends may be set. Discord
// recommends one for about 1,000 guilds and allows 2,500 in one
// (https://discord.com/developers/docs/events/gateway#sharding).
const MostTimes = 16

// choose returns how many shards there are to be.
func (s *Shards) choose(ctx context.Context) (int, error) {
	s.asked = time.Now()
	if s.cfg.Count > 0 && !s.absurd(ctx) {
		return s.cfg.Count, nil
	}
	s.leases.auto = true
	if s.cfg.Redis != nil {
		if running := s.leases.running(ctx); running > 0 {
			return running, nil
		}
	}
	limits, err := s.cfg.Discovery.Ask(ctx, s.cfg.OnLost)
	if err != nil {
		return 0, err
	}
	return max(limits.Shards, 1), nil
}

// absurd reports whether the number of shards that was set is out of all proportion to what Discord recommends: it
// would have each replica begin sessions for hours, and use up the day's, of which nobody has a use.
func (s *Shards) absurd(ctx context.Context) bool {
	if s.cfg.Count <= MostTimes {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timing.Alone)
	defer cancel()
	limits, err := s.cfg.Discovery.GatewayBot(ctx)
	if err != nil || limits.Shards == 0 || s.cfg.Count <= MostTimes*limits.Shards {
		return false // Discord has not said otherwise
	}
	s.cfg.Log.Error().Int("set", s.cfg.Count).Int("recommended", limits.Shards).
		Msgf("DISCORD_SHARDS is more than %d times what discord recommends: as many as that are begun; correct the setting", MostTimes)
	return true
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
	ctx = context.WithoutCancel(ctx)
	s.handOver(ctx, s.ids())
	s.leases.quit(ctx, s.count)
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
		case s.ended <- err:
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
