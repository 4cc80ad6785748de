package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
)

const (
	// identifyWindow is how long a bucket of shards waits between two IDENTIFYs:
	// https://discord.com/developers/docs/events/gateway#rate-limiting
	identifyWindow = 5 * time.Second
	// reservedStarts is how many of the day's sessions are left unused, beside
	// one for each shard. Discord resets the token of a bot that begins more
	// than are allowed, and other processes may begin some meanwhile.
	reservedStarts = 10
)

// IdentifyLimiter lets the shards of a process begin sessions as fast as Discord
// allows. The zero value is ready to use.
type IdentifyLimiter struct {
	mu   sync.Mutex
	next map[int]time.Time // when a bucket may identify again
}

// wait waits for the turn of a shard to begin a session. It returns an error where
// no more sessions should be begun for some time.
//
// The turn is taken before the connection is made: with several shards, one whose
// connection took 5 s longer than the next one's would identify together with it.
// Discord then answers the later one with an invalid session.
func (l *IdentifyLimiter) wait(ctx context.Context, shard Shard, limit discordgo.SessionInformation) error {
	if limit.Total > 0 && limit.Remaining <= reservedStarts+shard.Count {
		resets := time.Duration(limit.ResetAfter) * time.Millisecond
		return fmt.Errorf("too few of the sessions that discord allows in a day are left: %w", &backoff.RetryAfterError{Duration: resets})
	}
	sleep(ctx, time.Until(l.reserve(shard.ID%max(limit.MaxConcurrency, 1))))
	return ctx.Err()
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
	l.next[bucket] = at.Add(identifyWindow)
	return at
}
