package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/discordtest"
	"hostbot/bot/faultproxy"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

// patience is how long a test waits for what is not a question of time.
const patience = 2 * time.Minute

// broken is a world between whose bot and everything else there are relays, and
// in which nothing but failing takes time. What the bot remembers of an account is
// never new enough to be shown without asking.
type broken struct {
	*world
	toService, toRedis, toDiscord, toGateway *faultproxy.Relay
	kept                                     *miniredis.Miniredis // the Redis
	actions, errors, lifecycle               *discordtest.Channel
	support                                  *discordtest.Role
	done                                     deeds
	moment                                   chan struct{} // taken by who does something
	pulse                                    *pulse
}

// deeds is what the service carried out, by customer.
type deeds struct {
	mu   sync.Mutex
	list map[string][]hostapitest.Operation
}

func (d *deeds) add(op hostapitest.Operation, userID, _ string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list[userID] = append(d.list[userID], op)
}

// of returns how often something was done for a customer.
func (d *deeds) of(userID string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.list[userID])
}

// newBroken makes the world for a fault, which has not struck yet.
func newBroken(t *testing.T, x fault) *broken {
	t.Helper()
	b := &broken{done: deeds{list: make(map[string][]hostapitest.Operation)}, kept: miniredis.RunT(t),
		moment: make(chan struct{}, atTheSameMoment), pulse: startPulse(t)}
	b.kept.ClockTTL(true)
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true, HeartbeatInterval: x.heartbeats})
	discord.ExpectFailures() // those that may be are checked for each fault
	b.world = &world{
		discord: discord, log: &logBuffer{}, channel: discord.AddChannel("lifecycle"),
		service: hostapitest.RunWith(t, hostapitest.Options{Restart: -1, Reinstall: -1, Start: -1, Stop: -1, Acted: b.done.add}),
		tune:    func(s *configs.Settings) { s.Cache.TTL = 0 },
	}
	b.lifecycle, b.actions, b.errors = b.channel, discord.AddChannel("actions"), discord.AddChannel("errors")
	b.support = discord.AddRole("Support")
	b.connect(t, x.secure)
	b.env = append(append(b.env, x.env...),
		"LOG_CHANNEL_ACTIONS="+b.actions.ID, "LOG_CHANNEL_ERRORS="+b.errors.ID,
		"ADMIN_GUILD_ID="+discord.GuildID(), "ADMIN_ROLE_IDS="+b.support.ID)
	t.Cleanup(func() { b.findSecrets(t) })
	return b
}

// connect puts relays between the bot and everything else.
func (b *broken) connect(t *testing.T, secure bool) {
	t.Helper()
	run, tls := faultproxy.RunT, ""
	if secure {
		run, tls = network(t).RunT, "s"
	}
	discord := address(b.discord.GatewayURL())
	b.toService, b.toRedis = run(t, address(b.service.URL())), run(t, b.kept.Addr())
	b.toDiscord, b.toGateway = run(t, discord), run(t, discord)
	b.redis = "redis" + tls + "://" + b.toRedis.Addr()
	b.env = append(b.env,
		"HOSTAPI_URL=http"+tls+"://"+b.toService.Addr(),
		"DISCORD_API_URL=http"+tls+"://"+b.toDiscord.Addr()+"/api/v9")
	b.discord.Inject(discordtest.Fault{
		Method: http.MethodGet, Route: discordtest.RouteGatewayBot, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"url":"ws%s://%s"}`, tls, b.toGateway.Addr()),
	})
}

// person is somebody with an account of their own, for one flow, and whoever
// of the staff helps them.
type person struct {
	world *broken
	user  *discordtest.User
	staff *discordtest.User
}

// newPerson opens an account with bots enough for two pages.
func (b *broken) newPerson(name string) *person {
	c := &person{
		world: b, user: b.discord.User(name),
		staff: b.discord.User("staff for "+name, discordtest.Permissions(manageGuild), discordtest.Roles(b.support.ID)),
	}
	b.service.AddAccount(c.user.ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
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
	for _, s := range c.world.service.Servers(c.user.ID) {
		c.world.service.Remove(c.user.ID, s.ID)
	}
	for _, name := range []string{shop, idle, radio, "D", "E", "F", "G", "H", "I", "J", "K"} {
		s := hostapitest.Server{ID: name + "-" + c.user.ID, Name: name, Status: hostapitest.Running}
		if name == idle {
			s.Status = hostapitest.Stopped
		}
		c.world.service.AddServer(c.user.ID, s)
	}
}

// crash has a bot crash of which only the service knows.
func (c *person) crash() {
	c.world.service.SetStatus(c.user.ID, radio+"-"+c.user.ID, hostapitest.Crashed)
}

// accountKey is in the keys of accounts.
const accountKey = ":account:"

// remembers waits until the bot has kept a customer's account, which it does
// after the answer, and not where Redis is slow.
func (b *broken) remembers(ctx context.Context, userID string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return eventually(ctx, func() bool {
		return slices.ContainsFunc(b.kept.Keys(), func(key string) bool { return strings.Contains(key, accountKey) && strings.Contains(key, userID) })
	})
}

// tooSlow tells whether the machine is so busy that the bot took what is well for
// broken: how something ends may then be another than it should be, though it is
// true all the same.
func (b *broken) tooSlow() bool { return b.pulse.missed() }

// eventually waits until something is so, or ctx is done.
func eventually(ctx context.Context, yes func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// address is the host and port in a URL.
func address(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
