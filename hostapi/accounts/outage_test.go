package accounts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hostbot/bot/redisconn/redistest"
)

const (
	beganLine = "the account cache cannot be used"
	overLine  = "the account cache can be used again"
)

func TestWithoutRedisAProcessRemembersForItself(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		f.remembered(t, list("RUNNING"))
		server.Stop()
		asked, too := f.later(t.Context(), soon()), f.later(t.Context(), soon())
		q := f.service.next(t)
		f.SetStatus(t.Context(), user, "a", "newer")
		q.reply(t, reply{list: list("CRASHED")})
		for _, c := range []<-chan outcome{asked, too} {
			if o := receive(t, c); o.err != nil || statusOf(o.snapshot) != "newer" || o.snapshot.Old {
				t.Errorf("without Redis there is %+v, error %v", o.snapshot, o.err)
			}
		}
		f.SetStatus(t.Context(), user, "a", "newest")
		if got := f.look(t); statusOf(got) != "newest" {
			t.Errorf("the next got %+v", got)
		}
		f.Expire(t.Context(), user)
		f.advance(time.Second)
		f.remembered(t, list("STOPPED")) // the service is asked

		if _, err := f.Forget(t.Context(), user); err == nil {
			t.Error("an account is forgotten in a Redis that is gone")
		}
		f.advance(time.Second)
		f.remembered(t, list("RUNNING"))

		server.Restart()
		f.usable(t)
		f.advance(time.Second)
		f.remembered(t, list("back")) // Redis is empty, and what it has counts again
		if got := f.another(); statusOf(f.lookAt(t, got)) != "back" {
			t.Error("it is not in Redis")
		}
	})
}

// usable returns when Redis answers again: the pool finds out by trying.
func (f *fixture) usable(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(safety); f.redis.Ping(t.Context()).Err() != nil; {
		if time.Now().After(limit) {
			t.Fatal("Redis does not come back")
		}
	}
}

func TestAnOutageIsLoggedOnceAndItsEndToo(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		server.Stop()
		for range 3 {
			f.SetStatus(t.Context(), user, "a", "x")
		}
		if n := f.log.count(beganLine); n != 1 {
			t.Errorf("the outage is logged %d times", n)
		}
		server.Restart()
		f.usable(t)
		for range 3 {
			f.SetStatus(t.Context(), user, "a", "x")
		}
		if n := f.log.count(overLine); n != 1 {
			t.Errorf("its end is logged %d times", n)
		}
		if n := f.log.count(beganLine); n != 1 {
			t.Errorf("the outage is logged %d times after its end", n)
		}
	})
}

// A Redis that is full, or a replica, reads and does not write.
func TestARedisThatDoesNotWrite(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.advance(fresh)
		f.seen.onCommand(func(_ context.Context, name string) error {
			if strings.HasPrefix(name, "eval") {
				return errors.New("OOM command not allowed when used memory > 'maxmemory'")
			}
			return nil
		})
		f.remembered(t, list("CRASHED"))
		if got := f.look(t); statusOf(got) != "CRASHED" {
			t.Errorf("the next got %+v", got)
		}
		f.SetStatus(t.Context(), user, "a", "STOPPED")
		if got := f.look(t); statusOf(got) != "STOPPED" {
			t.Errorf("the one after that got %+v", got)
		}
		if n := f.log.count(beganLine); n != 1 {
			t.Errorf("it is logged %d times", n)
		}
	})
}

func TestASlowRedisIsAMiss(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.seen.onCommand(func(ctx context.Context, _ string) error {
			if end, ok := ctx.Deadline(); !ok || time.Until(end) > 250*time.Millisecond {
				return errors.New("a command without a bound of 250 ms")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{list: list("CRASHED")})
		if o := receive(t, asked); o.err != nil || statusOf(o.snapshot) != "CRASHED" {
			t.Errorf("there is %+v, error %v", o.snapshot, o.err)
		}
		f.SetStatus(t.Context(), user, "a", "x")
		f.Expire(t.Context(), user)
		if n := f.log.count("without a bound"); n != 0 {
			t.Error("a command had no bound")
		}
		if n := f.log.count(beganLine); n == 0 {
			t.Error("nothing is logged")
		}
	})
}

func TestOneWhoLeavesIsNoOutage(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := f.Account(ctx, user, soon()); err == nil {
			t.Error("one who has left got an account")
		}
		if n := f.log.count(beganLine); n != 0 {
			t.Error("it is logged as an outage")
		}
	})
}

func TestGarbageIsAMissAndRemoved(t *testing.T) {
	tests := []struct{ name, garbage string }{
		{"empty", ""},
		{"short", "short"},
		{"no entry", "0123456789abcdef\x00\xff"},
		{"JSON", `{"version":1,"userId":"` + user + `","fetchedAt":"2026-01-02T03:04:05Z","list":{"servers":[]}}`},
		{"long", strings.Repeat("\x02", 1<<20)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.remembered(t, list("RUNNING"))
				f.redis.Set(t.Context(), key, test.garbage, 0)
				f.isGarbage(t)
			})
		})
	}
	t.Run("of another kind", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.redis.LPush(t.Context(), key, "x")
			f.isGarbage(t)
		})
	})
}

// isGarbage fails the test unless what Redis holds is taken for nothing.
func (f *fixture) isGarbage(t *testing.T) {
	t.Helper()
	f.SetStatus(t.Context(), user, "a", "x") // changes nothing and breaks nothing
	asked := f.later(t.Context(), soon())
	f.service.next(t).reply(t, reply{err: errors.New("down")})
	if o := receive(t, asked); o.err == nil {
		t.Errorf("from garbage came %+v", o.snapshot)
	}
	if n := f.log.count("makes no sense"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	if n := f.log.count(beganLine); n != 0 {
		t.Error("it counts as an outage")
	}
	f.advance(time.Second) // the pause after a failure
	f.remembered(t, list("RUNNING"))
	if got := f.look(t); statusOf(got) != "RUNNING" {
		t.Errorf("it stays in the way: %+v", got)
	}
}
