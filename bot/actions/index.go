package actions

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// hold has actions count as abandoned only after a time. Whoever takes one has that time to report
// it, and is not the last to have it if it dies.
func (s store) hold(ctx context.Context, entries ...string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	args := []any{s.cfg.Timing.Abandoned.Milliseconds()}
	for _, e := range entries {
		args = append(args, e)
	}
	return redis.NewScript(holdScript).Run(ctx, s.cfg.Redis, []string{s.index()}, args...).Err()
}

// abandon has an action count as abandoned from now on.
func (s store) abandon(member string) error {
	ctx, cancel := limited(context.Background())
	defer cancel()
	return s.cfg.Redis.ZAdd(ctx, s.index(), redis.Z{Member: member}).Err() // its score is 0, which is over
}

// unlist removes something from the index.
func (s store) unlist(ctx context.Context, member string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	return s.cfg.Redis.ZRem(ctx, s.index(), member).Err()
}

// left returns for how long an action does not count as abandoned; 0 if it does, or is not in the
// index.
func (s store) left(ctx context.Context, member string) (time.Duration, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	var clock *redis.TimeCmd
	var due *redis.FloatCmd
	_, _ = s.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		clock, due = p.Time(ctx), p.ZScore(ctx, s.index(), member)
		return nil
	})
	if err := errors.Join(clock.Err(), due.Err()); err != nil {
		return 0, err
	}
	return max(0, time.UnixMilli(int64(due.Val())).Sub(clock.Val())), nil
}
