package accounts_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// Words of these tests:
//
//	fixture   a cache with the service, the Redis and the clock around it
//	another   the cache of another process on the same Redis
//	question  a call to the service, which ends as a test says
//	fetched   asked of the service, which answers; failed is the same where it fails
//	cached    shown without a call
//	outdated  no longer fresh, as TTL has gone by for Redis

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.WithCluster(m)) }

const (
	user          = "80351110224678912"
	freshKey      = "hostbot:v7:account:{" + user + "}"
	lastKey       = freshKey + ":last"
	generationKey = freshKey + ":generation"

	ttl      = 30 * time.Second
	maxStale = 24 * time.Hour
	// safety ends a test that waits for what does not come.
	safety   = 2 * time.Minute
	patience = 2 * safety // longer than a test waits
)

var (
	none = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404}
	down = &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList, Status: 503, Detail: "maintenance"}
)

// service answers calls one by one, as a test tells it to. A call that a test does
// not answer never ends.
type service struct{ calls chan question }

type question struct {
	ctx              context.Context
	userID, serverID string // of the latter "" for all
	answer           chan reply
}

type reply struct {
	list   hostapi.List
	server hostapi.Server
	err    error
}

func (s *service) List(ctx context.Context, userID string) (hostapi.List, error) {
	r := s.ask(question{ctx, userID, "", make(chan reply)})
	return r.list, r.err
}

func (s *service) Get(ctx context.Context, userID, serverID string) (hostapi.Server, error) {
	r := s.ask(question{ctx, userID, serverID, make(chan reply)})
	return r.server, r.err
}

func (s *service) ask(q question) reply {
	select {
	case s.calls <- q:
	case <-q.ctx.Done():
		return reply{err: q.ctx.Err()}
	}
	select {
	case r := <-q.answer:
		return r
	case <-q.ctx.Done():
		return reply{err: q.ctx.Err()}
	}
}

// reply ends the call with an account.
func (q question) reply(t testing.TB, status string) {
	t.Helper()
	if q.serverID != "" {
		t.Errorf("the service is asked for server %s alone", q.serverID)
	}
	q.end(t, reply{list: list(status)})
}

// replyAlone ends a call for server a with its record.
func (q question) replyAlone(t testing.TB, status string) {
	t.Helper()
	if q.serverID != "a" {
		t.Errorf("the service is asked for %q, want server a alone", q.serverID)
	}
	q.end(t, reply{server: list(status).Servers[0]})
}

// fail ends the call with an error.
func (q question) fail(t testing.TB, err error) {
	t.Helper()
	q.end(t, reply{err: err})
}

func (q question) end(t testing.TB, r reply) {
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
	redis   redis.UniversalClient
	hook    *hook

	started time.Time
	later   atomic.Int64 // how much of a time.Duration has gone by since

	troubles atomic.Int32 // how often they were told of
}

func each(t *testing.T, run func(t *testing.T, f *fixture)) {
	t.Helper()
	redistest.Each(t, func(t *testing.T, url string) { run(t, newFixture(t, url)) })
}

func newFixture(t testing.TB, url string) *fixture {
	t.Helper()
	f := &fixture{service: &service{calls: make(chan question)}, redis: redistest.Connect(t, url), hook: &hook{}, started: time.Now()}
	f.redis.AddHook(redistest.Hook(f.hook.met))
	f.redis.AddHook(transactions{f.hook})
	f.Cache = f.another(t)
	return f
}

// another returns the cache of another process that shares the Redis.
func (f *fixture) another(t testing.TB) *accounts.Cache {
	t.Helper()
	c := accounts.New(accounts.Config{
		Redis: f.redis, Source: f.service, TTL: ttl, MaxStale: maxStale, Patience: patience,
		Prefix: "hostbot:", KeepFor: func() time.Duration { return 0 }, OnLookup: func(bool) {}, Away: func() bool { return false }, OnDoubt: func(int, error) {},
		BesideKeys: besideKeys, OnGarbage: func(error) { f.troubles.Add(1) }, Now: f.now,
	})
	t.Cleanup(c.Close)
	return c
}

func (f *fixture) now() time.Time { return f.started.Add(time.Duration(f.later.Load())) }

// advance moves the processes' clocks. Redis's stays as it is.
func (f *fixture) advance(d time.Duration) { f.later.Add(int64(d)) }

