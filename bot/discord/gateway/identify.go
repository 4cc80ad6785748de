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
	// identifyWindow is the time between two IDENTIFYs of a bucket of shards: 5 s
	// (https://discord.com/developers/docs/events/gateway#rate-limiting) and a margin, as not all take equally
	// long to reach Discord.
	identifyWindow = 5200 * time.Millisecond
	// reservedStarts is how many of the day's sessions are never used, as other processes may begin some.
	// Discord resets the token of a bot that begins more than are allowed
	// (https://discord.com/developers/docs/events/gateway#session-start-limit-object). One more for each shard
	// is reserved for shards that lose their session.
	reservedStarts = 10
	// reserveTurn stands for a bucket when shards take turns to use reserved sessions.
	reserveTurn = -1
	// askLimit bounds a request to Redis.
	askLimit = time.Second
)

// enoughLeft returns an error if no more sessions should be begun today, except kept of them and reservedStarts.
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
	// Redis coordinates all replicas. If it is away or nil, the process decides alone.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// Window is the time between two IDENTIFYs of a bucket; 0 for identifyWindow.
	Window time.Duration

	taken atomic.Int64
	mu    sync.Mutex
	next  map[int]time.Time // when a bucket may identify again
}

// Taken is how many sessions the process has begun, or tried to begin.
func (l *IdentifyLimiter) Taken() int64 { return l.taken.Load() }

func (l *IdentifyLimiter) window() time.Duration { return cmp.Or(l.Window, identifyWindow) }

// wait waits for the turn of a bucket, or for reserveTurn. For a bucket it is called after HELLO, so that
// IDENTIFY follows at once.
func (l *IdentifyLimiter) wait(ctx context.Context, bucket int) error {
	for l.Redis != nil && ctx.Err() == nil {
		pause, err := l.ask(ctx, bucket)
		if err != nil {
			break
		}
		if pause <= 0 {
			l.reserve(bucket) // for the next one, if Redis fails by then
			return ctx.Err()
		}
		sleep(ctx, pause)
	}
	sleep(ctx, time.Until(l.reserve(bucket)))
	return ctx.Err()
}

// ask takes the turn in Redis, or returns how long to wait before asking again. A turn that would last longer
// than a window is cut to it: something else wrote it, or a clock was set back.
func (l *IdentifyLimiter) ask(ctx context.Context, bucket int) (pause time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	key := l.Space.Key("{shards}:identify:" + strconv.Itoa(bucket))
	taken, err := l.Redis.SetNX(ctx, key, "", l.window()).Result()
	if err != nil || taken {
		return 0, err
	}
	left, err := l.Redis.PTTL(ctx, key).Result()
	if err == nil && (left == -1 || left > l.window()) { // -1: no expiry
		return l.window(), l.Redis.PExpire(ctx, key, l.window()).Err()
	}
	return max(left, time.Millisecond), err // it may have ended in between
}

// reserve returns when a bucket may identify, and moves the next turn on by a window.
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
