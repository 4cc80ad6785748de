package logchannel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// losses are the ways in which a Redis forgets everything.
var losses = map[string]func(t *testing.T, server *redistest.Server){
	"flushed": func(t *testing.T, server *redistest.Server) {
		t.Helper()
		client := redistest.Connect(t, server.URL())
		if err := errors.Join(client.ScriptFlush(t.Context()).Err(), client.FlushAll(t.Context()).Err()); err != nil {
			t.Fatal(err)
		}
	},
	"restarted empty": func(_ *testing.T, server *redistest.Server) { server.Restart() },
}

// eachLoss runs a test on every kind of Redis with each way to lose its data, all of
// them beside each other.
func eachLoss(t *testing.T, run func(t *testing.T, server *redistest.Server, lose func())) {
	t.Helper()
	t.Parallel()
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
				run(t, server, func() { lose(t, server) })
			})
		})
	}
}

// awaitOnce waits for n actions, has one more posted, and expects each of them
// once, in any order.
func (o office) awaitOnce(t *testing.T, n int, p *process) {
	t.Helper()
	await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= n })
	p.Post(action(fmt.Sprint("action ", n))) // what is there twice comes before it
	await(t, o.actions, "the last action", func() bool { return slices.Contains(titles(o.actions), fmt.Sprint("action ", n)) })
	got, want := titles(o.actions), numbered(n+1)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the channel shows %q", got)
	}
}

// TestEveryActionOnceThoughRedisForgets has two replicas tell of 300 actions while
// Discord fails in every way in turn. Redis forgets everything five times.
func TestEveryActionOnceThoughRedisForgets(t *testing.T) {
	t.Parallel()
	const actions = 300
	server := redistest.StartRedis(t)
	o := newOffice(t, unlimited())
	failInTurn(t, o.discord)
	replicas := []*replica{startReplica(t, o, server.URL()), startReplica(t, o, server.URL())}
	for i, title := range numbered(actions) {
		if i%50 == 49 {
			losses[[]string{"flushed", "restarted empty"}[i/50%2]](t, server)
		}
		if !replicas[i%2].post(title) {
			t.Fatalf("a replica ended before %s", title)
		}
	}
	await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= actions })
	for _, r := range replicas {
		r.stop(t)
	}
	got, want := titles(o.actions), numbered(actions)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the channel shows %d actions of %d:\n%s", len(got), actions, strings.Join(got, "\n"))
	}
}

// One process keeps the order also where Redis loses its entries while others
// come.
func TestLostEntriesKeepTheirOrder(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o := newOffice(t, unlimited())
		away := o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable})
		p := o.newProcess(t, server.URL(), hasty())
		p.Start()
		for i, title := range numbered(150) {
			if i == 100 {
				eventually(t, "they wait", func() bool { s := p.Status()[0]; return s.Waiting == 100 && s.Trouble != "" })
				server.Stop()
			}
			p.Post(action(title))
		}
		eventually(t, "the process knows that Redis is away", func() bool { return p.Status()[0].Waiting == 50 })
		server.Restart()
		client := redistest.Connect(t, server.URL())
		eventually(t, "they are written anew", func() bool { return waiting(t, client, o.actions) == 150 })
		away()
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= 150 })
		p.stop(t)
		if got := titles(o.actions); !slices.Equal(got, numbered(150)) {
			t.Errorf("the channel shows %q", got)
		}
	})
}

// Redis loses a plan that Discord has carried out, and its process does not know
// yet. The entries of another process are part of it.
func TestALostPlanIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]bool{"Discord's answer arrives": true, "Discord's answer is lost": false} {
		t.Run(name, func(t *testing.T) {
			eachLoss(t, func(t *testing.T, server *redistest.Server, lose func()) {
				const n = 25
				clock := discordtest.NewManualClock(time.Now())
				o := newOffice(t, discordtest.Config{NoRateLimits: true, Clock: clock})
				deliverer, writer := o.newProcess(t, server.URL(), hasty()), o.newProcess(t, server.URL(), hasty())
				late := discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, After: true, Times: 1}
				late.Hang = !answered
				if answered {
					late.Delay = time.Second
				}
				answer := o.discord.Inject(late)
				for i, title := range numbered(n) {
					[]*process{deliverer, writer}[i%2].Post(action(title))
				}
				deliverer.Start()
				await(t, o.actions, "a message", func() bool { return len(titles(o.actions)) > 0 })
				writer.Start()
				eventually(t, "the writer knows who delivers", func() bool { return writer.Status()[0].Waiting > 0 })
				lose()
				client := redistest.Connect(t, server.URL())
				eventually(t, "the writer writes anew", func() bool { return waiting(t, client, o.actions) > 0 })
				clock.Advance(time.Second)
				answer()
				o.awaitOnce(t, n, writer)
			})
		})
	}
}

