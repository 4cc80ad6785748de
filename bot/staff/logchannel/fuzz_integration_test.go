//go:build integration

package logchannel

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// FuzzQueue has anything be in the place of any key of a channel. What is posted afterwards is
// handed out and done, and nothing is left that is not expired some day.
func FuzzQueue(f *testing.F) {
	names := []string{"waiting:1", "entries:1", "delivered:1", "due", "record:1"}
	for way := range byte(8) {
		for key := range names {
			f.Add(byte(key), way, "bad", "{", 0.0)
			f.Add(byte(key), way, "1", "", 1e300)
			f.Add(byte(key), way, "", `{"line":"x"}`, -1e18)
		}
	}
	server, ch := fuzzed(f)
	f.Fuzz(func(t *testing.T, key, way byte, name, value string, score float64) {
		server.FlushAll()
		ctx, client := t.Context(), ch.Redis
		before, after := newKept(Entry{Line: "before"}, time.Now()), newKept(Entry{Line: "after"}, time.Now())
		if _, err := ch.queue.add(ctx, []kept{before}, nil); err != nil {
			t.Fatal(err)
		}
		spoiled := "hostbot:{logs}:" + names[int(key)%len(names)]
		switch way % 8 {
		case 0:
			client.HSet(ctx, spoiled, name, value)
		case 1:
			client.ZAdd(ctx, spoiled, redis.Z{Score: score, Member: name})
		case 2:
			client.ZAdd(ctx, spoiled, redis.Z{Score: score, Member: before.ID})
		case 3:
			client.HSet(ctx, spoiled, before.ID, value)
		case 4:
			client.Set(ctx, spoiled, value, 0)
		case 5:
			client.Del(ctx, spoiled)
		case 6:
			client.Del(ctx, spoiled)
			client.HSet(ctx, spoiled, name, value)
		case 7:
			client.Del(ctx, spoiled)
			client.RPush(ctx, spoiled, value)
		}
		if _, err := ch.queue.add(ctx, []kept{after}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := ch.queue.ask(ctx, []string{before.ID, after.ID}); err != nil {
			t.Fatal(err)
		}
		if due := client.ZScore(ctx, ch.queue.due, "1"); due.Err() != nil || due.Val() > float64(time.Now().Add(time.Hour).UnixMilli()) {
			t.Errorf("it is due at %v", due)
		}
		got := make(map[string]bool)
		for rounds := 0; ; rounds++ {
			if err := ch.bound(ctx, false, time.Now()); err != nil {
				t.Fatal(err)
			}
			entries, err := ch.queue.head(ctx)
			if err != nil || rounds > 5 {
				t.Fatalf("in round %d: %v", rounds, err)
			}
			if len(entries) == 0 {
				break
			}
			var ids []string
			for _, e := range entries {
				got[e.Line] = true
				ids = append(ids, e.ID)
			}
			if err := ch.queue.done(ctx, ids, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if !got["after"] {
			t.Errorf("handed out is %v", got)
		}
		for _, left := range []string{"waiting:1", "entries:1"} {
			if server.Exists("hostbot:{logs}:" + left) {
				t.Errorf("%s is left", left)
			}
		}
	})
}
