package redisclient

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// lostAfter is how long nothing but failures make an outage: a command that was
	// slow once makes none.
	lostAfter = 2 * time.Second
	// probePause is between two looks whether Redis can be used again, and probeLimit
	// bounds one of them.
	probePause = time.Second
	probeLimit = time.Second
	probeKey   = "hostbot:probe"
	probeLife  = time.Minute
)

// writeScript writes a key. Most of what the bot writes, it writes by scripts, which Redis may refuse
// while it takes other commands. KEYS: the key. ARGV: for how many ms it lasts.
const writeScript = `return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])`

// Write writes a key as the bot writes what it keeps, in one round trip. It returns why Redis cannot
// be used: a Redis that is full, or lets its user only read, still answers. A failure begins what
// Watch tells of.
func (c *Conn) Write(ctx context.Context) error { return write(ctx, c.Client) }

// write is Conn.Write. A Cluster may serve some keys alone.
func write(ctx context.Context, client redis.UniversalClient) error {
	_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, probeKey, "", probeLife)
		return p.Eval(ctx, writeScript, []string{probeKey}, probeLife.Milliseconds()).Err()
	})
	if cluster, ok := client.(*redis.ClusterClient); ok && err == nil {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return c.Ping(ctx).Err() })
	}
	return WithoutArguments(err)
}

// Watch has lost called when Redis could not be used for 2 s, and back when it can be
// again, with for how long it could not. A command notices it on its way, so both
// functions must return at once. Watch is called before the first command.
func (c *Conn) Watch(lost func(reason error), back func(after time.Duration)) {
	c.outage = &outage{client: c.Client, lost: lost, back: back}
	c.outage.ctx, c.outage.cancel = context.WithCancel(context.Background())
	c.Client.AddHook(c.outage)
}

// outage tells of outages, as a hook around each command. A Redis that refuses to
// write may still be read. So the first command that fails begins a series of writes,
// which goes on until one succeeds and, in a Cluster, every master answers.
type outage struct {
	client redis.UniversalClient
	lost   func(reason error)
	back   func(after time.Duration)

	ctx     context.Context // of the series
	cancel  context.CancelFunc
	probing sync.Mutex // held during a series, and once no other may begin
}

// close returns once no series is under way. None begins any more, also by a command that is still
// under way.
func (o *outage) close() {
	o.cancel()
	o.probing.Lock()
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
	case !isUnusable(err):
	case errors.Is(ctx.Err(), context.Canceled): // whoever asked has gone, which says nothing of Redis
	case o.ctx.Err() != nil:
	case o.probing.TryLock():
		go func() {
			defer o.probing.Unlock()
			o.probe(time.Now())
		}()
	}
}

// probe writes until Redis takes it, and tells of an outage that began at since.
func (o *outage) probe(since time.Time) {
	ticker := time.NewTicker(probePause)
	defer ticker.Stop()
	for told := false; ; {
		select {
		case <-o.ctx.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(o.ctx, probeLimit)
		err := write(ctx, o.client)
		cancel()
		switch {
		case !isUnusable(err):
			if told {
				o.back(time.Since(since))
			}
			return
		case !told && time.Since(since) >= lostAfter:
			told = true
			o.lost(err)
		}
	}
}

// isUnusable reports whether an error says that Redis cannot be used, and not that it
// refused one command for what that says.
func isUnusable(err error) bool {
	if err == nil || isNil(err) {
		return false
	}
	if means, _ := Explain(err); means != "" {
		return true
	}
	var network net.Error
	var refusal redis.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network):
		return true
	case errors.As(err, &refusal):
		return refusesScript(refusal) || slices.ContainsFunc(unusable(), func(prefix string) bool { return redis.HasErrorPrefix(err, prefix) })
	default: // a connection that ended, a pool that is exhausted
		return !errors.Is(err, redis.ErrClosed)
	}
}

// unusable lists what the refusals of a Redis begin with that is not there yet, or does not let the program do all
// that it does, beside those that Explain knows.
func unusable() []string {
	return []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "NOPERM", "EXECABORT"}
}

// refusesScript reports whether a script may not call one of its commands: by the words of Redis up to
// 7.0, which gives them no code, and of later ones (scriptVerifyACL in
// https://github.com/redis/redis/blob/unstable/src/script.c).
func refusesScript(refusal redis.Error) bool {
	return strings.Contains(refusal.Error(), "The user executing the script can't") || strings.Contains(refusal.Error(), "ACL failure in script")
}

// IsRefusal reports whether an error of Write is what Redis answered, and not that it gave no answer.
func IsRefusal(err error) bool {
	_, refused := errors.AsType[redis.Error](err)
	return refused
}
