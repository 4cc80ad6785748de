package bot

import "time"

// redisLost is told when Redis could not be used for a while.
func (b *Bot) redisLost(reason error) {
	b.monitor.RedisUp(false)
	b.log.Warn().Err(reason).Msg("redis cannot be used: the hosting service is asked for every account, and replicas do not see each other's actions")
	b.telling.Go(func() { b.stafflog.RedisLost(reason) })
}

// redisBack is told when Redis can be used again.
func (b *Bot) redisBack(after time.Duration) {
	b.monitor.RedisUp(true)
	b.log.Info().Dur("after", after).Msg("redis can be used again")
	b.telling.Go(func() { b.stafflog.RedisBack(after) })
}

// serviceDown is told when the hosting service is taken to be away.
func (b *Bot) serviceDown(reason error) {
	b.log.Warn().Err(reason).Msg("the hosting service is away: it is left alone, and tried until it is back")
	b.telling.Go(func() { b.stafflog.ServiceDown(reason) })
}

// serviceUp is told when the hosting service is back.
func (b *Bot) serviceUp(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("the hosting service is back")
	b.telling.Go(func() { b.stafflog.ServiceUp(after) })
}

// embeddedRedisFull is told that the Redis in the process had to drop keys.
func (b *Bot) embeddedRedisFull(reason error) {
	b.telling.Go(func() { b.stafflog.EmbeddedRedisFull(reason) })
}

// cacheGarbage is told that a key of the cache held something else than an account.
func (b *Bot) cacheGarbage(reason error) {
	b.log.Warn().Err(reason).Msg("what is cached of an account makes no sense: the hosting service is asked")
	b.telling.Go(func() { b.stafflog.CacheGarbage(reason) })
}
