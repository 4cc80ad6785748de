package accounts_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/redisconn/redistest"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	user  = "80351110224678912"
	key   = "hostbot:v2:account:" + user
	fresh = 30 * time.Second
	keep  = 24 * time.Hour
	// patience is longer than a test waits, as it is real time.
	patience = 2 * safety
	// safety ends a test that waits for what does not come.
	safety = 30 * time.Second
)

// service answers calls one by one, as a test tells it to.
type service struct {
	calls chan question
}

type question struct {
	ctx    context.Context
	userID string
	answer chan reply
}

type reply struct {
	list hostapi.List
	err  error
}

func (s *service) List(ctx context.Context, userID string) (hostapi.List, error) {
	q := question{ctx, userID, make(chan reply)}
	select {
	case s.calls <- q:
	case <-ctx.Done():
		return hostapi.List{}, ctx.Err()
	}
	select {
	case r := <-q.answer:
		return r.list, r.err
	case <-ctx.Done():
		return hostapi.List{}, ctx.Err()
	}
}

// reply ends the call, which goes on from there even where it is canceled next.
func (q question) reply(t testing.TB, r reply) {
	t.Helper()
	select {
	case q.answer <- r:
	case <-time.After(safety):
		t.Fatal("the call is not there any more")
	}
}

// next waits for the next call.
func (s *service) next(t testing.TB) question {
	t.Helper()
	return receive(t, s.calls)
}

func receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(safety):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// list is an account in which server a has a status.
func list(status string) hostapi.List {
	return hostapi.List{
		Servers: []hostapi.Server{
			{ID: "a", Name: "one <3", Status: status, RAMMB: 512, CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC)},
			{ID: "b", Status: "STOPPED"},
		},
		Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 5, ServerCount: 2},
	}
}

// fixture is a cache with all that a test moves around it.
type fixture struct {
	*accounts.Cache
	service *service
	redis   *redis.Client
	seen    *commandLog
	log     *lines

	mu  sync.Mutex
	now time.Time
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func newFixture(t testing.TB, url string) *fixture {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1
	options.DialerRetries = 1
	f := &fixture{
		service: &service{calls: make(chan question)},
		redis:   redis.NewClient(options),
		seen:    &commandLog{},
		log:     &lines{},
		now:     time.Now().Truncate(time.Millisecond),
	}
	f.redis.AddHook(f.seen)
	f.Cache = f.another()
	t.Cleanup(func() {
		f.Close()
		_ = f.redis.Close()
	})
	return f
}

// another returns a second cache on the same Redis, as another process has one.
func (f *fixture) another() *accounts.Cache {
	return accounts.New(accounts.Config{
		Redis: f.redis, Source: f.service, Fresh: fresh, Keep: keep, Patience: patience, Log: zerolog.New(f.log), Now: f.clock,
	})
}

type outcome struct {
	snapshot accounts.Snapshot
	err      error
}

// later asks in the background.
func (f *fixture) later(ctx context.Context, by time.Time) <-chan outcome {
	return later(ctx, f.Cache, by)
}

func later(ctx context.Context, c *accounts.Cache, by time.Time) <-chan outcome {
	asked := make(chan outcome, 1)
	go func() {
		s, err := c.Account(ctx, user, by)
		asked <- outcome{s, err}
	}()
	return asked
}

// remembered fills the cache with an account.
func (f *fixture) remembered(t testing.TB, l hostapi.List) {
	t.Helper()
	asked := f.later(t.Context(), soon())
	f.service.next(t).reply(t, reply{list: l})
	if o := receive(t, asked); o.err != nil {
		t.Fatal(o.err)
	}
}

// look returns an account that needs no call; one that comes fails the test.
func (f *fixture) look(t *testing.T) accounts.Snapshot {
	t.Helper()
	return f.lookAt(t, f.Cache)
}

// lookAt is look with another cache.
func (f *fixture) lookAt(t *testing.T, c *accounts.Cache) accounts.Snapshot {
	t.Helper()
	o := f.uncalled(t, c)
	if o.err != nil {
		t.Fatal(o.err)
	}
	return o.snapshot
}

// uncalled returns what a cache says without a call; one that comes fails the
// test.
func (f *fixture) uncalled(t *testing.T, c *accounts.Cache) outcome {
	t.Helper()
	select {
	case o := <-later(t.Context(), c, soon()):
		return o
	case q := <-f.service.calls:
		q.reply(t, reply{err: errors.New("not expected")})
		t.Fatal("the service was asked")
	case <-time.After(safety):
		t.Fatal("nothing came")
	}
	return outcome{}
}

// soon is a time that a test does not reach.
func soon() time.Time { return time.Now().Add(safety) }

// past is a time that has gone by: whoever asks by then does not wait.
func past() time.Time { return time.Now().Add(-time.Second) }

func statusOf(s accounts.Snapshot) string {
	if len(s.List.Servers) == 0 {
		return ""
	}
	return s.List.Servers[0].Status
}

func each(t *testing.T, run func(t *testing.T, f *fixture)) {
	t.Helper()
	redistest.Each(t, func(t *testing.T, url string) { run(t, newFixture(t, url)) })
}
