package store_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/record"
	"hostbot/hostapi/redistest"
)

// counter is what the records of these tests hold.
type counter struct {
	N int `json:"n"`
}

func counters(t *testing.T, url string) *record.Kind[counter] {
	t.Helper()
	return &record.Kind[counter]{Redis: redistest.Connect(t, url), Name: "counters", Format: 2}
}

func add(t *testing.T, k *record.Kind[counter], id string) *record.Record[counter] {
	t.Helper()
	r, err := k.Add(t.Context(), id, "42", counter{}, time.Hour, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// take takes what is due, which then is due in an hour.
func take(t *testing.T, k *record.Kind[counter]) (ids []string, taken []*record.Record[counter]) {
	t.Helper()
	found, err := k.Redis.ZRange(t.Context(), k.DueKey(), 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range found {
		r, again, err := k.Take(t.Context(), id, time.Hour)
		if err != nil && !errors.Is(err, record.ErrUnreadable) {
			t.Fatal(err)
		}
		if r == nil {
			continue
		}
		if again != 0 {
			t.Errorf("%s is taken, and due in %v", id, again)
		}
		ids, taken = append(ids, id), append(taken, r)
	}
	slices.Sort(ids)
	return ids, taken
}

func hasten(t *testing.T, k *record.Kind[counter], ids ...string) {
	t.Helper()
	if err := k.Hasten(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
}

func TestRecordIsDue(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		r := add(t, k, "a")
		add(t, k, "b")
		if due, _ := take(t, k); len(due) != 0 {
			t.Fatalf("%q are due though somebody works on them", due)
		}
		r.Value.N, r.Count = 7, "seen"
		for range 2 { // of which the first is counted
			if err := k.Save(t.Context(), r, 0); err != nil {
				t.Fatal(err)
			}
		}
		if seen := k.Redis.HGet(t.Context(), "hostbot:{counters}:counts", "seen").Val(); seen != "1" {
			t.Errorf("counted: %q", seen)
		}
		due, taken := take(t, k)
		if len(due) != 1 || taken[0].ID != "a" || taken[0].Value.N != 7 || taken[0].Owner != "42" || taken[0].Read == 0 {
			t.Fatalf("due: %+v", taken)
		}
		if due, _ := take(t, k); len(due) != 0 {
			t.Errorf("%q are taken twice", due)
		}
		hasten(t, k, "a", "none")
		if due, _ := take(t, k); !slices.Equal(due, []string{"a"}) {
			t.Errorf("hastened: %q", due)
		}
	})
}

// TestRecordOfWhoDied is taken and never saved.
func TestRecordOfWhoDied(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		add(t, k, "a")
		hasten(t, k, "a")
		if taken, _, err := k.Take(t.Context(), "a", 0); err != nil || taken == nil { // for no time at all
			t.Fatalf("%v, %v", taken, err)
		}
		if due, _ := take(t, k); !slices.Equal(due, []string{"a"}) {
			t.Errorf("due: %q", due)
		}
	})
}

// TestHastenedWhileSomebodyWorks: the change that somebody told of may have come too late
// for the one who works on the record.
func TestHastenedWhileSomebodyWorks(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		add(t, k, "a")
		hasten(t, k, "a")
		_, taken := take(t, k)
		if err := k.Save(t.Context(), taken[0], record.Keep); err != nil {
			t.Fatal(err)
		}
		hasten(t, k, "a")
		if err := k.Save(t.Context(), taken[0], time.Hour); err != nil {
			t.Fatal(err)
		}
		if due, _ := take(t, k); !slices.Equal(due, []string{"a"}) {
			t.Errorf("due: %q", due)
		}
	})
}

func TestConflicts(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		early := add(t, k, "a")
		hasten(t, k, "a")
		_, taken := take(t, k)
		if err := k.Save(t.Context(), taken[0], time.Hour); err != nil {
			t.Fatal(err)
		}
		conflict := func(what string) {
			t.Helper()
			if err := k.Save(t.Context(), early, 0); !errors.Is(err, record.ErrConflict) {
				t.Errorf("%s: %v", what, err)
			}
		}
		conflict("saved by another")
		if last, left, err := k.Remove(t.Context(), "a", "42"); err != nil || last == nil || left != 0 {
			t.Fatalf("%v, %d, %v", last, left, err)
		}
		conflict("removed")
		add(t, k, "a")
		conflict("added anew")
		if due, _ := take(t, k); len(due) != 0 {
			t.Errorf("who was refused made %q due", due)
		}
		if last, _, err := k.Remove(t.Context(), "none", "42"); err != nil || last != nil {
			t.Errorf("%v, %v", last, err)
		}
	})
}

func TestOwners(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		for i := range 3 {
			if _, err := k.Add(t.Context(), strconv.Itoa(i), "42", counter{i}, time.Hour, 3); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := k.Add(t.Context(), "3", "42", counter{}, time.Hour, 3); !errors.Is(err, record.ErrTooMany) {
			t.Errorf("one too many: %v", err)
		}
		if _, err := k.Add(t.Context(), "0", "42", counter{}, time.Hour, 9); !errors.Is(err, record.ErrExists) {
			t.Errorf("the same again: %v", err)
		}
		if _, err := k.Add(t.Context(), "4", "43", counter{}, time.Hour, 3); err != nil {
			t.Errorf("another owner's: %v", err)
		}
		own, err := k.Of(t.Context(), "42")
		if err != nil || len(own) != 3 {
			t.Fatalf("%v, %v", own, err)
		}
		for _, r := range own {
			if strconv.Itoa(r.Value.N) != r.ID {
				t.Errorf("%s holds %d", r.ID, r.Value.N)
			}
		}
		if none, err := k.Of(t.Context(), "44"); err != nil || len(none) != 0 {
			t.Errorf("%v, %v", none, err)
		}
	})
}

