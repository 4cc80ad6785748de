package shards

import (
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// FuzzWhatRedisHolds has any bytes be the values of the hash's fields. A replica that starts holds all
// shards once the longest lease of others may be over, and follows no number of shards that is out of
// all proportion.
func FuzzWhatRedisHolds(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	for _, value := range []string{"%d 4 1 member", "%d 100000 1 member", "%d inf 1 leaving", "%d nobody {", "%d - ", "", "abc", "99999999999999999999 x y"} {
		f.Add([]byte(value), []byte(value), int64(0))
		f.Add([]byte(value), []byte("%d x {}"), int64(3_600_000))
	}
	const count, most = 3, 48
	server, err := miniredis.Run()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	f.Cleanup(func() { _ = client.Close() })
	f.Fuzz(func(t *testing.T, replica, shard []byte, ahead int64) {
		server.FlushAll()
		server.SetTime(now)
		l := newLeases(client, "", true, DefaultTiming().Lease)
		at := now.UnixMilli() + ahead
		written := func(value []byte) string {
			if len(value) > 2 && string(value[:2]) == "%d" {
				return fmt.Sprint(at, string(value[2:]))
			}
			return string(value)
		}
		server.HSet(l.space.Key(key), "replica x", written(replica))
		for i := range count {
			server.HSet(l.space.Key(key), fmt.Sprintf("shard %d %d", count, i), written(shard))
		}
		r := request{count: count, most: most, phase: joining, take: true}
		got, err := l.sync(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Larger > most || got.Larger < 0 || got.Larger > 0 && got.Larger <= count {
			t.Fatalf("it is to go on with %d shards", got.Larger)
		}
		server.SetTime(now.Add(2 * DefaultTiming().Lease)) // a lease may be dated ahead by as much as it lasts
		if got, err = l.sync(t.Context(), r); err != nil || len(got.Taken) != count {
			t.Fatalf("%+v (%v), want all shards", got, err)
		}
	})
}
