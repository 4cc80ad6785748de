package bot

import (
	"context"
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

// foundScript forgets that a shard is lost. It returns since when it was, or "" if it was not, and
// how many others are. KEYS: the hash. ARGV: the shard, and what stands for one that is not known.
const foundScript = `
local since = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[1], ARGV[1], ARGV[2])
return {since or '', redis.call('HLEN', KEYS[1])}`

// noteLoss has Redis say that a shard is lost.
func (b *Bot) noteLoss(shard int, at time.Time) {
	if b.redis == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lossesLimit)
	defer cancel()
	key := b.space.Key(lossesKey)
	_, err := b.redis.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.HSetNX(ctx, key, strconv.Itoa(shard), at.UnixMilli())
		p.PExpire(ctx, key, lossesLife) // so that anything else there ends as well
		return nil
	})
	if err != nil {
		b.log.Debug().Err(err).Msg("other replicas do not learn that a shard is lost")
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
	said, err := redis.NewScript(foundScript).
		Run(ctx, b.redis.Client, []string{b.space.Key(lossesKey)}, shard, noShard).Slice()
	if err != nil || len(said) != 2 {
		return 0, false, 0
	}
	since, _ := said[0].(string)
	others, _ = said[1].(int64)
	if at, err := strconv.ParseInt(since, 10, 64); err == nil {
		after = max(0, time.Since(time.UnixMilli(at)))
	}
	return after, since != "", others
}
