package bot

import (
	"sync"
	"sync/atomic"
	"time"
)

// noShard stands for the connection before it is known which shards there are.
const noShard = -1

// connections is what staff know of the connections to Discord. They read a line when
// the first is there, one when the first is lost, and one when none is lost any more:
// not one for each shard.
type connections struct {
	resumes atomic.Int64

	mu     sync.Mutex
	told   bool // that one is there
	lost   map[int]bool
	lostAt time.Time // the first of them
	anew   bool      // a session has ended meanwhile, with what was sent to it
}

// connected is told of a new session.
func (b *Bot) connected(shard int, applicationID string) {
	b.log.Info().Int("shard", shard).Str("application", applicationID).Msg("connected to discord")
	b.serving(shard, true)
}

// resumed is told that a session goes on, which was lost or another replica's.
func (b *Bot) resumed(shard int) {
	b.connections.resumes.Add(1)
	b.log.Info().Int("shard", shard).Msg("connection to discord resumed")
	b.serving(shard, false)
}

func (b *Bot) serving(shard int, anew bool) {
	select {
	case b.reachable <- struct{}{}:
	default: // the commands are registered once
	}
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	was, after := c.lost[shard] || c.lost[noShard], time.Since(c.lostAt)
	delete(c.lost, shard)
	delete(c.lost, noShard)
	c.anew = c.anew || anew
	switch {
	case was && len(c.lost) > 0:
	case !c.told, was && c.anew:
		c.told = true
		b.staffQueue.Go(b.stafflog.Connected)
	case was:
		b.staffQueue.Go(func() { b.stafflog.Resumed(after) })
	}
}

// lost is told of every attempt that failed; staff read of the first.
func (b *Bot) lost(shard int, reason error) {
	b.log.Warn().Err(reason).Int("shard", shard).Msg("connection to discord lost")
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) == 0 {
		c.lost, c.lostAt, c.anew = make(map[int]bool), time.Now(), false
		b.staffQueue.Go(func() { b.stafflog.Disconnected(reason) })
	}
	c.lost[shard] = true
}

// released is told that a shard is another replica's by now.
func (b *Bot) released(shard int) {
	b.connections.mu.Lock()
	defer b.connections.mu.Unlock()
	delete(b.connections.lost, shard)
}

// redisLost is told when Redis could not be used for a while.
func (b *Bot) redisLost(reason error) {
	b.monitor.RedisUp(false)
	b.log.Warn().Err(reason).Msg("redis cannot be used: the hosting service is asked for every account, and replicas do not see each other's actions")
	b.staffQueue.Go(func() { b.stafflog.RedisLost(reason) })
}

// redisBack is told when Redis can be used again.
func (b *Bot) redisBack(after time.Duration) {
	b.monitor.RedisUp(true)
	b.log.Info().Dur("after", after).Msg("redis can be used again")
	b.staffQueue.Go(func() { b.stafflog.RedisBack(after) })
}

// serviceDown is told when the hosting service is taken to be away.
func (b *Bot) serviceDown(reason error) {
	b.log.Warn().Err(reason).Msg("the hosting service is away: it is left alone, and tried until it is back")
	b.staffQueue.Go(func() { b.stafflog.ServiceDown(reason) })
}

// serviceUp is told when the hosting service is back.
func (b *Bot) serviceUp(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("the hosting service is back")
	b.staffQueue.Go(func() { b.stafflog.ServiceUp(after) })
}

// tooManyInvalid is told that Discord refused so many requests that it may ban this
// machine's address.
func (b *Bot) tooManyInvalid(invalid int) {
	b.log.Error().Int("requests", invalid).Msg("discord refused so many requests that it may ban this address: requests that may wait are held back")
	b.staffQueue.Go(func() { b.stafflog.TooManyInvalid() })
}

// discordPauses is told that Discord asked all requests to wait.
func (b *Bot) discordPauses(wait time.Duration) {
	b.log.Warn().Dur("for", wait).Msg("discord asks all requests to wait: only interactions are answered")
}

// embeddedRedisFull is told that the Redis in the process had to drop keys.
func (b *Bot) embeddedRedisFull(reason error) {
	b.staffQueue.Go(func() { b.stafflog.EmbeddedRedisFull(reason) })
}

// recordUnreadable is told that a record in Redis could not be read and was set aside.
func (b *Bot) recordUnreadable(_ string, reason error) {
	b.log.Warn().Err(reason).Msg("a record in redis cannot be read and is set aside")
	b.staffQueue.Go(func() { b.stafflog.RecordUnreadable(reason) })
}

// cacheGarbage is told that a key of the cache held something else than an account.
func (b *Bot) cacheGarbage(reason error) {
	b.log.Warn().Err(reason).Msg("what is cached of an account makes no sense: the hosting service is asked")
	b.staffQueue.Go(func() { b.stafflog.CacheGarbage(reason) })
}
