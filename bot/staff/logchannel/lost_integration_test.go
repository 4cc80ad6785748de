//go:build integration

package logchannel_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// losses are the ways in which a Redis forgets everything.
var losses = map[string]func(t *testing.T, server *redistest.Server){
	"flushed":         flush,
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

// awaitAll waits for n actions, in any order, each of them once or more often.
func (o office) awaitAll(t *testing.T, n int) {
	t.Helper()
	await(t, o.actions, "all actions", func() bool {
		got := titles(o.actions)
		return !slices.ContainsFunc(numbered(n), func(title string) bool { return !slices.Contains(got, title) })
	})
}

// awaitOnce waits for n actions, has one more posted, and expects each of them
// once, in any order.
func (o office) awaitOnce(t *testing.T, n int, p *process) {
	t.Helper()
	o.awaitAll(t, n)
	p.Post(action(fmt.Sprint("action ", n))) // what is there twice comes before it
	o.awaitAll(t, n+1)
	got, want := titles(o.actions), numbered(n+1)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the channel shows %q", got)
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
		eventually(t, "the process knows that Redis is away", func() bool { return p.log.Count("kept in memory only") == 1 })
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

// Redis loses a plan that Discord has carried out, and its process does not know yet. The entries
// of another process are part of it.
func TestALostPlanLosesNothing(t *testing.T) {
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
				lose()
				// Either of them may lead by then and deliver that at once.
				eventually(t, "the writer writes anew", func() bool { return writer.log.Count("written there anew") > 0 })
				clock.Advance(time.Second)
				answer()
				o.awaitAll(t, n)
			})
		})
	}
}

// Whatever is in Redis, entries are delivered.
func TestForeignContentInRedis(t *testing.T) {
	for name, state := range map[string]string{
		"none":                  "",
		"no JSON":               "{",
		"another type":          `[{"plan":3}]`,
		"a plan without embeds": `{"plan":{"name":"1","slots":[{"embed":null,"tally":{"count":2}}],"records":["x"]}}`,
		"an empty plan":         `{"plan":{},"counters":[{"message":"1"}],"trouble":{}}`,
		"a later version":       `{"plan":"later"}`,
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, url string) {
				o := newOffice(t, unlimited())
				o.discord.ExpectFailures() // an entry without content cannot be shown
				client := redistest.Connect(t, url)
				client.HSet(t.Context(), "hostbot:{logs}:record:"+o.actions.ID, "v", 1, "f", 1, "r", state)
				if name == "a later version" {
					client.HSet(t.Context(), "hostbot:{logs}:record:"+o.actions.ID, "f", 99)
				}
				contents := []string{"", "{", "null", `{"id":"a"}`, `{"embed":{"title":"another ID"}}`}
				for i, content := range contents {
					client.HSet(t.Context(), "hostbot:{logs}:entries:"+o.actions.ID, fmt.Sprint(i), content)
					client.ZAdd(t.Context(), "hostbot:{logs}:waiting:"+o.actions.ID, redis.Z{Score: float64(i), Member: fmt.Sprint(i)})
				}
				client.ZAdd(t.Context(), "hostbot:{logs}:waiting:"+o.actions.ID, redis.Z{Score: 9, Member: "without content"})
				p := o.newProcess(t, url, hasty())
				p.Post(action("action 0"))
				p.Start()
				await(t, o.actions, "the action", func() bool { return slices.Contains(titles(o.actions), "action 0") })
				eventually(t, "nothing waits", func() bool { return waiting(t, client, o.actions) == 0 })
				if n := told(o.actions, "action 0"); n != 1 {
					t.Errorf("the action is there %d times", n)
				}
			})
		})
	}
}

// TestAnOrderThatIsLostDelaysNothing: Redis has lost the IDs of what waits, or when the channel is
// due, and the process that wrote it is dead.
func TestAnOrderThatIsLostDelaysNothing(t *testing.T) {
	for name, lose := range map[string]func(client redis.UniversalClient, ch *discordtest.Channel) error{
		"the IDs": func(client redis.UniversalClient, ch *discordtest.Channel) error {
			return client.Del(t.Context(), "hostbot:{logs}:waiting:"+ch.ID).Err()
		},
		"one ID": func(client redis.UniversalClient, ch *discordtest.Channel) error {
			return client.ZRemRangeByRank(t.Context(), "hostbot:{logs}:waiting:"+ch.ID, 1, 1).Err()
		},
		"the time": func(client redis.UniversalClient, ch *discordtest.Channel) error {
			return client.ZAdd(t.Context(), "hostbot:{logs}:due", redis.Z{Score: float64(time.Now().Add(time.Hour).UnixMilli()), Member: ch.ID}).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, url string) {
				o := newOffice(t, unlimited())
				killed := o.newProcess(t, url, hasty())
				for _, title := range numbered(12) {
					killed.Post(action(title))
				}
				killed.kill()
				if err := lose(redistest.Connect(t, url), o.actions); err != nil {
					t.Fatal(err)
				}
				p := o.newProcess(t, url, hasty())
				p.Start()
				p.Post(action("action 12"))
				o.awaitAll(t, 13)
				p.stop(t)
				if got := titles(o.actions); len(got) != 13 {
					t.Errorf("the channel shows %q", got)
				}
			})
		})
	}
}
