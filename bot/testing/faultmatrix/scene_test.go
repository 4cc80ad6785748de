package faultmatrix_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/faultproxy"
	"hostbot/commands"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
)

// patience is how long a test waits for what is not a question of time.
const patience = 2 * time.Minute

// scene is a world between whose bot and everything else there are relays, and in
// which nothing but failing takes time. What the bot remembers of an account is
// never new enough to be shown without asking.
type scene struct {
	*world.World
	relays          [toGateway + 1]*faultproxy.Relay
	redis           *miniredis.Miniredis
	actions, errors *discordtest.Channel // log channels; the world's is the one of the lifecycle
	moment          chan struct{}        // held by those who do something
	pulse           *pulse
	began           time.Time              // when the first did something: how fast the machine is matters from then on
	before          string                 // the process log until the fault struck: what failed on a busy machine is no matter
	ended           time.Time              // when all flows had; zero until then
	late            time.Duration          // for how long the machine then had kept a question to Redis waiting, if for too long
	excused         atomic.Bool            // something was not as it should be, and the machine may be why
	commands        *commands.Commands     // that draw what the bot left
	asTheBot        *rest.Client           // leaves it
	places          []*discordtest.Channel // where people are: in a guild of each shard

	mu     sync.Mutex
	done   map[string]int // how often the service carried something out, by customer
	people int
}

// redisPassword is that of each scene's Redis.
const redisPassword = "recognisable-redis-password"

// relay is one of a scene's relays, by where it leads.
type relay int

const (
	toService relay = iota
	toRedis
	toDiscord
	toGateway
)

// runClock lets keys expire, within 20 ms. By ClockTTL miniredis would look at all keys at each command.
func runClock(t *testing.T, redis *miniredis.Miniredis) {
	var running sync.WaitGroup
	running.Go(func() {
		tick, last := time.NewTicker(20*time.Millisecond), time.Now()
		defer tick.Stop()
		for {
			select {
			case <-t.Context().Done():
				return
			case now := <-tick.C:
				redis.FastForward(now.Sub(last))
				last = now
			}
		}
	})
	t.Cleanup(running.Wait)
}

// newScene makes the scene for a fault that has not struck yet, with so many people who do
// something in the same moment.
func newScene(t *testing.T, a attempt, people int, p *pulse) *scene {
	t.Helper()
	s := &scene{redis: miniredis.RunT(t), done: make(map[string]int), moment: make(chan struct{}, people), pulse: p}
	carriedOut := func(_ hostapitest.Operation, userID, _ string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done[userID]++
	}
	runClock(t, s.redis)
	s.redis.RequireAuth(redisPassword)
	s.World = world.New(t, world.Options{
		Discord: discordtest.Config{HeartbeatInterval: a.heartbeats}, Staff: true, Env: a.env,
		Service: &hostapitest.Options{Restart: -1, Reinstall: -1, Start: -1, Stop: -1, Acted: carriedOut},
		Tune:    func(c *configs.Settings) { c.Cache.TTL = 0 },
	})
	s.Discord.AddRole("Players").Mentionable = true
	s.AddSecret(redisPassword, "password of Redis")
	s.Discord.ExpectFailures() // those that may be are checked for each fault
	s.commands, s.asTheBot = allCommands(t), rest.New(secret.Text(s.Discord.Token()), s.Discord.URL())
	t.Cleanup(s.asTheBot.Close)
	s.actions, s.errors = s.Discord.AddChannel("actions"), s.Discord.AddChannel("errors")
	if shards := world.Flag[int]("shards"); shards != 1 {
		s.places = s.Discord.AddGuilds(shards)
		s.Env = append(s.Env, fmt.Sprintf("DISCORD_SHARDS=%d", shards))
	}
	s.Env = append(s.Env, "LOG_CHANNEL_ACTIONS="+s.actions.ID, "LOG_CHANNEL_ERRORS="+s.errors.ID,
		"SUPPORT_CHANNEL_ID="+s.Discord.AddChannel("support").ID)
	s.connect(t, a.secure)
	return s
}

