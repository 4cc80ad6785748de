//go:build integration

package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/record"
	"hostbot/hostapi/redistest"
)

// spoilings write anything into a key, by their number: a field, a member or a text with a value.
func spoilings() []func(ctx context.Context, c redis.UniversalClient, key, name, value string, score float64) {
	type ctx = context.Context
	type client = redis.UniversalClient
	return []func(c ctx, r client, key, name, value string, score float64){
		func(c ctx, r client, key, name, value string, _ float64) { r.HSet(c, key, name, value) },
		func(c ctx, r client, key, name, _ string, _ float64) { r.HDel(c, key, name) },
		func(c ctx, r client, key, name, _ string, score float64) {
			r.ZAdd(c, key, redis.Z{Score: score, Member: name})
		},
		func(c ctx, r client, key, name, _ string, _ float64) { r.SAdd(c, key, name) },
		func(c ctx, r client, key, _, value string, _ float64) { r.Set(c, key, value, 0) },
		func(c ctx, r client, key, name, value string, _ float64) { r.Del(c, key); r.HSet(c, key, name, value) },
		func(c ctx, r client, key, name, _ string, _ float64) { r.Del(c, key); r.RPush(c, key, name) },
		func(c ctx, r client, key, _, _ string, _ float64) { r.Del(c, key) },
	}
}

// FuzzRecords has anything be in the place of one record, of its owner's, of what is due or of the
// counts. The other record is there, and can be worked on.
func FuzzRecords(f *testing.F) {
	names := []string{"record:bad", "due", "of:42", "of:7", "counts"}
	for way := range spoilings() {
		for key := range names {
			f.Add(byte(key), byte(way), "r", "{", 0.0)
			f.Add(byte(key), byte(way), "v", "1e9", 9e15)
			f.Add(byte(key), byte(way), "f", "99", -1.0)
			f.Add(byte(key), byte(way), "bad", "null", 1e300)
			f.Add(byte(key), byte(way), "seen", "\xff", 1.5)
			f.Add(byte(key), byte(way), "", "", 0.0)
		}
	}
	server, err := miniredis.Run()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	client := redistest.Connect(f, "redis://"+server.Addr())
	f.Fuzz(func(t *testing.T, key, way byte, name, value string, score float64) {
		server.FlushAll()
		told := 0
		k := &record.Kind[counter]{Redis: client, Name: "counters", Format: 2, Aside: func(string, error) { told++ }}
		for id, owner := range map[string]string{"good": "7", "bad": "42"} {
			if _, err := k.Add(t.Context(), id, owner, counter{}, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		spoiled := names[int(key)%len(names)]
		spoilings()[int(way)%len(spoilings())](t.Context(), client, "hostbot:{counters}:"+spoiled, name, value, score)

		work(t, k, "bad") // whatever becomes of it
		good := work(t, k, "good")
		lost := spoiled == "due" && errors.Is(client.ZScore(t.Context(), k.DueKey(), "good").Err(), redis.Nil)
		later := spoiled == "due" && name == "good" // it has another time
		if good != 1 && !lost && !later {
			t.Errorf("the good one was saved %d times", good)
		}
		if r, err := k.Get(t.Context(), "good", "7"); err != nil || r == nil {
			t.Errorf("the good one is %v, %v", r, err)
		}
		if own, err := k.Of(t.Context(), "7"); err != nil || len(own) > 2 || spoiled != "of:7" && spoiled != "record:bad" && len(own) != 1 {
			t.Errorf("the owner has %v, %v", own, err)
		}
		if told > 2 {
			t.Errorf("it is told %d times", told)
		}
		if _, _, err := k.Remove(t.Context(), "bad", "42"); err != nil {
			t.Errorf("the bad one cannot be removed: %v", err)
		}
		if last, _, err := k.Remove(t.Context(), "good", "7"); err != nil || last == nil {
			t.Errorf("the good one cannot be removed: %v, %v", last, err)
		}
	})
}

// work takes a record as the leader does, twice where the first attempt mends something, and saves
// it. It returns how often that went well.
func work(t *testing.T, k *record.Kind[counter], id string) (saved int) {
	t.Helper()
	for range 2 {
		k.Mend(t.Context())
		r, _, err := k.Take(t.Context(), id, time.Hour)
		if err != nil || r == nil {
			continue
		}
		r.Count = "seen"
		switch err := k.Save(t.Context(), r, time.Hour); {
		case err == nil:
			saved++
		case errors.Is(err, record.ErrConflict) && id == "good":
			t.Error("it is taken for another's")
		}
	}
	return saved
}
