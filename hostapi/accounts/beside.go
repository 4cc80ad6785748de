package accounts

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// along has Redis do something, and returns what is beside a user's account, all in one round
// trip. Each command has its own error.
func (c *Cache) along(ctx context.Context, userID string, do func(redis.Cmdable)) (beside map[string]string) {
	if c.config.BesideKey == nil {
		do(c.config.Redis)
		return nil
	}
	var fields *redis.MapStringStringCmd
	_, _ = c.config.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		do(p)
		fields = p.HGetAll(ctx, c.config.BesideKey(userID))
		return nil
	})
	return fields.Val() // nil if it is no hash, or Redis fails
}

// loadFresh returns an account that is fresh, and what is beside it. The entry is nil if the account
// is not fresh, or Redis fails.
func (c *Cache) loadFresh(ctx context.Context, userID string) (fresh *entry, beside map[string]string) {
	// What would tell it of the end of ctx takes more memory than a quarter of a second is worth.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), useLimit)
	defer cancel()
	key := c.freshKey(userID)
	var got *redis.StringCmd
	beside = c.along(limited, userID, func(r redis.Cmdable) { got = r.Get(limited, key) })
	if data, err := got.Result(); err == nil {
		fresh = c.decode(limited, key, data, userID)
	}
	return fresh, beside
}

// withBeside returns a snapshot with what is beside the account. It is read anew once the
// service has answered, which may take long.
func (c *Cache) withBeside(s Snapshot, userID string, beside map[string]string) Snapshot {
	s.Beside = beside
	update := s.Update
	if update == nil || c.config.BesideKey == nil {
		return s
	}
	s.Update = func(ctx context.Context) (Snapshot, error) {
		newer, err := update(ctx)
		if err == nil {
			limited, cancel := context.WithTimeout(ctx, useLimit)
			defer cancel()
			newer.Beside = c.config.Redis.HGetAll(limited, c.config.BesideKey(userID)).Val()
		}
		return newer, err
	}
	return s
}