// connect puts relays between the bot and everything else.
func (s *scene) connect(t *testing.T, secure bool) {
	t.Helper()
	run, tls := faultproxy.RunT, ""
	if secure {
		run, tls = network().RunT, "s"
	}
	discord := address(s.Discord.GatewayURL())
	for to, target := range map[relay]string{toService: address(s.Service.URL()), toRedis: s.redis.Addr(), toDiscord: discord, toGateway: discord} {
		s.relays[to] = run(t, target)
	}
	s.Env = append(s.Env,
		"REDIS_URL=redis"+tls+"://:"+redisPassword+"@"+s.relays[toRedis].Addr(),
		"HOSTAPI_URL=http"+tls+"://"+s.relays[toService].Addr(),
		"DISCORD_API_URL=http"+tls+"://"+s.relays[toDiscord].Addr()+"/api/v9")
	s.Discord.Inject(discordtest.Fault{
		Method: http.MethodGet, Route: discordtest.RouteGatewayBot, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"url":"ws%s://%s","shards":1,"session_start_limit":{"max_concurrency":16}}`, tls, s.relays[toGateway].Addr()),
	})
}

// address is the host and port in a URL.
func address(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// tooSlow reports whether the machine is so busy that the bot took what is well for
// broken: how something ends may then be another than it should be, though it is
// true all the same.
func (s *scene) tooSlow() bool {
	return s.late > 0 || s.ended.IsZero() && s.pulse.lateSince(s.began) > 0
}

// excuse reports whether the machine may be why something is not as it should be. The fault is tried again then.
func (s *scene) excuse() bool {
	if !s.tooSlow() {
		return false
	}
	s.excused.Store(true)
	return true
}

// settle is called when all flows have ended: how fast the machine is does not matter any more.
func (s *scene) settle() { s.late, s.ended = s.pulse.lateSince(s.began), time.Now() }

// trials returns one of each flow, with people of their own.
func (s *scene) trials(flows []flow) (trials []*trial) {
	for _, f := range flows {
		trials = append(trials, &trial{flow: f, person: s.newPerson(f.name())})
	}
	return trials
}

// person is somebody with an account of their own, for one flow, and the member of
// staff who helps them.
type person struct {
	scene *scene
	user  *discordtest.User
	staff *discordtest.User
}

// manager lets a user manage messages, beside what everybody may do, as panels need.
const manager = 0x7fcf98637ce41 | 1<<13

// newPerson opens an account with bots enough for two pages.
func (s *scene) newPerson(name string) *person {
	c := &person{scene: s, user: s.Discord.User(name, discordtest.Permissions(manager)), staff: s.AddStaff("staff for " + name)}
	if len(s.places) > 0 {
		s.mu.Lock()
		c.user = c.user.In(s.places[s.people%len(s.places)])
		s.people++
		s.mu.Unlock()
	}
	s.Service.AddAccount(c.user.ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
	c.restock()
	return c
}

// The bots of every customer.
const (
	shop  = "Shop"  // runs
	idle  = "Idle"  // is stopped
	radio = "Radio" // runs, and crashes unnoticed before things break
)

// restock brings the account into its first state.
func (c *person) restock() {
	for _, s := range c.scene.Service.Servers(c.user.ID) {
		c.scene.Service.Remove(c.user.ID, s.ID)
	}
	for _, name := range []string{shop, idle, radio, "D", "E", "F", "G", "H", "I", "J", "K"} {
		s := hostapitest.Server{ID: name + "-" + c.user.ID, Name: name, Status: hostapitest.Running}
		if name == idle {
			s.Status = hostapitest.Stopped
		}
		c.scene.Service.AddServer(c.user.ID, s)
	}
}

// crash has a bot crash of which only the service knows.
func (c *person) crash() {
	c.scene.Service.SetStatus(c.user.ID, radio+"-"+c.user.ID, hostapitest.Crashed)
}

// checkRedis fails the test where Redis holds a secret. It may hold an interaction's token, by which
// another process tells how an action ended, and only where that expires.
func (s *scene) checkRedis(t *testing.T) {
	t.Helper()
	if known := len(s.Secrets()); known < 20 {
		t.Errorf("only %d secrets are known", known)
	}
	in := s.SecretsIn()
	for _, key := range s.redis.Keys() {
		for _, what := range in(key + "\n" + s.contents(key)) {
			expires := s.redis.TTL(key) // 0 as well if the action has ended since, and the key is gone
			if what != "interaction token" || expires == 0 && s.redis.Exists(key) {
				t.Errorf("%s holds the %s, and expires after %v", key, what, expires)
			}
		}
	}
}

// contents is all that is in a key. Dump takes a second of CPU time for a scene's keys, in which Redis answers nobody.
func (s *scene) contents(key string) string {
	var parts []string
	switch s.redis.Type(key) { // what a key that is gone since has is nothing
	case "string":
		value, _ := s.redis.Get(key)
		parts = append(parts, value)
	case "hash":
		parts, _ = s.redis.HKeys(key)
		for _, field := range parts {
			parts = append(parts, s.redis.HGet(key, field))
		}
	case "set":
		parts, _ = s.redis.Members(key)
	case "zset":
		parts, _ = s.redis.ZMembers(key)
	case "list":
		parts, _ = s.redis.List(key)
	case "stream":
		entries, _ := s.redis.Stream(key)
		for _, entry := range entries {
			parts = append(parts, entry.Values...)
		}
	}
	return strings.Join(parts, "\n")
}

// accountKey is in the keys of accounts.
const accountKey = ":account:"

// remembered waits until the bot has kept the customer's account, which it does
// after the answer, and not where Redis is slow.
func (c *person) remembered(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return world.Eventually(ctx, func() bool {
		return slices.ContainsFunc(c.scene.redis.Keys(), func(key string) bool {
			return strings.Contains(key, accountKey) && strings.Contains(key, c.user.ID)
		})
	})
}
