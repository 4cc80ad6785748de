package accounts_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis fails in these ways while an action ends, and what comes of the action
// does not get there.
var failures = map[string]func(ctx context.Context, command string) error{
	"it does not write": func(_ context.Context, command string) error {
		if strings.HasPrefix(command, "eval") {
			return errors.New("READONLY You can't write against a read only replica.")
		}
		return nil
	},
	"it does nothing": func(context.Context, string) error { return errors.New("a moment's trouble") },
}

func eachFailure(t *testing.T, run func(t *testing.T, f *fixture, fail func(context.Context, string) error)) {
	t.Helper()
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) { run(t, f, fail) })
		})
	}
}

func TestAnExpireThatRedisDidNotTakeCountsAllTheSame(t *testing.T) {
	eachFailure(t, func(t *testing.T, f *fixture, fail func(context.Context, string) error) {
		other := f.more(t, 1)[0]
		f.remembered(t, list("STOPPED"))
		f.advance(time.Second)
		f.seen.onCommand(fail)
		f.SetStatus(t.Context(), user, "a", "STARTING")
		f.Expire(t.Context(), user)
		f.seen.onCommand(nil)
		f.remembered(t, list("CRASHED")) // the service is asked
		f.seen.take()
		if got := f.look(t); statusOf(got) != "CRASHED" {
			t.Errorf("the next got %q", statusOf(got))
		}
		if n := len(f.seen.take()); n != 1 {
			t.Errorf("%d commands for one who asked", n)
		}
		if got := f.lookAt(t, other); statusOf(got) != "CRASHED" {
			t.Errorf("another process shows %q", statusOf(got))
		}
	})
}

func TestAStatusThatRedisDidNotTakeIsShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		f.seen.onCommand(failures["it does not write"])
		f.SetStatus(t.Context(), user, "a", "STOPPED")
		f.seen.take()
		if got := f.look(t); statusOf(got) != "STOPPED" {
			t.Errorf("it shows %q", statusOf(got))
		}
		if n := len(f.seen.take()); n != 1 {
			t.Errorf("%d commands for one who asked", n)
		}
		f.seen.onCommand(nil)
		f.SetStatus(t.Context(), user, "b", "RUNNING") // which writes both
		for _, s := range f.lookAt(t, f.more(t, 1)[0]).List.Servers {
			if want := map[string]string{"a": "STOPPED", "b": "RUNNING"}[s.ID]; s.Status != want {
				t.Errorf("another process shows %s as %q, want %q", s.ID, s.Status, want)
			}
		}
	})
}

// A call was under way when the action ended, and what it says is from before.
func TestAnotherProcessesAnswerIsNotTakenForOneToAChangeThatWasLost(t *testing.T) {
	eachFailure(t, func(t *testing.T, f *fixture, fail func(context.Context, string) error) {
		other := f.more(t, 1)[0]
		early := later(t.Context(), other, soon())
		q := f.service.next(t)
		f.seen.onCommand(fail)
		f.SetStatus(t.Context(), user, "a", "STARTING")
		f.Expire(t.Context(), user)
		f.seen.onCommand(nil)
		q.reply(t, reply{list: list("stale")})
		receive(t, early)
		f.advance(time.Second)
		f.remembered(t, list("CRASHED")) // the service is asked
		if got := f.lookAt(t, other); statusOf(got) != "CRASHED" {
			t.Errorf("another process shows %q", statusOf(got))
		}
	})
}

// Redis took the claim, and fails until after the answer.
func TestAnAnswerThatRedisDidNotTakeIsWrittenLater(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		f.seen.onCommand(failures["it does not write"])
		q.reply(t, reply{list: list("RUNNING")})
		if o := receive(t, asked); o.err != nil {
			t.Fatal(o.err)
		}
		f.seen.onCommand(nil)
		if o := receive(t, later(t.Context(), f.more(t, 1)[0], soon())); o.err != nil || statusOf(o.snapshot) != "RUNNING" {
			t.Errorf("another process got %+v, error %v", o.snapshot, o.err)
		}
	})
}

// Of a cluster a part fails, and the accounts that are there stay with the
// process, whatever goes well elsewhere.
func TestWhatRedisTakesOfOneAccountDoesNotDropAnother(t *testing.T) {
	const other = "80351110224678913"
	each(t, func(t *testing.T, f *fixture) {
		f.redis.AddHook(lacking{key})
		f.remembered(t, list("RUNNING"))
		asked := make(chan error, 1)
		go func() {
			_, err := f.Account(t.Context(), other, soon())
			asked <- err
		}()
		f.service.next(t).reply(t, reply{list: list("STOPPED")})
		if err := receive(t, asked); err != nil {
			t.Fatal(err)
		}
		if n := f.redis.Exists(t.Context(), strings.Replace(key, user, other, 1)).Val(); n != 1 {
			t.Fatal("the other account is not in Redis")
		}
		if got := f.look(t); statusOf(got) != "RUNNING" {
			t.Errorf("it shows %q", statusOf(got))
		}
	})
}

// lacking is a cluster without the node that has a key.
type lacking struct{ key string }

func (l lacking) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l lacking) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l lacking) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if slices.Contains(cmd.Args(), any(l.key)) {
			err := errors.New("CLUSTERDOWN Hash slot not served")
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}
