package actions_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
)

// quick is DefaultTiming at a tenth, in which a living process renews more often: a busy machine is
// not to make it look like a dead one.
func quick() actions.Timing {
	return actions.Timing{Abandoned: 800 * time.Millisecond, Renew: 50 * time.Millisecond}
}

// replica is a process that carries out actions, as far as Redis can tell.
type replica struct {
	cutOff atomic.Bool // from Discord
	untold atomic.Bool // the caller of what is reported cannot be told
	*actions.Actions
	client   redis.UniversalClient
	reported chan actions.Report
	timing   leader.Timing
	run      func()
	kill     func() // stops it, with its actions left as they are
}

// start starts a replica.
func start(t *testing.T, address string) *replica {
	r := stopped(t, address)
	r.run()
	return r
}

// stopped returns a replica that is stopped before it renews anything, until it is run.
func stopped(t *testing.T, address string) *replica {
	t.Helper()
	r := &replica{client: redistest.Connect(t, address), reported: make(chan actions.Report, 100), kill: func() {}}
	r.timing = leader.Timing{
		Lease: time.Second, Renew: 50 * time.Millisecond, Read: 20 * time.Millisecond, Window: time.Second, Retry: 10 * time.Millisecond,
	}
	var leading *leader.Leader
	r.Actions = actions.New(actions.Config{
		Redis: r.client, Reached: func() time.Duration { return leading.Reached() }, CutOff: r.cutOff.Load, Report: r.report, Log: zerolog.Nop(), Timing: quick(),
	})
	r.run = func() {
		leading = leader.New(leader.Config{Redis: r.client, Name: "replica", Log: zerolog.Nop(), Timing: r.timing})
		leading.Add(r.Work())
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		running.Go(func() { leading.Run(ctx) })
		r.kill = func() { cancel(); running.Wait() }
	}
	t.Cleanup(func() { r.kill() })
	return r
}

// report has staff know of an action, and its caller, if it can.
func (r *replica) report(_ context.Context, report actions.Report) error {
	untold := r.untold.Load()
	report.Lock.Logged()
	r.reported <- report
	if untold {
		return errors.New("the caller is not told")
	}
	return nil
}

// starts starts an action for an interaction that came some time ago.
func (r *replica) starts(t *testing.T, id, action string, ago time.Duration) *actions.Lock {
	t.Helper()
	return acquire(t, r.Actions, actions.Claim{
		Request: &interaction.Request{
			ID: id, UserID: "200", CustomerID: "200", ApplicationID: "1", Locale: "de", Reference: "ABC", ReceivedAt: time.Now().Add(-ago),
			Token: "the-token", Fields: map[string]string{"name": "typed"},
		},
		Action: interaction.Action{Name: action, BotID: "b" + id, BotName: "Shop"},
	})
}

// await returns what one of the replicas reports next.
func await(t *testing.T, one, other *replica) (r actions.Report) {
	t.Helper()
	select {
	case r = <-one.reported:
	case r = <-other.reported:
	case <-time.After(patience.Limit):
		t.Fatal("nothing is reported")
	}
	return r
}

// keys returns those that a Redis holds.
func keys(t *testing.T, client redis.UniversalClient, pattern string) []string {
	t.Helper()
	found, err := redistest.Keys(t.Context(), client, pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit)
	defer cancel()
	if !patience.Eventually(ctx, isSo) {
		t.Fatal("it does not come that " + what)
	}
}

// awaitNone waits until Redis holds no action and no token.
func (r *replica) awaitNone(t *testing.T) {
	t.Helper()
	eventually(t, "Redis holds no action", func() bool {
		return len(keys(t, r.client, "*:token:*"))+len(keys(t, r.client, "*{actions}:due"))+len(keys(t, r.client, hash)) == 0
	})
}