// outdate lets TTL go by for Redis.
func (f *fixture) outdate(t testing.TB) {
	t.Helper()
	if err := f.redis.Del(t.Context(), freshKey).Err(); err != nil {
		t.Fatal(err)
	}
}

type outcome struct {
	snapshot accounts.Snapshot
	err      error
}

// differs returns how a snapshot differs from what it should show.
func differs(want, got accounts.Snapshot) string {
	return cmp.Diff(want, got, cmpopts.IgnoreUnexported(accounts.Snapshot{}), cmpopts.EquateEmpty())
}

// status is that of server a.
func (o outcome) status() string {
	if len(o.snapshot.List.Servers) == 0 {
		return ""
	}
	return o.snapshot.List.Servers[0].Status
}

// ask asks a cache in the background, and gives the service time to answer.
func ask(t testing.TB, c *accounts.Cache) <-chan outcome {
	return askBy(t.Context(), c, time.Now().Add(safety))
}

// askInVain asks a cache in the background, for which the service is too slow.
func askInVain(t testing.TB, c *accounts.Cache) <-chan outcome {
	return askBy(t.Context(), c, time.Now().Add(-time.Second))
}

func askBy(ctx context.Context, c *accounts.Cache, by time.Time) <-chan outcome {
	return inBackground(func() (accounts.Snapshot, error) { return c.Account(ctx, user, by) })
}

func inBackground(look func() (accounts.Snapshot, error)) <-chan outcome {
	asked := make(chan outcome, 1)
	go func() {
		s, err := look()
		asked <- outcome{s, err}
	}()
	return asked
}

// fetched has the cache ask the service, which tells of a status.
func (f *fixture) fetched(t testing.TB, status string) {
	t.Helper()
	asked := ask(t, f.Cache)
	f.service.next(t).reply(t, status)
	if o := receive(t, asked); o.err != nil || o.status() != status || o.snapshot.Old {
		t.Fatalf("got %+v, error %v", o.snapshot, o.err)
	}
}

// failed has the cache ask the service, which fails.
func (f *fixture) failed(t testing.TB, err error) outcome {
	t.Helper()
	asked := ask(t, f.Cache)
	f.service.next(t).fail(t, err)
	return receive(t, asked)
}

// cached returns what a cache says without a call; one that comes fails the test.
func (f *fixture) cached(t testing.TB, c *accounts.Cache) outcome {
	t.Helper()
	select {
	case o := <-ask(t, c):
		return o
	case q := <-f.service.calls:
		q.fail(t, errors.New("not expected"))
		t.Fatal("the service was asked")
	case <-time.After(safety):
		t.Fatal("nothing came")
	}
	return outcome{}
}

// wantCached fails the test unless a cache shows a status as fresh without a call.
func (f *fixture) wantCached(t testing.TB, c *accounts.Cache, status string) {
	t.Helper()
	if o := f.cached(t, c); o.err != nil || o.status() != status || o.snapshot.Old {
		t.Errorf("got %+v, error %v; want %s", o.snapshot, o.err, status)
	}
}

// hook sees the commands to Redis.
type hook struct {
	mu    sync.Mutex
	names []string // of round trips since take was called
	meet  func(ctx context.Context, cmd redis.Cmder) error
}

// onCommand lets every command meet a function before it is sent; an error keeps
// it from that.
func (h *hook) onCommand(meet func(ctx context.Context, cmd redis.Cmder) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.meet = meet
}

// holdFirst holds the next command of a name back, from when held receives until
// release is closed.
func (h *hook) holdFirst(name string) (held <-chan struct{}, release chan struct{}) {
	met, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	h.onCommand(func(_ context.Context, cmd redis.Cmder) error {
		if cmd.Name() == name && first.CompareAndSwap(false, true) {
			close(met)
			<-release
		}
		return nil
	})
	return met, release
}

func (h *hook) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := h.names
	h.names = nil
	return names
}

// met is at each command.
func (h *hook) met(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
	h.mu.Lock()
	h.names = append(h.names, cmd.Name())
	meet := h.meet
	h.mu.Unlock()
	if meet != nil {
		if err := meet(ctx, cmd); err != nil {
			cmd.SetErr(err)
			return err
		}
	}
	return next(ctx, cmd)
}

// transactions has the hook meet a pipeline by its first command, which is MULTI for a transaction.
type transactions struct{ *hook }

func (transactions) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (transactions) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h transactions) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return h.met(ctx, cmds[0], func(context.Context, redis.Cmder) error { return next(ctx, cmds) })
	}
}
