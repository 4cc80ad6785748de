package bot

import (
	"time"

	"hostbot/bot/processlog"
)

// redisLost is told when Redis has not answered for a while.
func (b *Bot) redisLost(reason error) {
	processlog.Told(b.log.Warn()).Err(reason).Msg("redis does not answer: each replica remembers accounts for itself, and replicas do not see each other's actions")
	b.telling.tell(func() { b.journal.RedisLost(reason) })
}

// redisBack is told when Redis answers again.
func (b *Bot) redisBack(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("redis answers again")
	b.telling.tell(func() { b.journal.RedisBack(after) })
}

// serviceDown is told when the hosting service is taken to be away.
func (b *Bot) serviceDown(reason error) {
	processlog.Told(b.log.Warn()).Err(reason).Msg("the hosting service is away: it is left alone, and tried until it is back")
	b.telling.tell(func() { b.journal.ServiceDown(reason) })
}

// serviceUp is told when the hosting service is back.
func (b *Bot) serviceUp(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("the hosting service is back")
	b.telling.tell(func() { b.journal.ServiceUp(after) })
}
