package shards

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/lease"
)

// Times of what is kept in Redis.
const (
	// sessionLife is for how long a session is kept to which nobody is connected.
	// Discord keeps it for "a few minutes"
	// (https://discord.com/developers/docs/events/gateway#initiating-a-disconnect).
	sessionLife = 5 * time.Minute
	// callLimit bounds one use of Redis.
	callLimit = time.Second
	// pingAfter is after how long without a notice the connection is tried over which they
	// come. go-redis does so after 3 s by itself (Subscription's Channel), which is a command
	// for Redis each time. A notice that is lost costs no more than the time between two syncs.
	pingAfter = 30 * time.Second
	// margin is how long after the last possible end of a dead replica's leases the others look for them.
	margin = 50 * time.Millisecond
)

// Keys in Redis, beside those for each number of shards: see leases.key. All have one hash tag: a Cluster has them
// in one slot.
const (
	countKey = "{shards}:count"   // of shards, for as long as a replica renews it; askDiscord if there must be more
	channel  = "{shards}:changed" // says that there may be something to take or to give
)

// askDiscord stands in the place of the number of shards once Discord has refused it as too small.
const askDiscord = -1

// leases are the shards as Redis has them.
type leases struct {
	redis redis.UniversalClient
	space keyspace.Space
	me    string
	auto  bool                    // the number of shards is what the replicas agreed on, and not a setting
	lasts time.Duration           // see Timing.Lease
	known map[string]*lease.Lease // by key
}

func newLeases(client redis.UniversalClient, space keyspace.Space, lasts time.Duration) *leases {
	return &leases{redis: client, space: space, me: rand.Text(), lasts: lasts, known: make(map[string]*lease.Lease)}
}

// key is a key for replicas that run count shards: of the replicas, a sorted set by their last sync (Unix ms), or of
// the lease or session of a shard. Other numbers have keys of their own.
func (l *leases) key(what string, count int, shard ...int) string {
	key := "{shards}:" + what + ":" + strconv.Itoa(count)
	for _, id := range shard {
		key += ":" + strconv.Itoa(id)
	}
	return l.space.Key(key)
}

func (l *leases) lease(count, id int) *lease.Lease {
	key := l.key("lease", count, id)
	if l.known[key] == nil {
		l.known[key] = lease.New(l.redis, key, l.me)
	}
	return l.known[key]
}

// standing is how this replica stands with the others.
type standing struct {
	count    int           // of shards, as the replicas agreed, or askDiscord; 0: they have not
	unknown  bool          // Redis did not know this replica
	others   int           // replicas that take shards
	nextDies time.Duration // until the first of them is taken for dead, unless it syncs
	lost     []int         // shards that others hold
	free     []int         // shards that nobody holds
}

