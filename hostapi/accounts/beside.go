package accounts

import (
	"context"
	"maps"

	"github.com/redis/go-redis/v9"
)

// along sends Redis the commands of do, and reads the hashes beside a user's account in the same round trip. do's commands
// keep their own errors.
func (c *Cache) along(ctx context.Context, userID string, do func(redis.Cmdable)) (beside map[string]string) {
	var hashes []*redis.MapStringStringCmd
	_, _ = c.config.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		do(p)
		for _, key := range c.config.BesideKeys(userID) {
			hashes = append(hashes, p.HGetAll(ctx, key))
		}
		return nil
	})
	beside = make(map[string]string)
	for _, hash := range hashes { // one is nil if it is no hash, or Redis fails
		maps.Copy(beside, hash.Val())
	}
	return beside
}

// loadFresh returns an account if it is fresh, and the hash beside it. The entry is nil if the account is not fresh, or if
// Redis fails.
func (c *Cache) loadFresh(ctx context.Context, userID string) (fresh *entry, beside map[string]string) {
	// It does not end with ctx: to watch ctx would take more memory than a quarter of a second is worth.
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

// withBeside returns a snapshot with the hash beside the account. Update reads the hash again, since the service's answer
// may have taken long.
func (c *Cache) withBeside(s Snapshot, userID string, beside map[string]string) Snapshot {
	s.Beside = beside
	update := s.Update
	if update == nil {
		return s
	}
	s.Update = func(ctx context.Context) (Snapshot, error) {
		newer, err := update(ctx)
		if err == nil {
			limited, cancel := context.WithTimeout(ctx, useLimit)
			defer cancel()
			newer.Beside = c.along(limited, userID, func(redis.Cmdable) {})
		}
		return newer, err
	}
	return s
}
