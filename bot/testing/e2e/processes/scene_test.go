//go:build integration

// Package processes_test tests the program as it is built, for faults that exist only
// between processes: they are killed, stopped, replaced, flooded, and cut off from
// Discord. It knows nothing of what is inside, but for what Redis holds.
//
// A test reads in these words:
//
//	scene      a Discord, a hosting service and a Redis that no other test uses
//	replica    a process of the program; those with one number of shards divide them,
//	           and those with another get each event as well
//	customer   a Discord user with an account and one bot, whose ID is unique
//	sent       what the service was told to do, whoever believes what of it
//	actions    the log channel in which staff read each action once; staff is the
//	           one for everything else
//	settled    a reply that will not say more: no "thinking", no "Restarting …"
package processes_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	if world.RaceDetector { // the program is built without it, and Discord would be too slow with it
		log.Print("runs without the race detector: go test -tags integration ./bot/testing/e2e/processes")
		return
	}
	dir, err := os.MkdirTemp("", "hostbot")
	if err != nil {
		log.Fatal(err)
	}
	if program, err = world.Build(dir); err != nil {
		log.Fatal(err)
	}
	world.ManyAtOnce()
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// scene is a Discord, a hosting service and a Redis, whose time is the machine's.
type scene struct {
	discord *discordtest.Server
	service *hostapitest.Service
	redis   *redistest.Server
	actions *discordtest.Channel
	staff   *discordtest.Channel

	mu   sync.Mutex
	sent map[string]int // actions that the service was sent, by the bot's ID
}

// instantly is how long a restart takes at most.
const instantly = -1

// newScene returns a scene in which a restart takes so long.
func newScene(t *testing.T, restart time.Duration, config discordtest.Config) *scene {
	t.Helper()
	config.NoRateLimits = true
	if config.MaxConcurrency == 0 {
		config.MaxConcurrency = 16 // so that sessions need not wait for each other
	}
	w := &scene{redis: redistest.StartRedis(t), discord: discordtest.RunT(t, config), sent: make(map[string]int)}
	w.discord.ExpectFailures() // such as the second answer of two replicas
	w.service = hostapitest.RunWith(t, hostapitest.Options{Restart: restart, Observe: func(r hostapitest.Request) func(int, string) {
		if r.Method != http.MethodGet {
			w.mu.Lock()
			w.sent[r.ServerID]++
			w.mu.Unlock()
		}
		return func(int, string) {}
	}})
	w.actions, w.staff = w.discord.AddChannel("bot-actions"), w.discord.AddChannel("bot-log")
	return w
}

// customer is a Discord user with one bot.
type customer struct {
	*discordtest.User
	bot string // its ID
}

// customers returns n new customers, whose names begin with name.
func (w *scene) customers(name string, n int) []customer {
	list := make([]customer, n)
	for i := range list {
		id := nameOf(name, i)
		list[i] = customer{w.discord.User(id), "bot-" + id}
		w.service.AddAccount(list[i].ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
		w.service.AddServer(list[i].ID, hostapitest.Server{ID: list[i].bot, Name: "Shop", Status: hostapitest.Running})
	}
	return list
}

// more gives a customer n more bots, and returns their IDs.
func (w *scene) more(c customer, n int) (bots []string) {
	for i := range n {
		s := hostapitest.Server{ID: nameOf("more-of-"+c.Name+"-", i), Name: nameOf("Radio", i), Status: hostapitest.Running}
		w.service.AddServer(c.ID, s)
		bots = append(bots, s.ID)
	}
	return bots
}

// sentOn returns how many actions on a bot the service was sent.
func (w *scene) sentOn(bot string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent[bot]
}

// logged returns how often the log channel of actions names a bot.
func (w *scene) logged(bot string) int {
	n := 0
	for _, m := range w.actions.Messages() {
		n += strings.Count(m.Text(), bot)
	}
	return n
}

// silence waits until Discord has had no call for d.
func (w *scene) silence(t *testing.T, d time.Duration) {
	t.Helper()
	eventually(t, "the replicas call Discord no more", func() bool {
		calls := w.discord.Calls()
		return len(calls) == 0 || time.Since(calls[len(calls)-1].Started) > d
	})
}

// redisClient returns a client of the scene's Redis with one connection.
func (w *scene) redisClient(t *testing.T) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: w.redis.Addr(), PoolSize: 1})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// order sends commands to Redis, all over one connection.
func (w *scene) order(t *testing.T, commands ...string) {
	t.Helper()
	client := w.redisClient(t)
	for _, command := range commands {
		var words []any
		for word := range strings.FieldsSeq(command) {
			words = append(words, word)
		}
		if err := client.Do(t.Context(), words...).Err(); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
}

// allRestart has all of them type /bot restart at once, and does not wait for
// answers.
func allRestart(t *testing.T, who []customer) []*discordtest.Reply {
	t.Helper()
	replies := make([]*discordtest.Reply, len(who))
	for i, c := range who {
		var err error
		if replies[i], err = c.Start("/bot restart", discordtest.Options{"bot": c.bot}); err != nil {
			t.Fatal(err)
		}
	}
	return replies
}

// restartChosen has a customer choose the first bot and n that were added, and restart them. It waits for the first
// response.
func restartChosen(t *testing.T, c customer, n int) *discordtest.Reply {
	t.Helper()
	labels := []string{"Shop"}
	for i := range n {
		labels = append(labels, nameOf("Radio", i))
	}
	reply := c.Types(t, "/bot list")
	reply.WaitFor(t, "Your bots")
	reply = reply.Press(t, "Choose several…")
	reply.WaitFor(t, "Choose up to")
	reply = reply.Choose(t, "Choose bots", labels...)
	reply.WaitFor(t, "Chosen")
	reply = reply.Press(t, "Restart")
	reply.WaitFor(t, "bots?")
	return reply.Press(t, fmt.Sprintf("Restart %d bots", n+1))
}

// isSettled reports whether a reply says how it ended.
func isSettled(v discordtest.View) bool {
	return v.State != discordtest.Waiting && v.State != discordtest.Thinking &&
		!v.Contains("Restarting **") && !v.Contains("Creating **")
}

// settled waits until all replies are. What does not come to that is returned as it
// is.
func settled(replies []*discordtest.Reply) []discordtest.View {
	wait(func() bool {
		return !slices.ContainsFunc(replies, func(r *discordtest.Reply) bool { return !isSettled(r.View()) })
	})
	views := make([]discordtest.View, len(replies))
	for i, r := range replies {
		views[i] = r.View()
	}
	return views
}

// restartAll has all of them restart their bots, a few at a time, and returns how
// many of them read that it was done. It gives up where nobody reads that any more.
func restartAll(t *testing.T, who []customer, atOnce int) (done int) {
	t.Helper()
	for before := -1; len(who) > 0 && done > before; {
		before = done
		n := min(atOnce, len(who))
		for _, v := range settled(allRestart(t, who[:n])) {
			if v.Contains("✅ Restarted") || v.Contains("was restarted") {
				done++
			}
		}
		who = who[n:]
	}
	return done
}

// wait asks done again and again, and returns false where that is not so however slow the
// machine is.
func wait(done func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), world.Patience)
	defer cancel()
	return world.Eventually(ctx, done)
}

// eventually is wait for what must come.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	if !wait(done) {
		t.Errorf("not within %v: %s", world.Patience, what)
	}
}

// texts are what a channel's messages say, for a failure.
func texts(ch *discordtest.Channel) string {
	var all strings.Builder
	for _, m := range ch.Messages() {
		all.WriteString(m.Text() + "\n")
	}
	return all.String()
}
