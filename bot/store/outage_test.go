package store_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/store/redisclient"

	"github.com/redis/go-redis/v9"
)

// replyError is what Redis answers.
type replyError string

func (e replyError) Error() string { return string(e) }
func (replyError) RedisError()     {}

// broken is a Redis that fails for some time: all commands, or some alone.
type broken struct {
	err   error
	only  []string // nil: all
	until time.Time
}

func (b *broken) DialHook(next redis.DialHook) redis.DialHook { return next }

func (b *broken) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(_ context.Context, cmd redis.Cmder) error {
		cmd.SetErr(b.answer(cmd))
		return cmd.Err()
	}
}

func (b *broken) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(_ context.Context, cmds []redis.Cmder) (err error) {
		for _, cmd := range cmds {
			cmd.SetErr(b.answer(cmd))
			if err == nil {
				err = cmd.Err()
			}
		}
		return err
	}
}

func (b *broken) answer(cmd redis.Cmder) error {
	if time.Now().Before(b.until) && (b.only == nil || slices.Contains(b.only, cmd.Name())) {
		return b.err
	}
	return nil
}

func TestWatchTellsOfOutagesOfTwoSecondsAndMore(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	writes, scripts := []string{"set", "eval"}, []string{"eval"}
	for name, test := range map[string]struct {
		broken
		lasts time.Duration
		told  bool
	}{
		"slow once":             {broken{err: context.DeadlineExceeded}, 500 * time.Millisecond, false},
		"refuses connections":   {broken{err: refused}, time.Minute, true},
		"is loading":            {broken{err: replyError("LOADING Redis is loading the dataset in memory")}, time.Minute, true},
		"lets nobody in":        {broken{err: replyError("NOAUTH Authentication required.")}, time.Minute, true},
		"has no room":           {broken{err: replyError("OOM command not allowed"), only: writes}, time.Minute, true},
		"has another password":  {broken{err: replyError("WRONGPASS invalid username-password pair or user is disabled.")}, time.Minute, true},
		"is no cluster yet":     {broken{err: replyError("CLUSTERDOWN Hash slot not served")}, time.Minute, true},
		"has lost its replicas": {broken{err: replyError("NOREPLICAS Not enough good replicas to write."), only: writes}, time.Minute, true},
		"cannot save":           {broken{err: replyError("MISCONF Redis is configured to save RDB snapshots"), only: writes}, time.Minute, true},
		"is a replica":          {broken{err: replyError("READONLY You can't write"), only: writes}, time.Minute, true},
		"runs no scripts":       {broken{err: replyError("NOPERM this user has no permissions to run the 'eval' command"), only: scripts}, time.Minute, true},
		"lets no script write":  {broken{err: replyError("ERR The user executing the script can't run this command or subcommand script: 7"), only: scripts}, time.Minute, true},
		"the same, since 7.2":   {broken{err: replyError("ERR ACL failure in script: User bot has no permissions to run the 'set' command"), only: scripts}, time.Minute, true},
		"is a Sentinel":         {broken{err: replyError("ERR unknown command 'SET'")}, time.Minute, true},
		"is in a Cluster":       {broken{err: replyError("MOVED 3999 127.0.0.1:6381")}, time.Minute, true},
		"is in none":            {broken{err: replyError("ERR This instance has cluster support disabled")}, time.Minute, true},
		"has no such database":  {broken{err: fmt.Errorf("failed to initialize connection options: %w", replyError("ERR DB index is out of range"))}, time.Minute, true},
		"is full of clients":    {broken{err: replyError("ERR max number of clients reached")}, time.Minute, true},
		"has no such name":      {broken{err: fmt.Errorf("redis: all sentinels specified in configuration are unreachable: %w", redis.Nil)}, time.Minute, true},
		"has no such key":       {broken{err: redis.Nil}, time.Minute, false},
		"lacks one command":     {broken{err: replyError("ERR unknown command 'get'"), only: []string{"get"}}, time.Minute, false},
		"refuses one command":   {broken{err: replyError("WRONGTYPE Operation against a key")}, time.Minute, false},
		"has been closed by us": {broken{err: redis.ErrClosed}, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &redisclient.Conn{Client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})}
				var lost []error
				var back []time.Duration
				c.Watch(func(reason error) { lost = append(lost, reason) }, func(after time.Duration) { back = append(back, after) })
				test.until = time.Now().Add(test.lasts)
				c.Client.AddHook(&test.broken)
				for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
					_ = c.Client.Get(t.Context(), "key").Err()
					_ = c.Client.Set(t.Context(), "key", "", 0).Err()
					_ = c.Client.Eval(t.Context(), "return 1", nil).Err()
				}
				c.Close()
				if !test.told && len(lost)+len(back) > 0 || test.told && (len(lost) != 1 || len(back) != 1) {
					t.Fatalf("lost by %v, back after %v", lost, back)
				}
				if test.told && (!strings.Contains(lost[0].Error(), test.err.Error()) || back[0] < test.lasts || back[0] > test.lasts+2*time.Second) {
					t.Errorf("lost by %v, back after %v", lost, back)
				}
			})
		})
	}
}

// TestWriteRepeatsNoPassword has something take AUTH for a command that it does not know.
func TestWriteRepeatsNoPassword(t *testing.T) {
	c := &redisclient.Conn{Client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})}
	c.Client.AddHook(&broken{err: replyError("ERR unknown command 'auth', with args beginning with: 'hunter2' "), until: time.Now().Add(time.Hour)})
	if err := c.Write(t.Context()); err == nil || err.Error() != "ERR unknown command 'auth'" || !redisclient.IsRefusal(err) {
		t.Errorf("%v, a refusal: %v", err, redisclient.IsRefusal(err))
	}
	c.Close()
}

func TestWatchIgnoresCallersWhoGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &redisclient.Conn{Client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})}
		c.Watch(func(err error) { t.Errorf("lost: %v", err) }, func(time.Duration) {})
		c.Client.AddHook(&broken{err: context.Canceled, until: time.Now().Add(time.Hour)})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_ = c.Client.Get(gone, "key").Err()
		time.Sleep(time.Minute)
		c.Close()
	})
}
