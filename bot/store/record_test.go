package store_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// aside are the IDs of the records that were set aside.
type aside struct {
	mu  sync.Mutex
	ids []string
}

func (a *aside) told(id string, reason error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids = append(a.ids, id+": "+reason.Error())
}

func counters(t *testing.T, url string) (*record.Kind[counter], *aside) {
	t.Helper()
	told := &aside{}
	return &record.Kind[counter]{Redis: redistest.Connect(t, url), Name: "counters", Format: 2, Aside: told.told}, told
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
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		k.Mend(t.Context())
	} else if err != nil {
		t.Fatal(err)
	}
	for _, id := range found {
		r, again, err := k.Take(t.Context(), id, time.Hour)
		if err != nil && !strings.Contains(err.Error(), "WRONGTYPE") {
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
		k, _ := counters(t, url)
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
		k, _ := counters(t, url)
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
		k, _ := counters(t, url)
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
		k, _ := counters(t, url)
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
		k, _ := counters(t, url)
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
		k, _ := counters(t, url)
		add(t, k, "a")
		const people, each = 8, 10
		var conflicts atomic.Int64
		var working sync.WaitGroup
		for range people {
			working.Go(func() {
				for done := 0; done < each; {
					own, err := k.Of(context.Background(), "42")
					if err != nil || len(own) != 1 {
						t.Errorf("%v, %v", own, err)
						return
					}
					own[0].Value.N++
					switch err := k.Save(context.Background(), own[0], time.Hour); {
					case err == nil:
						done++
					case errors.Is(err, record.ErrConflict):
						conflicts.Add(1)
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		working.Wait()
		if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 1 || own[0].Value.N != people*each {
			t.Errorf("%+v, %v after %d conflicts", own, err, conflicts.Load())
		}
	})
}

// TestUnreadableRecords: what cannot be read is set aside, and holds up nothing else.
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
		"a list":    func(ctx context.Context, c redis.UniversalClient) error { return replace(ctx, c, key) },
		"no record": func(ctx context.Context, c redis.UniversalClient) error { return c.Del(ctx, key).Err() },
		"a later format": func(ctx context.Context, c redis.UniversalClient) error {
			return c.HSet(ctx, key, "f", 3, "r", "?").Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, url string) {
				for _, first := range []string{"due", "own"} {
					k, told := counters(t, url)
					for _, id := range []string{"good", "bad", "fine"} {
						add(t, k, id)
					}
					hasten(t, k, "bad", "fine", "good")
					if err := spoil(t.Context(), k.Redis); err != nil {
						t.Fatal(err)
					}
					if first == "due" {
						if due, _ := take(t, k); !slices.Equal(due, []string{"fine", "good"}) {
							t.Errorf("due: %q", due)
						}
					}
					if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 2 {
						t.Errorf("own: %v, %v", own, err)
					}
					wantAside(t, k, told, name != "no record" && name != "a later format")
					if _, _, err := k.Remove(t.Context(), "bad", "42"); err != nil {
						t.Error(err)
					}
					for _, id := range []string{"good", "fine"} {
						if _, _, err := k.Remove(t.Context(), id, "42"); err != nil {
							t.Error(err)
						}
					}
					if err := k.Redis.Del(t.Context(), "hostbot:{counters}:aside:record:bad").Err(); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// replace puts a list in the place of a record.
func replace(ctx context.Context, c redis.UniversalClient, key string) error {
	return errors.Join(c.Del(ctx, key).Err(), c.RPush(ctx, key, "x").Err())
}

// wantAside checks whether the bad record was set aside and told of once, also if it is asked
// for again.
func wantAside(t *testing.T, k *record.Kind[counter], told *aside, wanted bool) {
	t.Helper()
	if _, err := k.Of(t.Context(), "42"); err != nil {
		t.Error(err)
	}
	kept, err := k.Redis.PTTL(t.Context(), "hostbot:{counters}:aside:record:bad").Result()
	if err != nil || (kept > 24*time.Hour) != wanted {
		t.Errorf("it is kept for %v, %v", kept, err)
	}
	told.mu.Lock()
	defer told.mu.Unlock()
	if (len(told.ids) == 1) != wanted || len(told.ids) > 1 {
		t.Errorf("told: %q", told.ids)
	}
}

// TestIndexesThatMakeNoSense has Redis hold a list in the place of what is due, or of an
// owner's records. Both fill again.
func TestIndexesThatMakeNoSense(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		k, told := counters(t, url)
		for _, id := range []string{"a", "b"} {
			add(t, k, id)
		}
		for _, key := range []string{"due", "of:42"} {
			if err := replace(t.Context(), k.Redis, "hostbot:{counters}:"+key); err != nil {
				t.Fatal(err)
			}
		}
		if due, _ := take(t, k); len(due) != 0 {
			t.Errorf("due at first: %q", due)
		}
		due, taken := take(t, k)
		if !slices.Equal(due, []string{"a", "b"}) {
			t.Fatalf("due: %q", due)
		}
		for _, r := range taken {
			if err := k.Save(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if own, err := k.Of(t.Context(), "42"); err != nil || len(own) != 2 {
			t.Errorf("own: %v, %v", own, err)
		}
		if len(told.ids) != 2 {
			t.Errorf("told: %q", told.ids)
		}
	})
}
