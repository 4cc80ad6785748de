package redisclient

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// replyError is what Redis answers.
type replyError string

func (e replyError) Error() string { return string(e) }
func (replyError) RedisError()     {}

func TestAnOutageIsTwoSecondsOfNothingButFailures(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	type step struct {
		after time.Duration
		err   error
	}
	tests := map[string]struct {
		steps []step
		lost  int
		back  []time.Duration
	}{
		"all is well":       {steps: []step{{0, nil}, {time.Hour, redis.Nil}}},
		"slow once":         {steps: []step{{0, context.DeadlineExceeded}, {3 * time.Second, nil}}},
		"lost and back":     {[]step{{0, refused}, {time.Second, refused}, {time.Second, refused}, {time.Minute, refused}, {time.Second, nil}, {0, nil}}, 1, []time.Duration{63 * time.Second}},
		"lost twice":        {[]step{{0, refused}, {2 * time.Second, refused}, {0, nil}, {0, refused}, {2 * time.Second, refused}}, 2, []time.Duration{2 * time.Second}},
		"refuses a command": {steps: []step{{0, replyError("WRONGTYPE")}, {time.Hour, replyError("OOM")}}},
		"is loading":        {[]step{{0, replyError("LOADING")}, {2 * time.Second, replyError("LOADING")}}, 1, nil},
		"lets nobody in":    {[]step{{0, replyError("NOAUTH")}, {2 * time.Second, replyError("WRONGPASS")}}, 1, nil},
		"closed by us":      {steps: []step{{0, redis.ErrClosed}, {time.Hour, redis.ErrClosed}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1_700_000_000, 0)
			lost := 0
			var back []time.Duration
			o := &outage{
				lost: func(error) { lost++ }, back: func(after time.Duration) { back = append(back, after) },
				now: func() time.Time { return now },
			}
			for _, s := range test.steps {
				now = now.Add(s.after)
				process := o.ProcessHook(func(context.Context, redis.Cmder) error { return s.err })
				if err := process(t.Context(), nil); !errors.Is(err, s.err) {
					t.Errorf("the hook made %v of %v", err, s.err)
				}
			}
			if lost != test.lost || len(back) != len(test.back) || len(back) > 0 && back[0] != test.back[0] {
				t.Errorf("lost %d times, back after %v", lost, back)
			}
		})
	}
}

func TestWhoGivesUpSaysNothingOfRedis(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	o := &outage{lost: func(err error) { t.Errorf("lost: %v", err) }, now: func() time.Time { return now }}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	process := o.ProcessPipelineHook(func(ctx context.Context, _ []redis.Cmder) error { return ctx.Err() })
	for range 3 {
		_ = process(gone, nil)
		now = now.Add(time.Minute)
	}
}