// sync renews the leases of the shards that are held, of count, and says that this replica takes shards, or that it does not.
func (l *leases) sync(ctx context.Context, count int, held []int, takes bool) (*standing, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	now, replicas := time.Now(), l.key("replicas", count)
	var (
		added   *redis.IntCmd
		alive   *redis.ZSliceCmd
		holds   = make(map[int]func() (bool, error), len(held))
		holders *redis.SliceCmd
		number  = new(redis.StringCmd)
	)
	_, err := l.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		if takes {
			added = p.ZAdd(ctx, replicas, redis.Z{Score: float64(now.UnixMilli()), Member: l.me})
		} else {
			p.ZRem(ctx, replicas, l.me)
		}
		alive = p.ZRangeByScoreWithScores(ctx, replicas, l.alive(now))
		for _, id := range held {
			holds[id] = l.lease(count, id).Pipe(ctx, p, l.lasts)
		}
		keys := make([]string, count)
		for id := range keys {
			keys[id] = l.key("lease", count, id)
		}
		holders = p.MGet(ctx, keys...)
		if l.auto {
			number = p.GetEx(ctx, l.space.Key(countKey), l.lasts) // last: that there is none hides no other error
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	got := &standing{unknown: takes && added.Val() > 0, nextDies: l.lasts}
	got.count, _ = strconv.Atoi(number.Val())
	for _, replica := range alive.Val() {
		if replica.Member != l.me {
			got.others++
			got.nextDies = min(got.nextDies, time.UnixMilli(int64(replica.Score)).Add(l.lasts+margin).Sub(now))
		}
	}
	for id, holder := range holders.Val() {
		token, _ := holder.(string)
		name, _, _ := strings.Cut(token, " ")
		switch holds := holds[id]; {
		case holds != nil:
			if mine, _ := holds(); !mine {
				got.lost = append(got.lost, id)
			}
		case name == "" || name == l.me: // of a lease of its own it has not heard that it was granted
			got.free = append(got.free, id)
		}
	}
	return got, nil
}

// alive selects the replicas that live. One whose clock is ahead by more than a lease lasts counts as dead, as it
// would for that long after its death.
func (l *leases) alive(now time.Time) *redis.ZRangeBy {
	return &redis.ZRangeBy{Min: "(" + strconv.FormatInt(now.Add(-l.lasts).UnixMilli(), 10), Max: strconv.FormatInt(now.Add(l.lasts).UnixMilli(), 10)}
}

// running returns how many shards the replicas agreed on that live: 0 or askDiscord as in standing.
func (l *leases) running(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	count, _ := l.redis.Get(ctx, l.space.Key(countKey)).Int() // without Redis nobody knows
	return count
}

// agree has the others run as many shards as this replica.
func (l *leases) agree(ctx context.Context, count int) {
	if !l.auto {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	l.redis.Set(ctx, l.space.Key(countKey), count, l.lasts) // where that fails, the next sync does
}

// take takes leases that nobody holds, and returns the sessions of those that it got.
func (l *leases) take(ctx context.Context, count int, ids []int) map[int]gateway.Session {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	holds, keys := make([]func() (bool, error), len(ids)), make([]string, len(ids))
	var sessions *redis.SliceCmd
	_, err := l.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			holds[i], keys[i] = l.lease(count, id).Pipe(ctx, p, l.lasts), l.key("session", count, id)
		}
		sessions = p.MGet(ctx, keys...)
		return nil
	})
	if err != nil { // what was granted is free in the next sync
		return nil
	}
	taken := make(map[int]gateway.Session)
	for i, id := range ids {
		if mine, _ := holds[i](); mine {
			var session gateway.Session
			text, _ := sessions.Val()[i].(string)
			_ = json.Unmarshal([]byte(text), &session) // where it makes no sense, a new one is begun
			taken[id] = session
		}
	}
	return taken
}

// save keeps sessions. One without an ID has ended.
func (l *leases) save(ctx context.Context, count int, sessions map[int]gateway.Session) error {
	return l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) { l.saveIn(ctx, p, count, sessions) })
}

func (l *leases) saveIn(ctx context.Context, p redis.Pipeliner, count int, sessions map[int]gateway.Session) {
	for id, session := range sessions {
		key := l.key("session", count, id)
		if session.ID == "" {
			p.Del(ctx, key)
			continue
		}
		text, _ := json.Marshal(session) // texts and numbers always can be encoded
		p.Set(ctx, key, text, sessionLife)
	}
}

// release keeps sessions, ends the leases of their shards, and wakes the others.
func (l *leases) release(ctx context.Context, count int, sessions map[int]gateway.Session) error {
	return l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) {
		l.saveIn(ctx, p, count, sessions)
		for id := range sessions {
			l.lease(count, id).Pipe(ctx, p, 0)
		}
		p.Publish(ctx, l.space.Key(channel), "")
	})
}

// wake has the others sync.
func (l *leases) wake(ctx context.Context) {
	_ = l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) { p.Publish(ctx, l.space.Key(channel), "") })
}

// quit says that this replica is gone. The last one takes the number of shards with it: the next asks Discord.
func (l *leases) quit(ctx context.Context, count int) {
	var others *redis.StringSliceCmd
	replicas := l.key("replicas", count)
	err := l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) {
		p.ZRem(ctx, replicas, l.me)
		alive := l.alive(time.Now())
		others = p.ZRangeByScore(ctx, replicas, alive)
		p.ZRemRangeByScore(ctx, replicas, "-inf", alive.Min[1:])
	})
	if err == nil && l.auto && len(others.Val()) == 0 {
		_ = l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) { p.Del(ctx, l.space.Key(countKey)) })
	}
}

// pipe sends commands that all have an answer.
func (l *leases) pipe(ctx context.Context, commands func(context.Context, redis.Pipeliner)) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := l.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		commands(ctx, p)
		return nil
	})
	return err
}

// subscribe returns a channel that says when there may be something to take or to give.
func (l *leases) subscribe(ctx context.Context) (changed <-chan *redis.Message, unsubscribe func()) {
	if l.redis == nil {
		return nil, func() {}
	}
	subscription := l.redis.Subscribe(ctx, l.space.Key(channel))
	return subscription.Channel(redis.WithChannelHealthCheckInterval(pingAfter)), func() { _ = subscription.Close() }
}
