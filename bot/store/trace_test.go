package store_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// late answers each command after so long.
type late time.Duration

func (late) DialHook(next redis.DialHook) redis.DialHook { return next }
func (late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (l late) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(context.Context, redis.Cmder) error {
		<-time.After(time.Duration(l))
		return nil
	}
}

// TestSlowCommandsAreLinesOfDebug: each says which command it was and how long it took.
func TestSlowCommandsAreLinesOfDebug(t *testing.T) {
	for took, want := range map[time.Duration]string{
		90 * time.Millisecond:  "",
		110 * time.Millisecond: `{"level":"debug","command":"get","took_ms":110,"message":"a command to redis failed or was slow"}` + "\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			conn, err := redisclient.Open("redis://unused", zerolog.New(&out).Level(zerolog.DebugLevel))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.Client.AddHook(late(took))
			conn.Client.Get(t.Context(), "customer")
			if out.String() != want {
				t.Errorf("after %v the log says %s", took, &out)
			}
		})
	}
}

// TestTheLogHoldsNoPassword has a Redis refuse the one in its address.
func TestTheLogHoldsNoPassword(t *testing.T) {
	const password = "recognisable-password"
	server := miniredis.RunT(t)
	server.RequireAuth("another")
	var out bytes.Buffer
	log := zerolog.New(zerolog.SyncWriter(&out)).Level(zerolog.DebugLevel)
	conn, err := redisclient.Open(secret.Text("redis://:"+password+"@"+server.Addr()), log)
	if err != nil {
		t.Fatal(err)
	}
	err = conn.Client.Get(t.Context(), "customer").Err()
	if err == nil {
		t.Fatal("Redis refuses nothing")
	}
	conn.Close() // which ends what writes to the log
	said := out.String()
	if !strings.Contains(said, `"command":"get"`) {
		t.Errorf("the log does not say what was refused: %s", said)
	}
	if strings.Contains(said+err.Error(), password) {
		t.Errorf("the password is in %v, or in the log:\n%s", err, said)
	}
}

// TestFailedCommandsAreLinesOfDebug: each says which command it was and how long it took, and not
// with what.
func TestFailedCommandsAreLinesOfDebug(t *testing.T) {
	proxy := faultproxy.RunT(t, redistest.StartMiniredis(t).Addr())
	for _, level := range []zerolog.Level{zerolog.DebugLevel, zerolog.InfoLevel} {
		proxy.Set(faultproxy.Open)
		var out bytes.Buffer
		conn, err := redisclient.Open(secret.Text("redis://"+proxy.Addr()), zerolog.New(&out).Level(level))
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
				if level == zerolog.InfoLevel && text != "" || strings.Contains(text, `"error"`) {
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
	}
}
