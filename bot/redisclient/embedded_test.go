package redisclient_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/redisclient"
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
	conn := open(t, "")
	for key, ttl := range map[string]time.Duration{"brief": time.Millisecond, "long": time.Hour, "endless": 0} {
		if err := conn.Client.Set(t.Context(), key, "value", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "a key expires", func() bool { return conn.Client.Exists(t.Context(), "brief").Val() == 0 })
	if left := conn.Client.Exists(t.Context(), "long", "endless").Val(); left != 2 {
		t.Errorf("%d of the other 2 keys are left", left)
	}
	if ttl := conn.Client.TTL(t.Context(), "long").Val(); ttl >= time.Hour {
		t.Errorf("an hour later than at first: %v", ttl)
	}
}

func TestEmbeddedIsBounded(t *testing.T) {
	conn := open(t, "")
	ctx := t.Context()
	const size, writes = 1 << 20, 200 // three times what it holds
	value := strings.Repeat("x", size)
	if err := conn.Client.Set(ctx, "endless", "kept", 0).Err(); err != nil {
		t.Fatal(err)
	}
	var stored, refused int
	for i := range writes {
		err := conn.Client.Set(ctx, "key"+strconv.Itoa(i), value, time.Hour+time.Duration(i)*time.Minute).Err()
		switch {
		case err == nil:
			stored++
		case strings.HasPrefix(err.Error(), "OOM"):
			refused++
		default:
			t.Fatal(err)
		}
		if held := conn.Client.DBSize(ctx).Val(); held > 65 {
			t.Fatalf("it holds %d values of 1 MiB", held-1)
		}
	}
	t.Logf("%d stored, %d refused", stored, refused)
	eventually(t, "there is room again", func() bool { return conn.Client.Set(ctx, "last", value, 200*time.Hour).Err() == nil })
	if got := conn.Client.Get(ctx, "endless").Val(); got != "kept" {
		t.Errorf("what never expires was dropped before what does: %q", got)
	}
	if conn.Client.Exists(ctx, "key0").Val() != 0 {
		t.Error("what expires first was kept")
	}
}

// What is held is found out by measuring; a type whose size were not known would
// never be dropped.
func TestEmbeddedMeasuresEveryType(t *testing.T) {
	value := strings.Repeat("x", 1<<20)
	for name, add := range map[string]func(p redis.Pipeliner, key string){
		"list":       func(p redis.Pipeliner, key string) { p.RPush(t.Context(), key, value) },
		"set":        func(p redis.Pipeliner, key string) { p.SAdd(t.Context(), key, value) },
		"hash":       func(p redis.Pipeliner, key string) { p.HSet(t.Context(), key, "field", value) },
		"sorted set": func(p redis.Pipeliner, key string) { p.ZAdd(t.Context(), key, redis.Z{Member: value}) },
		"stream": func(p redis.Pipeliner, key string) {
			p.XAdd(t.Context(), &redis.XAddArgs{Stream: key, Values: []string{"field", value}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := open(t, "")
			for i := range 60 { // more than is held before room is made
				if _, err := conn.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
					add(p, "key"+strconv.Itoa(i))
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "what was added is dropped", func() bool { return conn.Client.DBSize(t.Context()).Val() <= 48 })
		})
	}
}

func TestEmbeddedRefusesWhatCannotFit(t *testing.T) {
	conn := open(t, "")
	ctx := t.Context()
	if err := conn.Client.Set(ctx, "small", "kept", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	err := conn.Client.Set(ctx, "huge", strings.Repeat("x", 65<<20), time.Hour).Err()
	if err == nil || !strings.HasPrefix(err.Error(), "OOM") {
		t.Fatalf("error %v, want OOM", err)
	}
	if got := conn.Client.Get(ctx, "small").Val(); got != "kept" {
		t.Errorf("the other key holds %q", got)
	}
}

func TestEmbeddedIsPrivate(t *testing.T) {
	one, other := open(t, ""), open(t, "")
	if err := one.Client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if other.Client.Exists(t.Context(), "key").Val() != 0 {
		t.Error("two of them share their data")
	}
}

func TestEmbeddedClosed(t *testing.T) {
	conn, err := redisclient.Open("", zerolog.Nop(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if conn.Client.Ping(t.Context()).Err() == nil {
		t.Error("a ping succeeded after it was closed")
	}
}
