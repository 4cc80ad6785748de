package bot

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Staff read that a connection to Discord was lost from the replica that held the shard. Where another
// replica serves the shard from then on, that one tells them that it is back: a hash in Redis says
// which shards are lost, as Unix ms by shard.
const (
	lossesKey = "{shards}:lost"
	// lossesLife is for how long a loss is kept after the last attempt to connect that failed, of which
	// there is one in a minute and a half at least.
	lossesLife = 15 * time.Minute
	// lossesLimit bounds one use of Redis.
	lossesLimit = time.Second
)

// noteLoss has Redis say that a shard is lost, and remembers where that fails: see tellGiven.
func (b *Bot) noteLoss(shard int, at time.Time) {
	if b.redis == nil {
		return
	}
	err := b.writeLoss(shard, at)
	b.connections.noted(shard, at, err == nil)
	if err != nil {
		b.log.Debug().Err(err).Msg("other replicas do not learn that a shard is lost")
	}
}

func (b *Bot) writeLoss(shard int, at time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), lossesLimit)
	defer cancel()
	key := b.space.Key(lossesKey)
	_, err := b.redis.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.HSetNX(ctx, key, strconv.Itoa(shard), at.UnixMilli())
		p.PExpire(ctx, key, lossesLife) // so that anything else there ends as well
		return nil
	})
	return err
}

// tellGiven is for a shard that is another replica's by now. Where Redis was not told that it is lost, that
// replica found nothing there when it began to serve the shard, and says nothing: this one tells
// staff, once Redis can be used.
func (b *Bot) tellGiven(shard int) {
	at, unnoted := b.connections.takeUnnoted(shard)
	if !unnoted || b.writeLoss(shard, at) != nil {
		return
	}
	if after, was, others := b.noteFound(shard); was && others == 0 {
		b.tellServing(false, after)
	}
}

// noteFound has Redis forget that a shard is lost. It returns for how long Redis had it so, if it did, and
// how many others are lost. Without Redis none are.
func (b *Bot) noteFound(shard int) (after time.Duration, was bool, others int64) {
	if b.redis == nil {
		return 0, false, 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), lossesLimit)
	defer cancel()
	key := b.space.Key(lossesKey)
	var lost *redis.StringCmd
	var left *redis.IntCmd
	_, err := b.redis.Client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		lost = p.HGet(ctx, key, strconv.Itoa(shard))
		p.HDel(ctx, key, strconv.Itoa(shard), strconv.Itoa(noShard))
		left = p.HLen(ctx, key)
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, false, 0
	}
	since := lost.Val()
	if at, err := strconv.ParseInt(since, 10, 64); err == nil {
		after = max(0, time.Since(time.UnixMilli(at)))
	}
	return after, since != "", left.Val()
}
