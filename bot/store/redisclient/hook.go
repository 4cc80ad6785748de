package redisclient

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// hook is called after each command, and after each pipeline with all of its commands.
type hook func(ctx context.Context, cmds []redis.Cmder, took time.Duration, err error)

// DialHook leaves dialing as it is: a command that finds no connection fails.
func (h hook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook watches a command.
func (h hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		began := time.Now()
		err := next(ctx, cmd)
		h(ctx, []redis.Cmder{cmd}, time.Since(began), err)
		return err
	}
}

// ProcessPipelineHook watches a pipeline.
func (h hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		began := time.Now()
		err := next(ctx, cmds)
		h(ctx, cmds, time.Since(began), err)
		return err
	}
}