// TestNobodyOverwrites has many add to one number at once.
func TestNobodyOverwrites(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k := counters(t, url)
		add(t, k, "a")
		const people, each = 8, 10
		var working sync.WaitGroup
		for range people {
			working.Go(func() {
				for done := 0; done < each; {
					r, err := k.Update(context.Background(), "a", "42", time.Hour, func(c *counter) bool { c.N++; return true })
					switch {
					case r != nil:
						done++
					case !errors.Is(err, record.ErrConflict):
						t.Errorf("%v, %v", r, err)
						return
					}
				}
			})
		}
		working.Wait()
		if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 1 || own[0].Value.N != people*each {
			t.Errorf("%+v, %v", own, err)
		}
		for id, change := range map[string]bool{"a": false, "none": true} {
			if r, err := k.Update(t.Context(), id, "42", 0, func(*counter) bool { return change }); r != nil || err != nil {
				t.Errorf("%s is changed although nothing is to be: %+v, %v", id, r, err)
			}
		}
	})
}

// TestUnreadableRecords: what cannot be decoded is told of, and holds up nothing else. It is kept for a
// while, and can be removed. What a later version has written is left alone.
func TestUnreadableRecords(t *testing.T) {
	const key = "hostbot:{counters}:record:bad"
	for name, spoil := range map[string]func(ctx context.Context, c redis.UniversalClient) error{
		"garbage": func(ctx context.Context, c redis.UniversalClient) error { return c.HSet(ctx, key, "r", "{").Err() },
		"another type": func(ctx context.Context, c redis.UniversalClient) error {
			return c.HSet(ctx, key, "r", `{"n":"x"}`).Err()
		},
		"no format":  func(ctx context.Context, c redis.UniversalClient) error { return c.HDel(ctx, key, "f").Err() },
		"no version": func(ctx context.Context, c redis.UniversalClient) error { return c.HDel(ctx, key, "v").Err() },
		"a version that is no number": func(ctx context.Context, c redis.UniversalClient) error {
			return c.HSet(ctx, key, "v", "\xff{").Err()
		},
		"null":      func(ctx context.Context, c redis.UniversalClient) error { return c.HSet(ctx, key, "r", "null").Err() },
		"no record": func(ctx context.Context, c redis.UniversalClient) error { return c.Del(ctx, key).Err() },
		"a later format": func(ctx context.Context, c redis.UniversalClient) error {
			return c.HSet(ctx, key, "f", 3, "r", "?").Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, url string) {
				k := counters(t, url)
				for _, id := range []string{"good", "bad", "fine"} {
					add(t, k, id)
				}
				hasten(t, k, "bad", "fine", "good")
				if err := spoil(t.Context(), k.Redis); err != nil {
					t.Fatal(err)
				}
				unreadable := name != "no record" && name != "a later format"
				if r, again, err := k.Take(t.Context(), "bad", time.Hour); r != nil || again != 0 || errors.Is(err, record.ErrUnreadable) != unreadable {
					t.Errorf("taken: %v, %v, %v", r, again, err)
				}
				if due, _ := take(t, k); !slices.Equal(due, []string{"fine", "good"}) {
					t.Errorf("due: %q", due)
				}
				if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 2 {
					t.Errorf("own: %v, %v", own, err)
				}
				if kept := k.Redis.PTTL(t.Context(), key).Val(); (kept > 24*time.Hour) != unreadable {
					t.Errorf("it is kept for %v", kept)
				}
				if err := k.RemoveUnreadable(t.Context(), "42"); err != nil {
					t.Error(err)
				}
				if left := k.Redis.Exists(t.Context(), key).Val(); (left == 1) != (name == "a later format") {
					t.Errorf("after it was removed: %d", left)
				}
				if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 2 {
					t.Errorf("own: %v, %v", own, err)
				}
			})
		})
	}
}

// FuzzRecord has Redis hold anything in the place of a record. The other one is there, and can be worked
// on; this one can be removed.
func FuzzRecord(f *testing.F) {
	for _, data := range []string{`{"n":1}`, "{", "null", "[]", "", "\xff", `{"n":"x"}`} {
		f.Add("1", "2", data)
		f.Add("1e9", "99", data)
		f.Add("", "", data)
		f.Add("\xff{", "-1", data)
	}
	client := redistest.Connect(f, redistest.StartMiniredis(f).URL())
	f.Fuzz(func(t *testing.T, version, format, data string) {
		client.FlushAll(t.Context())
		k := &record.Kind[counter]{Redis: client, Name: "counters", Format: 2}
		for _, id := range []string{"good", "bad"} {
			if _, err := k.Add(t.Context(), id, "42", counter{}, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		client.HSet(t.Context(), "hostbot:{counters}:record:bad", "v", version, "f", format, "r", data)
		r, _, err := k.Take(t.Context(), "bad", time.Hour)
		if (r != nil) == errors.Is(err, record.ErrUnreadable) && r != nil || err != nil && !errors.Is(err, record.ErrUnreadable) {
			t.Errorf("taken: %v, %v", r, err)
		}
		if r, _, err := k.Take(t.Context(), "good", time.Hour); err != nil || r == nil {
			t.Errorf("the good one is %v, %v", r, err)
		} else if err := k.Save(t.Context(), r, time.Hour); err != nil {
			t.Errorf("the good one is not saved: %v", err)
		}
		if own, err := k.Of(t.Context(), "42"); err != nil || len(own) == 0 {
			t.Errorf("own: %v, %v", own, err)
		}
		if _, _, err := k.Remove(t.Context(), "bad", "42"); err != nil {
			t.Errorf("the bad one cannot be removed: %v", err)
		}
	})
}
