package shards

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/store/keyspace"
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
)

// Keys in Redis.
const (
	key     = "{shards}:held"    // see syncScript
	channel = "{shards}:changed" // says that replicas may find something to take or to give
)

// phase is where a replica stands with the others.
type phase string

const (
	joining phase = "joining" // Redis does not know it yet
	member  phase = "member"  // Redis knows it, or did, or it serves without Redis
	leaving phase = "leaving" // it gives what it holds to others, where there are any
)

// leases are the shards as Redis has them.
type leases struct {
	redis       redis.UniversalClient
	space       keyspace.Space
	script      *redis.Script
	me          string
	recommended bool          // the number of shards is what Discord recommends
	lasts       time.Duration // see Timing.Lease
}

func newLeases(client redis.UniversalClient, space keyspace.Space, recommended bool, lasts time.Duration) leases {
	return leases{client, space, redis.NewScript(syncScript), rand.Text(), recommended, lasts}
}

// request is what a replica tells Redis. A session without an ID is yet to begin, or has ended.
type request struct {
	count   int // of the shards of all replicas
	most    int // shards that others may be believed to serve in place of these
	phase   phase
	take    bool // what is free may be taken
	claimed map[int]gateway.Session
	left    map[int]gateway.Session // held no more
}

// answer is what Redis says.
type answer struct {
	Larger   int  // 0, or a larger number of shards to go on with; nothing was done then, and nothing else is said
	Known    bool // this replica is one that Redis knew
	Replicas int  // that live and are not leaving
	Free     int  // shards that nobody holds
	Surplus  int  // shards that others should have
	Wait     int  // until the first lease of others is over, in ms
	Lost     map[int]bool
	Taken    map[int]string // the sessions of shards that are held from now on, as JSON; empty where there is none
}

// sync tells Redis what is held and left, and returns what follows for this replica.
func (l leases) sync(ctx context.Context, r request) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	args := []any{
		l.me, r.count, l.recommended, string(r.phase), r.take,
		l.lasts.Milliseconds(), sessionLife.Milliseconds(), l.space.Key(channel), r.most,
	}
	args = appendShards(args, "claim", r.claimed)
	args = appendShards(args, "leave", r.left)
	said, err := l.script.Run(ctx, l.redis, []string{l.space.Key(key)}, args...).Text()
	if err != nil {
		return nil, err
	}
	var got answer
	if err := json.Unmarshal([]byte(said), &got); err != nil {
		return nil, err
	}
	return &got, nil
}

// appendShards adds shards with their sessions to a script's arguments.
func appendShards(args []any, verb string, sessions map[int]gateway.Session) []any {
	for id, session := range sessions {
		var text []byte
		if session.ID != "" {
			text, _ = json.Marshal(session) // texts and numbers always can be encoded
		}
		args = append(args, verb, id, text)
	}
	return args
}

// subscribe returns a channel that says when there may be something to take or to give.
func (l leases) subscribe(ctx context.Context) (changed <-chan *redis.Message, unsubscribe func()) {
	if l.redis == nil {
		return nil, func() {}
	}
	subscription := l.redis.Subscribe(ctx, l.space.Key(channel))
	return subscription.Channel(redis.WithChannelHealthCheckInterval(pingAfter)), func() { _ = subscription.Close() }
}
