package redistest

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Hook is between a client and Redis at each command that is not in a pipeline: it
// sends the command on by next, or answers in Redis's place.
type Hook func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error

// DialHook leaves connecting as it is.
func (h Hook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook leaves pipelines as they are.
func (h Hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook has h meet each command.
func (h Hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { return h(ctx, cmd, next) }
}

// Requests is between a client and Redis as Hook is, at each request: a command, or those of a
// pipeline together.
type Requests func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error

// DialHook leaves connecting as it is.
func (r Requests) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook has r meet each pipeline.
func (r Requests) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return r(ctx, cmds, next) }
}

// ProcessHook has r meet each command that is not in a pipeline.
func (r Requests) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return r(ctx, []redis.Cmder{cmd}, func(ctx context.Context, cmds []redis.Cmder) error { return next(ctx, cmds[0]) })
	}
}
