//go:build integration

// Package soak_test has two replicas serve many customers for as long as -soak
// says, while whatever they depend on fails at random, and then looks whether
// every promise was kept.
//
// A customer belongs to a soak, which keeps a ledger for each of their bots: how
// the actions ended that they asked for. A storm is a time in which Discord, or the
// way to it, is broken. A stray is something that must not be.
package soak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) {
	flag.Duration("soak", 0, "for how long TestSoak mixes faults under load; 0 skips it")
	flag.Uint64("soak-seed", 1, "which faults and flows TestSoak chooses")
	world.Main(m)
}

const (
	soakers   = 24 // customers
	botsOfOne = 3
	paneled   = 6 // customers who have a panel
	// managesMessages lets a user post panels, beside what everybody may do.
	managesMessages = 0x7fcf98637ce41 | 1<<13

	soakPatience = 4 * time.Minute // for the end of one flow, whatever happens
)

// TestSoak has two replicas serve many customers while whatever they depend on
// fails at random, and then looks whether every promise was kept.
func TestSoak(t *testing.T) {
	duration, seed := world.Flag[time.Duration]("soak"), world.Flag[uint64]("soak-seed")
	if duration == 0 {
		t.Skip("for example: go test -tags integration ./bot/testing/soak -soak 30m -timeout 45m")
	}
	t.Logf("seed %d", seed)
	s := newSoak(t)

	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	var work sync.WaitGroup
	for i, c := range s.customers {
		work.Go(func() { s.use(ctx, c, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	work.Go(func() { s.breakService(ctx, rand.New(rand.NewPCG(seed, 1000))) })
	work.Go(func() { s.breakOthers(ctx, t, rand.New(rand.NewPCG(seed, 1001))) })
	work.Go(func() { s.breakRights(ctx, rand.New(rand.NewPCG(seed, 1002))) })
	work.Go(func() { s.readAll(ctx) })
	work.Wait()

	for _, c := range s.customers { // without a restart, all is well again
		c.user.Types(t, "/bot list").WaitFor(t, "Your bots")
	}
	s.judge(t)
	if t.Failed() {
		log := filepath.Join(os.TempDir(), fmt.Sprintf("soak-%d.log", os.Getpid()))
		t.Logf("the log of all replicas: %s, %v", log, os.WriteFile(log, []byte(s.Log.String()), 0o600))
	}
	t.Logf("%v, %d storms; how actions ended for customers, by bot: %+v", duration, s.weather.storms, s.ledgers)
}

// soak is a world with what happened in it.
type soak struct {
	*world.World
	redisServer *redistest.Server
	customers   []customer
	replicas    []func() error
	mortal      mortal
	weather     weather

	mu       sync.Mutex
	executed map[string]int      // by bot: what the service carried out
	sent     map[string]int      // by bot: actions that it was sent
	ledgers  map[string]ledger   // by bot
	strays   []string            // what must not be
	entries  map[string][]string // by the log channel's message: the bots of its actions
	panels   []*discordtest.Channel
}

type customer struct {
	user *discordtest.User
	bots []string // IDs
	mark string   // in the name of each
}

// ledger is how actions on a bot ended for who asked for them.
type ledger struct{ done, failed, unconfirmed, unseen int }

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{
		redisServer: redistest.StartDurableRedis(t), executed: make(map[string]int), sent: make(map[string]int), ledgers: make(map[string]ledger),
		entries: make(map[string][]string),
	}
	s.World = world.New(t, world.Options{
		Discord: discordtest.Config{HeartbeatInterval: 2 * time.Second}, Redis: s.redisServer.URL(),
		Env: []string{"LOG_LEVEL=info", "HOSTAPI_TIMEOUT=2s", "CACHE_TTL=5s", "DISCORD_SHARDS=2", "WATCH_INTERVAL=10s"},
		Service: &hostapitest.Options{
			Restart: 300 * time.Millisecond, Reinstall: 500 * time.Millisecond, Start: 200 * time.Millisecond, Stop: 100 * time.Millisecond,
			Acted: func(_ hostapitest.Operation, _, serverID string) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.executed[serverID]++
			},
			Observe: func(r hostapitest.Request) func(int, string) {
				if r.Method != http.MethodGet {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.sent[r.ServerID]++
				}
				return func(int, string) {}
			},
		},
	})
	s.Discord.ExpectFailures()       // the soak judges by itself
	guilds := s.Discord.AddGuilds(2) // one for each shard
	for i := range soakers {
		c := customer{mark: fmt.Sprintf("c%02d", i)}
		var names []string
		for n := range botsOfOne {
			names = append(names, fmt.Sprintf("%s-%d", c.mark, n))
			c.bots = append(c.bots, "id-"+names[n])
		}
		name := fmt.Sprint("customer ", i)
		s.Discord.User(name, discordtest.Permissions(managesMessages))
		c.user = s.AddCustomer(name, names...)
		c.user = c.user.In(guilds[i%len(guilds)])
		s.customers = append(s.customers, c)
	}
	s.replicas = []func() error{s.Start(t), s.Start(t)}
	s.mortal = newMortal(t, s.mortalEnvironment(t), s.Log)
	for _, c := range s.customers[:paneled] {
		s.openPanel(t, c)
	}
	return s
}

// openPanel has a customer post a panel of their bots in a channel of its own.
func (s *soak) openPanel(t *testing.T, c customer) {
	t.Helper()
	channel := s.Discord.AddChannel("panel of " + c.mark)
	s.panels = append(s.panels, channel)
	panels := c.user.In(channel).Types(t, "/panel")
	panels.WaitFor(t, "You don't have a public panel yet")
	panels.Choose(t, "Choose bots for a panel here", c.mark+"-0", c.mark+"-1").Press(t, "Continue").Submit(t, nil).WaitFor(t, "Panel posted")
}

// use is what a customer does all the time.
func (s *soak) use(ctx context.Context, c customer, random *rand.Rand) {
	for ctx.Err() == nil {
		bot := c.bots[random.IntN(len(c.bots))]
		switch n := random.IntN(10); {
		case n < 2:
			s.look(c, "/bot list", nil)
		case n < 4:
			s.look(c, "/bot show", discordtest.Options{"bot": bot})
		case n < 5:
			s.look(c, "/plan", nil)
		case n < 6:
			s.alert(c)
		default:
			s.act(c, bot, []string{"restart", "reinstall", "stop", "start"}[random.IntN(4)])
		}
		pause(ctx, time.Duration(random.IntN(1500))*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// look reads something, to its end.
func (s *soak) look(c customer, command string, options discordtest.Options) {
	a := s.ask(c, command, options)
	if a.State == discordtest.Thinking && a.killed || a.State == discordtest.Failed && a.disturbed {
		return
	}
	if a.State != discordtest.Shown {
		s.stray("%s %s (%s): %s", c.mark, command, a.id, a.Text())
	}
}

// alert turns the customer's alerts on or off. Nobody reads that something broke on our side
// because Discord lets the bot write to nobody new.
func (s *soak) alert(c customer) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), soakPatience)
	defer cancel()
	reply, err := c.user.Command(ctx, "/alerts", nil)
	if err != nil {
		return
	}
	defer reply.Forget()
	view, _ := reply.Await(ctx, func(v discordtest.View) bool { return v.State == discordtest.Shown })
	label := "All alerts off"
	if view.Contains("🔕") { // by a bot whose alerts are off
		label = "All alerts on"
	}
	pressed, err := reply.Click(ctx, label)
	if err != nil { // Redis is away, or the service knows no bots
		return
	}
	defer pressed.Forget()
	view, err = pressed.Await(ctx, func(v discordtest.View) bool {
		return v.State == discordtest.Shown && (v.Contains("Alerts are o") || v.Contains("nothing was turned on") || v.Contains("❌"))
	})
	if err == nil && view.Contains("broke on our side") && !s.weather.stormySince(began) {
		s.stray("%s %s: %s", c.mark, label, view.Text())
	}
}

// act acts on a bot, and keeps how that ended for the customer.
func (s *soak) act(c customer, bot, action string) {
	before := s.sentOn(bot)
	a := s.ask(c, "/bot "+action, discordtest.Options{"bot": bot})
	begun := s.sentOn(bot) > before
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.ledgers[bot]
	defer func() { s.ledgers[bot] = l }()
	says := func(texts ...string) bool { return slices.ContainsFunc(texts, a.Contains) }
	switch {
	case a.State == discordtest.Thinking && a.killed && !begun, a.State == discordtest.Failed && a.disturbed:
		l.unseen++
	case a.State != discordtest.Shown || stillRunning(a.View): // what was begun comes to an end
		l.unseen++
		s.strays = append(s.strays, fmt.Sprintf("%s %s %s (%s) ended with %s", c.mark, action, bot, a.id, a.Text()))
	case says("is already stopped", "is already running"):
		l.unseen++ // the bot may know, or the service may have said so to an action
	case says("already running", "a lot of actions", "You can try again"): // refused
	case says("don't know yet whether", "not confirmed", "is taking longer than usual"):
		l.unconfirmed++
	case says("✅ Restarted", "✅ Packages reinstalled", "✅ Started", "✅ Stopped", "was restarted.", "were reinstalled.", "was started.", "was stopped."):
		l.done++
	case says("couldn't be"):
		l.failed++
	}
}

// stillRunning tells of a card that says that an action is under way.
func stillRunning(v discordtest.View) bool {
	return strings.Contains(v.Text(), "… started <t:") && !v.Contains("already running")
}

// sentOn returns how many actions on a bot the service was sent.
func (s *soak) sentOn(bot string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[bot]
}

// answer is what is seen of a command in the end.
type answer struct {
	discordtest.View
	id        string // the interaction's
	disturbed bool   // Discord was broken meanwhile
	killed    bool   // the process may have been that served the command
}

// ask types a command and waits for what is seen in the end.
func (s *soak) ask(c customer, command string, options discordtest.Options) answer {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), soakPatience)
	defer cancel()
	reply, err := c.user.Command(ctx, command, options)
	if err != nil {
		s.stray("%s %s: %v", c.mark, command, err)
		return answer{View: discordtest.View{State: discordtest.Failed}, disturbed: true}
	}
	defer reply.Forget()
	view, _ := reply.Await(ctx, func(v discordtest.View) bool {
		return v.State == discordtest.Shown && !stillRunning(v) && !v.Contains("Updating…")
	})
	for _, other := range s.customers {
		if other.mark != c.mark && strings.Contains(view.Text(), other.mark+"-") {
			s.stray("%s sees a bot of %s", c.mark, other.mark)
		}
	}
	return answer{view, reply.ID(), s.weather.stormySince(began), s.weather.killedAfter(began)}
}

func (s *soak) stray(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strays = append(s.strays, fmt.Sprintf(format, args...))
}
