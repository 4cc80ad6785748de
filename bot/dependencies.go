package bot

import "time"

// redisLost is told when Redis has not answered for a while.
func (b *Bot) redisLost(reason error) {
	b.log.Warn().Err(reason).Msg("redis does not answer: the hosting service is asked for every account, and replicas do not see each other's actions")
	b.telling.Go(func() { b.stafflog.RedisLost(reason) })
}

// redisBack is told when Redis answers again.
func (b *Bot) redisBack(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("redis answers again")
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

// cacheFailing is told that accounts cannot be cached.
func (b *Bot) cacheFailing(reason error) {
	b.log.Warn().Err(reason).Msg("accounts cannot be cached: the hosting service is asked more often")
	b.telling.Go(func() { b.stafflog.CacheFailing(reason) })
}
