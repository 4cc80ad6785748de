package alerts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/watch/schedule"
	"hostbot/hostapi/redistest"
)

// clockwork is a leader that restarts bots by the clock, at a time that the test sets.
type clockwork struct {
	*schedule.Schedules
	redis     redis.UniversalClient
	now       time.Time
	senseless bool     // the bots do not run
	refusal   error    // of each attempt
	made      []string // IDs of attempts
	counted   []string
	killed    context.CancelFunc // if set, the leader dies in the next attempt
}

func newClockwork(t *testing.T, url string, now time.Time) *clockwork {
	c := &clockwork{now: now, redis: redistest.Connect(t, url)}
	c.Schedules = schedule.New(schedule.Config{
		Redis: c.redis, Rate: 1000, Now: func() time.Time { return c.now }, Log: zerolog.Nop(),
		Count: func(what string) { c.counted = append(c.counted, what) },
		Restart: func(_ context.Context, id, _, _ string) (bool, error) {
			if c.refusal != nil || c.senseless {
				return false, c.refusal
			}
			c.made = append(c.made, id)
			if c.killed != nil {
				c.killed()
			}
			return true, nil
		},
	})
	return c
}

// until has the leader work on all records at a time, whenever they are due by the clock of Redis.
func (c *clockwork) until(ctx context.Context, t *testing.T, now time.Time) {
	t.Helper()
	c.now = now
	all, err := c.redis.ZRange(t.Context(), c.Work().Due, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range all {
		if err := c.redis.ZAdd(t.Context(), c.Work().Due, redis.Z{Member: id}).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Work().Reconcile(ctx, id); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
	}
}

// next returns when the bot "a" of the customer "1" is restarted next.
func (c *clockwork) next(t *testing.T) time.Time {
	t.Helper()
	s, err := c.Get(t.Context(), "1", "a")
	if err != nil || s == nil {
		t.Fatalf("there is no schedule (%v)", err)
	}
	return s.Next
}

func (c *clockwork) set(t *testing.T, s schedule.Schedule) {
	t.Helper()
	if s.ServerID = "a"; c.Set(t.Context(), "1", s) != nil {
		t.Fatal("it cannot be set")
	}
}

func (c *clockwork) wantMade(t *testing.T, n int, counted ...string) {
	t.Helper()
	if len(c.made) != n || !slices.Equal(c.counted, counted) {
		t.Errorf("%d restarts, and %q, want %d, and %q", len(c.made), c.counted, n, counted)
	}
}

// TestScheduleIsOnceADay in the time zone of the owner, also as clocks are changed, or every so many hours.
func TestScheduleIsOnceADay(t *testing.T) {
	for name, test := range map[string]struct {
		schedule.Schedule
		from string
		want []string
	}{
		"today":     {schedule.Schedule{At: 4*60 + 30, Zone: "Europe/Berlin"}, "2026-11-28T03:00:00Z", []string{"2026-11-28T03:30:00Z", "2026-11-29T03:30:00Z"}},
		"to summer": {schedule.Schedule{At: 2*60 + 30, Zone: "Europe/Berlin"}, "2026-03-28T12:00:00Z", []string{"2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"}},
		"to winter": {schedule.Schedule{At: 2*60 + 30, Zone: "Europe/Berlin"}, "2026-10-24T12:00:00Z", []string{"2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"}},
		"hours":     {schedule.Schedule{Hours: 36}, "2026-11-28T03:00:07Z", []string{"2026-11-29T15:00:07Z", "2026-12-01T03:00:07Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			from, err := time.Parse(time.RFC3339, test.from)
			if err != nil {
				t.Fatal(err)
			}
			c := newClockwork(t, redistest.StartMiniredis(t).URL(), from)
			c.set(t, test.Schedule)
			for i, want := range test.want {
				if is := c.next(t).UTC().Format(time.RFC3339); is != want {
					t.Errorf("restart %d is at %s, want %s", i, is, want)
				}
				c.until(t.Context(), t, c.next(t).Add(time.Minute))
			}
			c.wantMade(t, 2, "restarted", "restarted")
		})
	}
}

// TestScheduleIsMadeUp within ten minutes, while the service fails or nobody leads, and not later; a bot that does not run is left alone.
func TestScheduleIsMadeUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		start := time.Now()
		c := newClockwork(t, url, start)
		c.set(t, schedule.Schedule{Hours: 1})
		c.until(t.Context(), t, start.Add(59*time.Minute))
		c.refusal = errors.New("away")
		c.until(t.Context(), t, start.Add(61*time.Minute))
		c.wantMade(t, 0)
		c.refusal = nil
		c.until(t.Context(), t, start.Add(70*time.Minute))
		c.until(t.Context(), t, start.Add(71*time.Minute))
		c.wantMade(t, 1, "restarted")
		c.until(t.Context(), t, start.Add(131*time.Minute)) // eleven too late
		c.wantMade(t, 1, "restarted", "missed")
		c.senseless = true
		c.until(t.Context(), t, start.Add(181*time.Minute))
		c.senseless = false
		c.until(t.Context(), t, start.Add(182*time.Minute))
		c.wantMade(t, 1, "restarted", "missed", "skipped")
		c.until(t.Context(), t, start.Add(24*time.Hour+time.Minute))
		c.wantMade(t, 2, "restarted", "missed", "skipped", "restarted")
	})
}

// TestNextLeaderMakesTheSameScheduledRestart that a leader began as it died, under the same ID.
func TestNextLeaderMakesTheSameScheduledRestart(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		start := time.Now()
		first, second := newClockwork(t, url, start), newClockwork(t, url, start)
		first.set(t, schedule.Schedule{Hours: 1})
		dying, kill := context.WithCancel(t.Context())
		first.killed = kill
		first.until(dying, t, start.Add(61*time.Minute))
		second.until(t.Context(), t, start.Add(62*time.Minute))
		if len(second.made) != 1 || !slices.Equal(first.made, second.made) {
			t.Errorf("the attempts are %q and then %q", first.made, second.made)
		}
		first.wantMade(t, 1)
	})
}

// TestSchedulesAreFew for an account, and those of one minute are spread over it.
func TestSchedulesAreFew(t *testing.T) {
	c := newClockwork(t, redistest.StartMiniredis(t).URL(), time.Now())
	for i := range schedule.Most {
		if err := c.Set(t.Context(), "1", schedule.Schedule{ServerID: fmt.Sprint(i), Hours: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Set(t.Context(), "1", schedule.Schedule{ServerID: "one more", Hours: 1}); !errors.Is(err, schedule.ErrTooMany) {
		t.Errorf("one more is set (%v)", err)
	}
	if err := c.Set(t.Context(), "1", schedule.Schedule{ServerID: "0", Hours: 2}); err != nil {
		t.Errorf("one of them cannot be changed: %v", err)
	}
	due, err := c.redis.ZRangeWithScores(t.Context(), c.Work().Due, 0, -1).Result()
	if spread := due[schedule.Most-2].Score - due[0].Score; err != nil || spread < 10_000 || spread > 60_000 {
		t.Errorf("they begin within %v ms (%v)", spread, err)
	}
	if known, err := c.Forget(t.Context(), "1"); !known || err != nil {
		t.Errorf("they are not forgotten (%v)", err)
	}
	if n, err := c.Bots(t.Context()); n != 0 || err != nil {
		t.Errorf("%d are left (%v)", n, err)
	}
}
