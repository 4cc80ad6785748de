package store_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/patience"
)

func TestEmbeddedSaysSo(t *testing.T) {
	var out bytes.Buffer
	conn, err := redisclient.Open("", zerolog.New(&out))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if !conn.Embedded {
		t.Error("Embedded is false")
	}
	if !strings.Contains(out.String(), "memory") || !strings.Contains(out.String(), `"level":"warn"`) {
		t.Errorf("the log holds %q", out.String())
	}
}

func TestEmbeddedExpires(t *testing.T) {
	synctest.Test(t, expireEmbedded)
}

func expireEmbedded(t *testing.T) {
	conn := open(t, "")
	for key, ttl := range map[string]time.Duration{"brief": time.Millisecond, "long": time.Hour, "endless": 0} {
		if err := conn.Client.Set(t.Context(), key, "value", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	patience.Until(t, "a key expires", func() bool { return conn.Client.Exists(t.Context(), "brief").Val() == 0 })
	if left := conn.Client.Exists(t.Context(), "long", "endless").Val(); left != 2 {
		t.Errorf("%d of the other 2 keys are left", left)
	}
	if ttl := conn.Client.TTL(t.Context(), "long").Val(); ttl >= time.Hour {
		t.Errorf("an hour later than at first: %v", ttl)
	}
}

// TestManyCommandsAreSentAtOnce has more commands in one go than the embedded Redis reads at once: it answers the first while the
// last are still being sent.
func TestManyCommandsAreSentAtOnce(t *testing.T) {
	conn, err := redisclient.Open("", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	const commands = 100
	for _, size := range []int{10, 1_000, 10_000} {
		value := strings.Repeat("x", size)
		for name, sends := range map[string]func(context.Context, func(redis.Pipeliner) error) ([]redis.Cmder, error){
			"pipeline": conn.Client.Pipelined, "transaction": conn.Client.TxPipelined,
		} {
			answers, err := sends(t.Context(), func(p redis.Pipeliner) error {
				for range commands {
					p.Echo(t.Context(), value)
				}
				return nil
			})
			if err != nil || len(answers) != commands {
				t.Errorf("a %s of %d × %d bytes: %d answers, %v", name, commands, size, len(answers), err)
			}
		}
	}
}
