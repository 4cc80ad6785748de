package gateway

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
)

const (
	// identifyWindow is how long a bucket of shards waits between two IDENTIFYs. That
	// is 5 s (https://discord.com/developers/docs/events/gateway#rate-limiting), and a
	// moment more as they do not all take equally long to reach Discord.
	identifyWindow = 5200 * time.Millisecond
	// reservedStarts is how many of the day's sessions are left unused. Discord resets
	// the token of a bot that begins more than are allowed
	// (https://discord.com/developers/docs/events/gateway#session-start-limit-object),
	// and other processes may begin some meanwhile. One more for each shard is kept for
	// shards that lose their sessions: who begins all shards leaves these.
	reservedStarts = 10
	// reserveTurn takes a bucket's place where shards take turns to use what is kept.
	reserveTurn = -1
	// askLimit bounds a question to Redis.
	askLimit = time.Second
)

// enoughLeft returns an error where no more sessions should be begun for some time, and
// some are kept beside those that nobody uses.
func enoughLeft(limit discordgo.SessionInformation, kept int) error {
	if limit.Total > 0 && limit.Remaining <= reservedStarts+kept {
		resets := time.Duration(limit.ResetAfter) * time.Millisecond
		return fmt.Errorf("too few of the sessions that discord allows in a day are left: %w", &backoff.RetryAfterError{Duration: resets})
	}
	return nil
}

// IdentifyLimiter lets shards begin sessions as fast as Discord allows. The zero value
// is ready to use.
type IdentifyLimiter struct {
	// Redis is where the turns of all replicas are kept. While it is away, or nil, the
	// process keeps its own.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// Window is how long a bucket of shards waits between two IDENTIFYs; 0 for as long as Discord
	// wants.
	Window time.Duration

	taken atomic.Int64
	mu    sync.Mutex
	next  map[int]time.Time // when a bucket may identify again
}

// Taken is how many sessions the process has begun, or tried to begin.
func (l *IdentifyLimiter) Taken() int64 { return l.taken.Load() }

func (l *IdentifyLimiter) window() time.Duration { return cmp.Or(l.Window, identifyWindow) }

// wait waits for the turn of a bucket to begin a session, or for reserveTurn. For a
// bucket it is called once HELLO was received, so that IDENTIFY follows at once.
func (l *IdentifyLimiter) wait(ctx context.Context, bucket int) error {
	for l.Redis != nil && ctx.Err() == nil {
		pause, err := l.ask(ctx, bucket)
		if err != nil {
			break
		}
		if pause <= 0 {
			l.reserve(bucket) // so that the next one waits here where Redis fails by then
			return ctx.Err()
		}
		sleep(ctx, pause)
	}
	sleep(ctx, time.Until(l.reserve(bucket)))
	return ctx.Err()
}

// ask takes the turn in Redis, or returns when to ask again. No turn lasts for longer than a window:
// one that would was written by something else, or under a clock that has gone back since.
func (l *IdentifyLimiter) ask(ctx context.Context, bucket int) (pause time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	key := l.Space.Key("{shards}:identify:" + strconv.Itoa(bucket))
	taken, err := l.Redis.SetNX(ctx, key, "", l.window()).Result()
	if err != nil || taken {
		return 0, err
	}
	left, err := l.Redis.PTTL(ctx, key).Result()
	if err == nil && (left == -1 || left > l.window()) { // -1 is for ever
		return l.window(), l.Redis.PExpire(ctx, key, l.window()).Err()
	}
	return max(left, time.Millisecond), err // it may have ended in between
}

// reserve returns when a bucket may identify, and lets the next one wait longer.
func (l *IdentifyLimiter) reserve(bucket int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = make(map[int]time.Time)
	}
	at := l.next[bucket]
	if now := time.Now(); at.Before(now) {
		at = now
	}
	l.next[bucket] = at.Add(l.window())
	return at
}
