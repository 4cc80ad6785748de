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

const (
	// sessionLife is how long a session is kept that nobody is connected to. Discord keeps it for "a few
	// minutes" (https://discord.com/developers/docs/events/gateway#initiating-a-disconnect).
	sessionLife = 5 * time.Minute
	// callLimit bounds one request to Redis.
	callLimit = time.Second
	// pingAfter is how long the subscription may be silent before its connection is tested. go-redis's default
	// of 3 s would cost Redis a command each time, and a lost notice only delays things until the next sync.
	pingAfter = 30 * time.Second
	// margin is how long after the last possible end of a dead replica's leases the others look for them.
	margin = 50 * time.Millisecond
)

// Keys in Redis, beside those of leases.key. All have one hash tag, and so one slot of a Cluster.
const (
	countKey = "{shards}:count"   // the number of shards, while a replica renews it; or askDiscord
	channel  = "{shards}:changed" // a notice that there may be something to take or to hand over
)

// askDiscord takes the place of the number of shards once Discord has refused it as too small.
const askDiscord = -1

// leases are the shards' leases and sessions in Redis.
type leases struct {
	redis redis.UniversalClient
	space keyspace.Space
	me    string
	auto  bool                    // the replicas agree on the number of shards; it is not a setting
	lasts time.Duration           // see Timing.Lease
	known map[string]*lease.Lease // by key
}

func newLeases(client redis.UniversalClient, space keyspace.Space, lasts time.Duration) *leases {
	return &leases{redis: client, space: space, me: rand.Text(), lasts: lasts, known: make(map[string]*lease.Lease)}
}

// key returns a key of the replicas that run count shards: of their sorted set, by last sync (Unix ms), or of a
// shard's lease or session.
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

// standing is what a sync has found.
type standing struct {
	count    int           // the agreed number of shards, or askDiscord; 0 if there is none
	unknown  bool          // Redis did not know this replica
	others   int           // other replicas that take shards
	nextDies time.Duration // until the first of them counts as dead, unless it syncs
	lost     []int         // shards of this replica that others hold now
	free     []int         // shards that nobody holds
}

// sync renews the leases of held shards, and notes whether this replica takes shards.
func (l *leases) sync(ctx context.Context, count int, held []int, takes bool) (*standing, error) {
	now, replicas := time.Now(), l.key("replicas", count)
	var (
		added   *redis.IntCmd
		alive   *redis.ZSliceCmd
		holds   = make(map[int]func() (bool, error), len(held))
		holders *redis.SliceCmd
		number  = new(redis.StringCmd)
	)
	err := l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) {
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
			number = p.GetEx(ctx, l.space.Key(countKey), l.lasts) // last, so that redis.Nil hides no other error
		}
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
		case name == "" || name == l.me: // its own: the answer that granted it was lost
			got.free = append(got.free, id)
		}
	}
	return got, nil
}

// alive selects the living replicas. One whose clock is ahead by more than a lease counts as dead: otherwise it
// would count as alive for that long after its death.
func (l *leases) alive(now time.Time) *redis.ZRangeBy {
	return &redis.ZRangeBy{Min: "(" + strconv.FormatInt(now.Add(-l.lasts).UnixMilli(), 10), Max: strconv.FormatInt(now.Add(l.lasts).UnixMilli(), 10)}
}

// running returns the agreed number of shards, as standing.count.
func (l *leases) running(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	count, _ := l.redis.Get(ctx, l.space.Key(countKey)).Int() // 0 without Redis
	return count
}

// agree sets the number of shards for all replicas.
func (l *leases) agree(ctx context.Context, count int) {
	if !l.auto {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	l.redis.Set(ctx, l.space.Key(countKey), count, l.lasts) // if that fails, the next sync does it
}

// take tries to take free leases, and returns the sessions of those that it got.
func (l *leases) take(ctx context.Context, count int, ids []int) map[int]gateway.Session {
	holds, keys := make([]func() (bool, error), len(ids)), make([]string, len(ids))
	var sessions *redis.SliceCmd
	err := l.pipe(ctx, func(ctx context.Context, p redis.Pipeliner) {
		for i, id := range ids {
			holds[i], keys[i] = l.lease(count, id).Pipe(ctx, p, l.lasts), l.key("session", count, id)
		}
		sessions = p.MGet(ctx, keys...)
	})
	if err != nil { // what was granted is free in the next sync
		return nil
	}
	taken := make(map[int]gateway.Session)
	for i, id := range ids {
		if mine, _ := holds[i](); mine {
			var session gateway.Session
			text, _ := sessions.Val()[i].(string)
			_ = json.Unmarshal([]byte(text), &session) // without a valid one, a new session is begun
			taken[id] = session
		}
	}
	return taken
}

// save saves sessions. One without an ID has ended and is deleted.
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

// release saves sessions, ends their shards' leases, and has the others sync.
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

// quit removes this replica. The last one also removes the number of shards, so that the next asks Discord.
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

// pipe sends commands in one round trip. Its error is the first of theirs.
func (l *leases) pipe(ctx context.Context, commands func(context.Context, redis.Pipeliner)) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := l.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		commands(ctx, p)
		return nil
	})
	return err
}

// subscribe returns a channel with a message whenever there may be something to take or to hand over.
func (l *leases) subscribe(ctx context.Context) (changed <-chan *redis.Message, unsubscribe func()) {
	if l.redis == nil {
		return nil, func() {}
	}
	subscription := l.redis.Subscribe(ctx, l.space.Key(channel))
	return subscription.Channel(redis.WithChannelHealthCheckInterval(pingAfter)), func() { _ = subscription.Close() }
}
