// Package shards divides the bot's shards among its replicas, and keeps the session of each shard that this
// replica holds.
//
// A replica holds a shard by a lease in Redis. It renews the lease every 2 s; 5 s after the last renewal another
// replica takes it. Living replicas are in a sorted set. Each holds at most its share: the number of shards
// divided by the number of replicas, rounded up. With more, it hands one over at each sync. The session is kept
// beside the lease, so that the next holder resumes it: Discord then replays what came in between, and no
// IDENTIFY is spent. Package responder does not answer a replayed interaction again.
//
// Replicas that leave the number of shards to Discord run the same number. It is in Redis while one of them
// lives. A replica that starts uses it, and asks Discord only if there is none, or if Discord has refused it as
// too small (close code 4011). Replicas with another number, such as a setting, form a separate set.
//
// While Redis is away, each replica keeps its shards, and one that starts serves all of them. An event that comes
// twice does no harm; one that does not come does.
//
// In this package, a replica syncs when it renews its leases and takes free ones. It hands a shard over when it
// leaves the session to another replica, and has lost one when another replica has its lease already.
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
	// Redis is shared by all replicas. If it is nil, there is one replica.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// Count is the number of shards; 0 for the number that Discord recommends. More than MostTimes that number
	// count as 0.
	Count     int
	Discovery *gateway.Discovery
	// Gateway makes the gateway of a shard. It resumes the session unless that is zero.
	Gateway func(gateway.Shard, gateway.Session) *gateway.Gateway
	// OnLost is called after each failed attempt to ask Discord for the number of shards.
	OnLost func(error)
	// OnReleased is called when this replica does not hold a shard any more.
	OnReleased func(shard int)
	// OnOutgrown is called once if Discord recommends more shards than are running.
	OnOutgrown func(recommended, running int)
	// OnTooFew is called with a *gateway.FinalError for each shard that Discord refuses because there are too
	// few. Run goes on with the other shards; the caller should stop the process.
	OnTooFew func(error)
	Log      zerolog.Logger
	Timing   Timing
}

// Timing must be the same for all replicas.
type Timing struct {
	// Lease is how long a lease lasts after its last renewal, in whole milliseconds: long enough for one sync to
	// fail. Nobody serves a shard for that long after its holder's death.
	Lease time.Duration
	Sync  time.Duration // between two syncs
	Retry time.Duration // between two syncs while Redis does not answer
	// Cooldown is how long a replica takes no shard after Redis has lost its data, so that the others can sync
	// first.
	Cooldown time.Duration
	Alone    time.Duration // how long a replica that starts waits for Redis
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
	leaving phase = "leaving" // it hands its shards over, if there are other replicas
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
	count        int       // of shards of all replicas
	began        time.Time // when it began to run this number
	asked        time.Time // when Discord was last asked for its recommendation
	failed       bool      // the last sync failed
	refused      bool      // Discord has refused this number of shards as too small
	cooldownEnds time.Time // when shards may be taken again
	outgrown     bool      // OnOutgrown was called
	standby      bool      // it is logged that this replica stands by

	mu   sync.Mutex
	held map[int]*held
	last *standing // of the last sync; nil if Redis did not answer
}

// held is a shard that is held.
type held struct {
	gateway *gateway.Gateway
	stop    context.CancelCauseFunc
	ended   chan struct{}
	leased  bool // false if it is served without a lease, as Redis is away

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

// Status is the state of a shard that this replica holds.
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

// Ready reports whether this replica holds shards, and Discord delivers the events of all of them.
func (s *Shards) Ready() bool {
	held := s.Held()
	return len(held) > 0 && !slices.ContainsFunc(held, func(s Status) bool { return !s.Ready })
}

// Standby reports whether this replica holds no shard because others hold all of them.
func (s *Shards) Standby() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held) == 0 && s.last != nil && len(s.last.free) == 0
}

// Handovers returns how many shards were handed over.
func (s *Shards) Handovers() int64 { return s.handovers.Load() }

// Run keeps sessions until ctx is done, and returns nil. If Discord refuses one for good, other than for too few
// shards (OnTooFew), it returns a *gateway.FinalError. At the end it leaves sessions in Redis for other processes
// to resume. It is called once.
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
		for len(changed) > 0 { // one sync answers all notices before it
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
			s.sync(context.WithoutCancel(ctx)) // whoever takes this process's place is to ask Discord
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

// MostTimes is how many times Discord's recommendation the number of shards may be set to. Discord recommends
// one for about 1,000 guilds and allows 2,500 in one
// (https://discord.com/developers/docs/events/gateway#sharding).
const MostTimes = 16

// choose returns the number of shards.
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

// absurd reports whether Count is more than MostTimes what Discord recommends. Replicas would begin useless
// sessions for hours and use up the day's.
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

// Leave hands all shards over and reports whether there are other replicas to take them. If there are none, or
// ctx is done first, Run keeps the shards until its end.
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

// end leaves all shards. With Redis, their sessions are saved for other processes.
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

// stop stops serving shards, waits until that is done, and returns their sessions. These can be resumed only if
// the cause is gateway.ErrHandOver.
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

// ids lists the shards that this replica holds.
func (s *Shards) ids() []int { return slices.Sorted(maps.Keys(s.held)) }
