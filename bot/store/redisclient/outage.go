package redisclient

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// lostAfter is how long all writes must fail to make an outage. One slow command makes none.
	lostAfter = 2 * time.Second
	// probePause is the time between two probes, and probeLimit bounds one of them.
	probePause = time.Second
	probeLimit = time.Second
	probeKey   = "hostbot:probe"
	probeLife  = time.Minute
)

// writeScript writes a key. The bot mostly writes by scripts, and Redis may refuse these while it takes other
// commands. KEYS: 1 the key. ARGV: 1 how many ms it lasts.
const writeScript = `return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])`

// Write writes a key by a command and by a script, in one round trip, and returns why Redis cannot be used. A Redis
// that is full, or whose user may only read, still answers reads. A failure may begin an outage (Watch).
//
// In a Cluster it also checks that every master answers, as some keys may be served and others not.
func (c *Conn) Write(ctx context.Context) error {
	_, err := c.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, probeKey, "", probeLife)
		return p.Eval(ctx, writeScript, []string{probeKey}, probeLife.Milliseconds()).Err()
	})
	if cluster, ok := c.Client.(*redis.ClusterClient); ok && err == nil {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return c.Ping(ctx).Err() })
	}
	return WithoutArguments(err)
}

// Watch calls lost when Redis has been unusable for 2 s, and back when it is usable again, with how long it was not.
// Both must return at once. Watch is called before the first command.
func (c *Conn) Watch(lost func(reason error), back func(after time.Duration)) {
	c.outage = &outage{conn: c, lost: lost, back: back}
	c.outage.ctx, c.outage.cancel = context.WithCancel(context.Background())
	c.Client.AddHook(hook(c.outage.note))
}

// outage detects outages, as a hook after each command. A command that fails begins a series of probes. The series
// goes on until a write succeeds, as a Redis that refuses writes may still answer reads.
type outage struct {
	conn *Conn
	lost func(reason error)
	back func(after time.Duration)

	ctx     context.Context // of the series
	cancel  context.CancelFunc
	probing sync.Mutex // held during a series, and after close
}

// close waits until no series is running, and prevents new ones.
func (o *outage) close() {
	o.cancel()
	o.probing.Lock()
}

// note is a hook.
func (o *outage) note(ctx context.Context, _ []redis.Cmder, _ time.Duration, err error) {
	switch {
	case !isUnusable(err):
	case errors.Is(ctx.Err(), context.Canceled): // that says nothing about Redis
	case o.ctx.Err() != nil:
	case o.probing.TryLock():
		go func() {
			defer o.probing.Unlock()
			o.probe(time.Now())
		}()
	}
}

// probe writes until Redis takes it, and calls lost and back if that takes longer than lostAfter.
func (o *outage) probe(since time.Time) {
	ticker := time.NewTicker(probePause)
	defer ticker.Stop()
	for lost := false; ; {
		select {
		case <-o.ctx.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(o.ctx, probeLimit)
		err := o.conn.Write(ctx)
		cancel()
		switch {
		case !isUnusable(err):
			if lost {
				o.back(time.Since(since))
			}
			return
		case !lost && time.Since(since) >= lostAfter:
			lost = true
			o.lost(err)
		}
	}
}

// isUnusable reports whether an error means that Redis cannot be used, and not just that one command was wrong.
func isUnusable(err error) bool {
	if err == nil || isNil(err) {
		return false
	}
	if means, _ := Explain(err); means != "" {
		return true
	}
	if refusal, ok := errors.AsType[redis.Error](err); ok {
		// Errors that Explain does not know, of a Redis that is not ready or not fully usable.
		others := []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "NOPERM", "EXECABORT"}
		return refusesScript(refusal) || slices.ContainsFunc(others, func(prefix string) bool { return redis.HasErrorPrefix(err, prefix) })
	}
	return !errors.Is(err, redis.ErrClosed) // a connection that ended, a pool that is exhausted, no answer in time
}

// refusesScript reports whether a script is not permitted to call one of its commands. Neither Redis up to 7.0 nor
// later ones (scriptVerifyACL in https://github.com/redis/redis/blob/unstable/src/script.c) have a code for that.
func refusesScript(refusal redis.Error) bool {
	return strings.Contains(refusal.Error(), "The user executing the script can't") || strings.Contains(refusal.Error(), "ACL failure in script")
}

// IsRefusal reports whether an error of Write is an answer of Redis, and not the lack of one.
func IsRefusal(err error) bool {
	_, refused := errors.AsType[redis.Error](err)
	return refused
}