// Redis loses a plan that the writer of its entries does not know, and what was
// delivered before. Nobody but the process that carries the plan out may deliver,
// before it hands on the lease.
func TestTheLeaseOutlivesALoss(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]time.Duration{"Discord's answer arrives": 5 * time.Second, "the lease is handed on": 800 * time.Millisecond} {
		t.Run(name, func(t *testing.T) { outliveALoss(t, send) })
	}
}

func outliveALoss(t *testing.T, send time.Duration) {
	eachLoss(t, func(t *testing.T, server *redistest.Server, lose func()) {
		const n = 25
		clock := discordtest.NewManualClock(time.Now())
		o := newOffice(t, discordtest.Config{NoRateLimits: true, Clock: clock})
		o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Delay: time.Second, After: true, Times: 1})
		slow := hasty()
		slow.Turn = 300 * time.Millisecond
		quick := hasty()
		quick.Send, quick.RetryFirst, quick.RetryMost = send, time.Second, time.Second
		deliverer, writer := o.newProcess(t, server.URL(), quick), o.newProcess(t, server.URL(), slow)
		deliverer.Start()
		writer.Post(action("action 0"))
		await(t, o.actions, "the first action", func() bool { return len(titles(o.actions)) > 0 })
		writer.Start()
		eventually(t, "the writer knows of the first plan", func() bool { return writer.Status()[0].Waiting > 0 })
		answer := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Hang: true, After: true, Times: 1})
		for i, title := range numbered(n)[1:] {
			if i == 3 {
				clock.Advance(time.Second)
				await(t, o.actions, "three more", func() bool { return len(titles(o.actions)) > 1 })
			}
			writer.Post(action(title))
		}
		lose() // before the writer's next turn
		client := redistest.Connect(t, server.URL())
		eventually(t, "the writer writes anew", func() bool { return waiting(t, client, o.actions) > 0 })
		var asked atomic.Int32
		writer.redis.Client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			asked.Add(1)
			return next(ctx, cmd)
		}))
		eventually(t, "the writer asks again and again", func() bool { return asked.Load() > 8 })
		answer()
		o.awaitOnce(t, n, writer)
	})
}

// A failover to a replica that lags behind takes Redis back to an earlier moment:
// it has entries that were delivered, and lacks others. Discord does not know the
// messages' nonces any more.
func TestAFailoverThatHadNotReplicated(t *testing.T) {
	const n = 60
	server := redistest.StartRedis(t)
	clock := discordtest.NewManualClock(time.Now())
	o := newOffice(t, discordtest.Config{NoRateLimits: true, Clock: clock})
	client := redistest.Connect(t, server.URL())
	processes := []*process{o.newProcess(t, server.URL(), hasty()), o.newProcess(t, server.URL(), hasty())}
	unavailable := discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable}
	away := o.discord.Inject(unavailable)
	post := func(from, to int) {
		for i, title := range numbered(to)[from:] {
			processes[i%2].Post(action(title))
		}
	}
	post(0, n/3)
	processes[0].Start()
	eventually(t, "they wait", func() bool { s := processes[0].Status()[0]; return s.Waiting == n/3 && s.Trouble != "" })
	failOver := replicate(t, client)
	away()
	await(t, o.actions, "the first actions", func() bool { return len(titles(o.actions)) >= n/3 })
	eventually(t, "Redis knows", func() bool { return waiting(t, client, o.actions) == 0 })
	away = o.discord.Inject(unavailable)
	post(n/3, n)
	clock.Advance(time.Hour)
	failOver()
	// A process that starts before the one that delivered has told Redis so would send
	// again what it finds there.
	delivered := "hostbot:log:{" + o.actions.ID + "}:delivered"
	eventually(t, "Redis knows again", func() bool { return client.ZCard(t.Context(), delivered).Val() == n/3 })
	processes[1].Start()
	eventually(t, "those that wait are written anew", func() bool { return waiting(t, client, o.actions) == n-n/3 })
	away()
	o.awaitOnce(t, n, processes[1])
}

