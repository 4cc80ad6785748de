package accounts_test

import (
	"context"
	"encoding/json"
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

func TestARedisThatIsGoneIsAMiss(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		f.remembered(t, list("RUNNING"))
		server.Stop()
		for range 3 {
			asked, too := f.later(t.Context(), soon()), f.later(t.Context(), soon())
			q := f.service.next(t)
			f.SetStatus(t.Context(), user, "a", "newer")
			q.reply(t, reply{list: list("CRASHED")})
			for _, c := range []<-chan outcome{asked, too} {
				select {
				case o := <-c:
					if o.err != nil || statusOf(o.snapshot) != "newer" || o.snapshot.Old {
						t.Errorf("without Redis there is %+v, error %v", o.snapshot, o.err)
					}
				case q := <-f.service.calls: // too late to share the first
					q.reply(t, reply{list: list("newer")})
					receive(t, c)
				case <-time.After(safety):
					t.Fatal("nothing came")
				}
			}
			f.quiet(t)
		}
	})
}

func TestAnOutageIsLoggedOnceAndItsEndToo(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		server.Stop()
		for range 3 {
			asked := f.later(t.Context(), soon())
			select {
			case q := <-f.service.calls:
				q.reply(t, reply{list: list("RUNNING")})
				receive(t, asked)
			case <-asked: // which shared a call that was not stored yet
			}
			f.SetStatus(t.Context(), user, "a", "x")
		}
		f.Close()                                // so that nothing is still being stored
		if n := f.log.count(beganLine); n != 2 { // reading and writing, each once
			t.Errorf("the outage is logged %d times", n)
		}
		server.Restart()
		for limit := time.Now().Add(safety); f.log.count(overLine) < 2 && time.Now().Before(limit); {
			f.SetStatus(t.Context(), user, "a", "x") // the pool finds out by trying
			_, _ = f.Account(t.Context(), user, soon())
		}
		f.SetStatus(t.Context(), user, "a", "x")
		if n := f.log.count(overLine); n != 2 {
			t.Errorf("its end is logged %d times", n)
		}
		if n := f.log.count(beganLine); n != 2 {
			t.Errorf("the outage is logged %d times after its end", n)
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
	entry := func(change func(map[string]any)) func(*testing.T, *fixture) string {
		return func(t *testing.T, f *fixture) string {
			t.Helper()
			var fields map[string]any
			if err := json.Unmarshal([]byte(f.redis.Get(t.Context(), key).Val()), &fields); err != nil {
				t.Fatal(err)
			}
			change(fields)
			changed, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			return string(changed)
		}
	}
	text := func(s string) func(*testing.T, *fixture) string {
		return func(*testing.T, *fixture) string { return s }
	}
	tests := []struct {
		name    string
		garbage func(*testing.T, *fixture) string
	}{
		{"empty", text("")},
		{"no JSON", text("\x00\xff")},
		{"null", text("null")},
		{"list", text("[]")},
		{"deep", text(strings.Repeat(`{"list":`, 20000))},
		{"another version", entry(func(e map[string]any) { e["version"] = 2 })},
		{"another's", entry(func(e map[string]any) { e["userId"] = "1" })},
		{"from the future", entry(func(e map[string]any) { e["fetchedAt"] = time.Now().Add(time.Hour) })},
		{"from no time", entry(func(e map[string]any) { e["fetchedAt"] = "soon" })},
		{"no list", entry(func(e map[string]any) { delete(e, "list") })},
		{"list of another type", entry(func(e map[string]any) { e["list"] = "none" })},
		{"server without id", entry(func(e map[string]any) { e["list"].(map[string]any)["servers"].([]any)[0].(map[string]any)["id"] = "" })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.remembered(t, list("RUNNING"))
				f.redis.Set(t.Context(), key, test.garbage(t, f), 0)
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
	for range 2 {
		asked := f.later(t.Context(), soon())
		f.service.next(t).reply(t, reply{err: errors.New("down")})
		if o := receive(t, asked); o.err == nil {
			t.Errorf("from garbage came %+v", o.snapshot)
		}
		f.quiet(t)
	}
	if n := f.log.count("makes no sense"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	if n := f.log.count(beganLine); n != 0 {
		t.Error("it counts as an outage")
	}
	f.remembered(t, list("RUNNING"))
	if got := f.look(t); statusOf(got) != "RUNNING" {
		t.Errorf("it stays in the way: %+v", got)
	}
}
