package actions

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/aside"
)

// rebuild in the place of an action has the leader write the index anew. It is none: it has no slash.
const rebuild = "rebuild"

// mendIndex sets the index aside if it is something else than a sorted set. The leader finds in the
// new one that it is to be written anew: nobody else knows of the actions whose process is dead.
func (s store) mendIndex(ctx context.Context) {
	ctx, cancel := limited(ctx)
	defer cancel()
	if done, err := s.setOneAside(ctx, s.index(), "zset"); err == nil && done {
		_ = s.cfg.Redis.ZAdd(ctx, s.index(), redis.Z{Member: rebuild}).Err() // its score is 0, which is over
	}
}

// rebuildIndex has each action of this application that Redis knows of be in the index. Those that a
// process renews are not abandoned by the time that they count as such.
func (s store) rebuildIndex(ctx context.Context) error {
	now, err := s.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	due := float64(now.Add(s.cfg.Timing.Abandoned).UnixMilli())
	all := customerKey("*")
	prefix, suffix, _ := strings.Cut(all, "*")
	err = aside.EachKey(ctx, s.cfg.Redis, all, func(key string) error {
		customer := strings.TrimSuffix(strings.TrimPrefix(key, prefix), suffix)
		fields, err := s.cfg.Redis.HGetAll(ctx, key).Result()
		if aside.IsWrongType(err) {
			return nil
		}
		for name, id := range fields {
			bot, isID := strings.CutSuffix(name, ":id")
			if !isID || !s.own(fields[bot+":record"]) {
				continue
			}
			action := redis.Z{Score: due, Member: entry{customer, bot, id}.String()}
			err = errors.Join(err, s.cfg.Redis.ZAddNX(ctx, s.index(), action).Err())
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.unlist(ctx, rebuild)
}

// own reports whether the record of an action is one of this application: other applications may
// have theirs in the same hash.
func (s store) own(data string) bool {
	r, err := decode(data)
	return err == nil && s.cfg.Space.MayBeOf(r.Request.ApplicationID)
}

// hold has actions count as abandoned only after a time. Whoever takes one has that time to report
// it, and is not the last to have it if it dies.
func (s store) hold(ctx context.Context, entries ...string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	args := []any{s.cfg.Timing.Abandoned.Milliseconds()}
	for _, e := range entries {
		args = append(args, e)
	}
	run := func() error {
		return redis.NewScript(holdScript).Run(ctx, s.cfg.Redis, []string{s.index()}, args...).Err()
	}
	err := run()
	if aside.IsWrongType(err) {
		s.mendIndex(ctx)
		err = run()
	}
	return err
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
