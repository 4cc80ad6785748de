package redisclient_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// late has each command take so long.
type late time.Duration

func (late) DialHook(next redis.DialHook) redis.DialHook { return next }
func (late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (l late) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		<-time.After(time.Duration(l))
		return next(ctx, cmd)
	}
}

// TestFailedAndSlowCommandsAreLinesOfDebug: each says which command it was and how long it took, and
// not with what.
func TestFailedAndSlowCommandsAreLinesOfDebug(t *testing.T) {
	proxy := faultproxy.RunT(t, redistest.StartMiniredis(t).Addr())
	for _, level := range []zerolog.Level{zerolog.DebugLevel, zerolog.InfoLevel} {
		proxy.Set(faultproxy.Open)
		var out bytes.Buffer
		conn, err := redisclient.Open(secret.Text("redis://"+proxy.Addr()), zerolog.New(&out).Level(level), func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ctx, c := t.Context(), conn.Client
		says := func(want string) {
			t.Helper()
			text := out.String()
			out.Reset()
			if want == "" || level == zerolog.InfoLevel {
				if text != "" {
					t.Errorf("the log says %s", text)
				}
				return
			}
			if !strings.Contains(text, want) || !strings.Contains(text, `"level":"debug"`) || strings.Contains(text, "customer") {
				t.Errorf("the log says %s", text)
			}
		}
		c.Set(ctx, "customer", "customer", 0)
		c.Get(ctx, "nothing")
		says("")
		c.HGet(ctx, "customer", "customer")
		says(`"error":"WRONGTYPE","command":"hget","took_ms":`)
		c.Do(ctx, "nonsense", "customer")
		says(`"error":"ERR","command":"nonsense","took_ms":`)
		proxy.Set(faultproxy.Resetting)
		_, _ = c.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Get(ctx, "customer")
			p.HGet(ctx, "customer", "customer")
			p.Get(ctx, "customer")
			return nil
		})
		says(`"command":"get hget","took_ms":`)
		proxy.Set(faultproxy.Open)
		c.Get(ctx, "nothing") // which connects anew
		out.Reset()
		c.AddHook(late(110 * time.Millisecond))
		c.Get(ctx, "customer")
		says(`"level":"debug","command":"get","took_ms":1`)
	}
}
