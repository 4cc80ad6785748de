package store_test

import (
	"bytes"
	"context"
	"strconv"
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
	conn, err := redisclient.Open("", zerolog.New(&out), func(error) {})
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

// What is held is found out by measuring. A type whose size were not known would
// never be dropped.
func TestEmbeddedIsBounded(t *testing.T) {
	large := strings.Repeat("x", 30<<20)
	value := large[:1<<20]
	for name, add := range map[string]func(p redis.Pipeliner, key string){
		"string":     func(p redis.Pipeliner, key string) { p.Set(t.Context(), key, value, 0) },
		"list":       func(p redis.Pipeliner, key string) { p.RPush(t.Context(), key, value) },
		"set":        func(p redis.Pipeliner, key string) { p.SAdd(t.Context(), key, value) },
		"hash":       func(p redis.Pipeliner, key string) { p.HSet(t.Context(), key, "field", value) },
		"sorted set": func(p redis.Pipeliner, key string) { p.ZAdd(t.Context(), key, redis.Z{Member: value}) },
		"stream": func(p redis.Pipeliner, key string) {
			p.XAdd(t.Context(), &redis.XAddArgs{Stream: key, Values: []string{"field", value}})
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { fillEmbedded(t, large, add) }) })
	}
}

// fillEmbedded adds more values of a type to an embedded Redis than it takes. large is a text of 30 MiB.
func fillEmbedded(t *testing.T, large string, add func(p redis.Pipeliner, key string)) {
	full := make(chan struct{}, 1)
	conn, err := redisclient.Open("", zerolog.Nop(), func(error) { full <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	ctx := t.Context()
	for range 2 { // what takes another's place is not held
		conn.Client.Set(ctx, "endless", large, 0)
		conn.Client.Set(ctx, "endless", "kept", 0)
	}
	for i := range 65 {
		key := "key" + strconv.Itoa(i)
		_, err := conn.Client.Pipelined(ctx, func(p redis.Pipeliner) error { add(p, key); return nil })
		if err != nil {
			t.Fatal(err)
		}
		conn.Client.Expire(ctx, key, time.Hour+time.Duration(i)*time.Minute)
	}
	select {
	case <-full:
	case <-time.After(patience.Limit):
		t.Fatal("no room is made")
	}
	if held := conn.Client.DBSize(ctx).Val(); held < 30 || held > 33 {
		t.Errorf("%d values of 1 MiB are left", held)
	}
	if kept := conn.Client.Exists(ctx, "key64", "endless").Val(); kept != 2 || conn.Client.Exists(ctx, "key0").Val() != 0 {
		t.Error("what expires last was dropped before what expires first")
	}
}

// TestManyCommandsAreSentAtOnce has more commands in one go than the embedded Redis reads at once: it answers the first while the
// last are still being sent.
func TestManyCommandsAreSentAtOnce(t *testing.T) {
	conn, err := redisclient.Open("", zerolog.Nop(), func(error) {})
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
