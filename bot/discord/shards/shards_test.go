package shards_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

func TestMain(m *testing.M) {
	redisclient.RedirectLibraryLog(zerolog.Nop())
	if err := flag.Set("test.parallel", "8"); err != nil { // as the tests mostly wait
		panic(err)
	}
	goleak.VerifyTestMain(m, redistest.Dialing())
}

// many is a number of shards that some replicas divide.
const many = 16

// scene is a Discord and the address of a Redis, which is empty for none.
type scene struct {
	t       *testing.T
	discord *discordtest.Server
	redis   string
	space   keyspace.Space // in Redis
	log     zerolog.Logger
	version int           // of the gateway's protocol
	turns   bool          // the replicas' shards wait for each other's turn to begin a session
	window  time.Duration // between two turns
	timing  shards.Timing
}

func newScene(t *testing.T, redis string) *scene {
	t.Helper()
	s := &scene{
		t: t, discord: discordtest.RunT(t, discordtest.Config{MaxConcurrency: many, NoRateLimits: true}), redis: redis, version: 10, log: zerolog.Nop(),
		window: 20 * time.Millisecond, timing: quick(),
	}
	s.discord.IdentifyAtOnce()
	return s
}

// quick is a timing by which replicas sync often. What must not be over before a replica syncs is
// longer than that takes on the slowest machine.
func quick() shards.Timing {
	return shards.Timing{Lease: time.Minute, Sync: 50 * time.Millisecond, Retry: 20 * time.Millisecond, Cooldown: 2 * time.Second, Alone: time.Minute}
}

// replica is one that holds shards.
type replica struct {
	*shards.Shards
	scene *scene
	end   func() error // has Run end

	gate   sync.Mutex   // while it is locked, syncs wait
	syncs  atomic.Int64 // that Redis was sent
	failed atomic.Int64 // of these

	discovery *gateway.Discovery

	mu      sync.Mutex
	told    []string // that Discord recommends more
	losses  []string // why connections were lost
	refused []error  // that there are too few
}

// waited returns how often a shard waited as too few of the day's sessions are left.
func (r *replica) waited() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, why := range r.losses {
		if strings.Contains(why, "too few of the sessions") {
			n++
		}
	}
	return n
}

func (s *scene) start(count int) *replica {
	s.t.Helper()
	token := secret.Text(s.discord.Token())
	discord := rest.New(token, s.discord.URL())
	discovery, transport := &gateway.Discovery{REST: discord, API: s.discord.URL(), Space: s.space}, gateway.NewTransport()
	r, log := &replica{scene: s, discovery: discovery}, s.log
	identifies := func() *gateway.IdentifyLimiter { return &gateway.IdentifyLimiter{Window: s.window} }
	config := shards.Config{
		Space: s.space, Count: count, Discovery: discovery, Log: log, Timing: s.timing,
		OnLost: func(error) {}, OnReleased: func(int) {},
		OnOutgrown: func(recommended, running int) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, fmt.Sprint(recommended, " of ", running))
		},
		OnTooFew: func(why error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.refused = append(r.refused, why)
		},
		Gateway: func(shard gateway.Shard, session gateway.Session) *gateway.Gateway {
			return gateway.New(gateway.Config{
				Token: token, Version: s.version, Shard: shard, Session: session,
				Discovery: discovery, Identifies: identifies(), Transport: transport, AllowPlain: true, InvalidPause: time.Millisecond,
				OnInteraction: func(*interaction.Event) {},
				OnReady:       func() {}, OnResumed: func() {},
				OnLost: func(reason error) {
					r.mu.Lock()
					defer r.mu.Unlock()
					r.losses = append(r.losses, reason.Error())
					log.Warn().Err(reason).Msg("connection to discord lost")
				},
			})
		},
	}
	if s.redis != "" {
		client := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(s.redis, "redis://"), MaxRetries: -1, DialerRetries: 1})
		s.t.Cleanup(func() { _ = client.Close() })
		client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			if !slices.ContainsFunc(cmds, func(c redis.Cmder) bool { return c.Name() == "zrangebyscore" }) {
				return next(ctx, cmds)
			}
			r.gate.Lock()
			r.syncs.Add(1)
			r.gate.Unlock()
			err := next(ctx, cmds)
			if err != nil && !errors.Is(err, redis.Nil) {
				r.failed.Add(1)
			}
			return err
		}))
		config.Redis, discovery.Redis = client, client
		if limiter := (&gateway.IdentifyLimiter{Redis: client, Space: s.space, Window: s.window}); s.turns {
			identifies = func() *gateway.IdentifyLimiter { return limiter }
		}
	}
	r.Shards = shards.New(config)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		err = r.Run(ctx)
	}()
	r.end = func() error {
		cancel()
		<-ended
		return err
	}
	s.t.Cleanup(func() {
		_ = r.end()
		transport.CloseIdleConnections()
		discord.Close()
	})
	return r
}

// await waits until something is so.
func (s *scene) await(what string, so func() bool) {
	s.t.Helper()
	for over := time.Now().Add(2 * time.Minute); !so(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(over) {
			s.t.Fatalf("not within 2 min: %s; Discord has %+v, %+v", what, s.discord.Gateway(), s.discord.Sessions())
		}
	}
}

