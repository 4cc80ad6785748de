package redisclient

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// lostAfter is how long nothing but failures make an outage: a command that was
// slow once makes none.
const lostAfter = 2 * time.Second

// Watch has lost called when Redis has not answered for 2 s, and back when it
// answers again, with for how long it did not. What is noticed is noticed by the
// commands that are sent; both functions must return at once. It is called before
// the first command.
func (c *Conn) Watch(lost func(reason error), back func(after time.Duration)) {
	c.Client.AddHook(&outage{lost: lost, back: back, now: time.Now})
}

// outage tells of outages, as a hook around each command.
type outage struct {
	lost func(reason error)
	back func(after time.Duration)
	now  func() time.Time

	mu    sync.Mutex
	since time.Time // of the first failure; zero without any
	told  bool
}

// DialHook leaves dialing as it is: a command that finds no connection fails.
func (o *outage) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook watches a command.
func (o *outage) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		o.note(ctx, err)
		return err
	}
}

// ProcessPipelineHook watches a pipeline.
func (o *outage) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		o.note(ctx, err)
		return err
	}
}

func (o *outage) note(ctx context.Context, err error) {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return // whoever asked has gone, which says nothing of Redis
	case !isAway(err):
		o.answered()
	default:
		o.failed(err)
	}
}

// isAway tells whether an error says that Redis cannot be used, and not that it
// refused one command.
func isAway(err error) bool {
	var network net.Error
	var refusal redis.Error
	switch {
	case err == nil, errors.Is(err, redis.Nil):
		return false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network):
		return true
	case errors.As(err, &refusal): // Redis is not there yet, or does not let the program in
		return slices.ContainsFunc([]string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "NOAUTH", "WRONGPASS", "NOPERM"},
			func(prefix string) bool { return redis.HasErrorPrefix(err, prefix) })
	default: // a connection that ended, a pool that is exhausted
		return !errors.Is(err, redis.ErrClosed)
	}
}

func (o *outage) failed(err error) {
	o.mu.Lock()
	now := o.now()
	if o.since.IsZero() {
		o.since = now
	}
	isNews := !o.told && now.Sub(o.since) >= lostAfter
	o.told = o.told || isNews
	o.mu.Unlock()
	if isNews {
		o.lost(err)
	}
}

func (o *outage) answered() {
	o.mu.Lock()
	since, told := o.since, o.told
	o.since, o.told = time.Time{}, false
	o.mu.Unlock()
	if told {
		o.back(o.now().Sub(since))
	}
}