// replicate notes what a Redis holds, and returns how to take it back to that.
func replicate(t *testing.T, client redis.UniversalClient) (failOver func()) {
	t.Helper()
	ctx := t.Context()
	content := make(map[string]string)
	for _, key := range client.Keys(ctx, "hostbot:log:*").Val() {
		if !strings.HasSuffix(key, ":lease") { // whose time is kept apart
			content[key] = client.Dump(ctx, key).Val()
		}
	}
	return func() {
		t.Helper()
		_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range client.Keys(ctx, "hostbot:log:*").Val() {
				if !strings.HasSuffix(key, ":lease") {
					p.Del(ctx, key)
				}
			}
			for key, value := range content {
				p.RestoreReplace(ctx, key, 0, value)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Entries that Redis had when it went away wait for it, though it is away for
// long: another process may have delivered them.
func TestRecordedEntriesWaitForRedis(t *testing.T) {
	server := redistest.StartDurableRedis(t)
	o := newOffice(t, unlimited())
	timing := hasty()
	timing.Grace = time.Millisecond
	p := o.newProcess(t, server.URL(), timing)
	for _, title := range numbered(10) {
		p.Post(action(title))
	}
	server.Stop()
	for _, title := range numbered(20)[10:] {
		p.Post(action(title))
	}
	p.Start()
	await(t, o.actions, "the later ones", func() bool { return len(titles(o.actions)) >= 10 })
	if got := titles(o.actions); !slices.Equal(got, numbered(20)[10:]) {
		t.Errorf("without Redis the channel shows %q", got)
	}
	server.Restart()
	o.awaitOnce(t, 20, p)
}

// Whatever is in Redis, entries are delivered.
func TestForeignContentInRedis(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		for name, state := range map[string][]any{
			"none":                  {"seq", "0", "state", ""},
			"no number":             {"seq", "many", "state", "{}"},
			"no JSON":               {"seq", "7", "state", "{"},
			"another type":          {"seq", "7", "state", `[{"plan":3}]`},
			"a plan without embeds": {"seq", "7", "state", `{"plan":{"nonce":"1","slots":[{"embed":null,"tally":{"count":2}}],"covers":[{"id":"x","stream":"y"}]}}`},
			"an empty plan":         {"seq", "7", "state", `{"plan":{},"counters":[{"message":"1"}],"trouble":{}}`},
		} {
			t.Run(name, func(t *testing.T) {
				o := newOffice(t, unlimited())
				o.discord.ExpectFailures() // an entry without content cannot be shown
				client, key := redistest.Connect(t, url), "hostbot:log:{"+o.actions.ID+"}"
				client.HSet(t.Context(), key+":delivery", state...)
				for _, content := range []string{"", "{", "null", `{"id":"a"}`, `{"embed":{"title":"no ID"}}`} {
					client.XAdd(t.Context(), &redis.XAddArgs{Stream: key, Values: []string{"record", content}})
				}
				client.XAdd(t.Context(), &redis.XAddArgs{Stream: key, Values: []string{"a", "b", "c", "d"}})
				p := o.newProcess(t, url, hasty())
				p.Post(action("action 0"))
				p.Start()
				await(t, o.actions, "the action", func() bool { return slices.Contains(titles(o.actions), "action 0") })
				eventually(t, "nothing waits", func() bool { return waiting(t, client, o.actions) == 0 })
				if n := told(o.actions, "action 0"); n != 1 {
					t.Errorf("the action is there %d times", n)
				}
			})
		}
	})
}

// TestADeliveryOfAnotherTypeIsBegunAnew has Redis hold something of another type in the place of the
// hash that says how far the delivery is, before the process starts and while it runs.
func TestADeliveryOfAnotherTypeIsBegunAnew(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		client, key := redistest.Connect(t, url), "hostbot:log:{"+o.actions.ID+"}:delivery"
		p := o.newProcess(t, url, hasty())
		for i := range 2 {
			if err := client.Set(t.Context(), key, "x", 0).Err(); err != nil {
				t.Fatal(err)
			}
			p.Post(action(fmt.Sprint("action ", 2*i)))
			if i == 0 {
				p.Start()
			}
			o.awaitOnce(t, 2*i+1, p)
		}
	})
}