// spread waits until the replicas hold all shards, none more than its share, and Discord has one session for
// each.
func (s *scene) spread(count int, replicas ...*replica) {
	s.t.Helper()
	s.await("the shards are spread", func() bool {
		var held []int
		for _, r := range replicas {
			list := r.Held()
			if len(list) > (count+len(replicas)-1)/len(replicas) {
				return false
			}
			for _, shard := range list {
				if !shard.Ready {
					return false
				}
				held = append(held, shard.ID)
			}
		}
		slices.Sort(held)
		return slices.Equal(held, numbers(count)) && slices.Equal(s.connected(count), held)
	})
}

// connected lists the shards of sessions to which somebody is connected.
func (s *scene) connected(count int) (list []int) {
	for _, session := range s.discord.Sessions() {
		if session.Connected && session.Shards == count {
			list = append(list, session.Shard)
		}
	}
	slices.Sort(list)
	return list
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func (s *scene) wantIdentifies(want int) {
	s.t.Helper()
	if n := s.discord.Gateway().Identifies; n != want {
		s.t.Errorf("%d IDENTIFYs were spent, want %d", n, want)
	}
}

func TestShardsSpreadAsReplicasComeAndGo(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		a := s.start(many)
		s.spread(many, a)
		b, c := s.start(many), s.start(many)
		s.spread(many, a, b, c)
		if !b.Leave(t.Context()) {
			t.Error("b finds nobody to give its shards to")
		}
		s.spread(many, a, c)
		_ = b.end()
		_ = a.end() // without giving away first
		s.spread(many, c)
		s.wantIdentifies(many)
		if c.Leave(t.Context()) {
			t.Error("the last replica finds somebody to give its shards to")
		}
		s.spread(many, c)
		_ = c.end()
		s.spread(many, s.start(many)) // which resumes what was left
		s.wantIdentifies(many)
		if n := s.discord.Gateway().Astray; n > 0 {
			t.Errorf("%d sessions were not resumed where Discord had said", n)
		}
	})
}

func TestStandby(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	a := s.start(1)
	s.spread(1, a)
	b := s.start(1)
	s.await("b stands by", b.Standby)
	if a.Standby() || b.Ready() {
		t.Error("who holds the shard stands by, or the other is ready")
	}
	_ = a.end()
	s.spread(1, b)
	s.wantIdentifies(1)
}

// TestRedisThatForgetsOrIsAwayMovesNothing has holders whose Redis is away for longer
// than a lease lasts, and comes back empty.
func TestRedisThatForgetsOrIsAwayMovesNothing(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		s := newScene(t, redis.URL())
		// Longer than the slowest machine needs for a sync: each replica syncs before the other may take its shards.
		s.timing.Lease, s.timing.Cooldown = 1500*time.Millisecond, time.Second
		a, b := s.start(4), s.start(4)
		s.spread(4, a, b)
		resumed := s.discord.Gateway().Resumes
		held := func() (ids []int) {
			for _, shard := range slices.Concat(a.Held(), b.Held()) {
				ids = append(ids, shard.ID)
			}
			return ids
		}
		before := held()
		stopped := time.Now()
		redis.Stop()
		s.await("no sync works for longer than a lease lasts", func() bool {
			return a.failed.Load() > 2 && b.failed.Load() > 2 && time.Since(stopped) > s.timing.Lease
		})
		redis.Restart()
		restarted, as, bs := time.Now(), a.syncs.Load(), b.syncs.Load()
		s.await("each syncs when it may take what is free again", func() bool {
			return time.Since(restarted) > 2*s.timing.Cooldown && a.syncs.Load() >= as+3 && b.syncs.Load() >= bs+3
		})
		if after := held(); !slices.Equal(after, before) || s.discord.Gateway().Resumes != resumed {
			t.Errorf("held %v, now %v", before, after)
		}
		s.spread(4, a, b)
		s.wantIdentifies(4)
	})
}

// TestLostReplicasShardsAreTaken has a replica lose its connection to Redis for longer than
// its leases last. When it is back it finds that others hold them.
func TestLostReplicasShardsAreTaken(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		s.timing.Lease, s.timing.Cooldown = 500*time.Millisecond, 100*time.Millisecond
		a, b := s.start(4), s.start(4)
		s.spread(4, a, b)
		a.gate.Lock()
		s.await("the other takes its shards", func() bool { return len(b.Held()) == 4 })
		a.gate.Unlock()
		s.spread(4, a, b)
	})
}

// TestReplicaThatStartsWithoutRedisServesAll, and gives up what others hold when Redis
// is back.
func TestReplicaThatStartsWithoutRedisServesAll(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t)
	s := newScene(t, redis.URL())
	a, b := s.start(4), s.start(4)
	s.spread(4, a, b)
	redis.Stop()
	s.timing.Alone = 100 * time.Millisecond
	c := s.start(4)
	s.await("c serves all shards", func() bool { return len(c.Held()) == 4 && c.Ready() })
	if len(a.Held())+len(b.Held()) != 4 {
		t.Error("the others gave shards up")
	}
	redis.Restart()
	s.spread(4, a, b, c)
	s.wantIdentifies(8)
}

// TestSessionIsLeftToTheNextProcessWhenRedisForgets empties Redis right before a replica ends.
func TestSessionIsLeftToTheNextProcessWhenRedisForgets(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		a := s.start(1)
		s.spread(1, a)
		if err := redistest.Connect(t, redis).FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		_ = a.end()
		s.spread(1, s.start(1))
		s.wantIdentifies(1)
	})
}
