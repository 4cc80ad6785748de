package check_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"hostbot/bot/ops/check"
	"hostbot/bot/staff/health"
	"hostbot/bot/testing/discordtest"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

const password = "password-of-redis"

// scene is a configuration and its counterparts, in which all is well until a test
// changes something.
type scene struct {
	discord *discordtest.Server
	service *hostapitest.Service
	redis   *fakeRedis
	staff   *discordtest.Channel
	support *discordtest.Role
	anna    *discordtest.User
	env     map[string]string
	userID  string
	limit   time.Duration
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{discord: discordtest.RunT(t), service: hostapitest.RunT(t), redis: startRedis(t), limit: 20 * time.Second}
	s.staff, s.support, s.anna = s.discord.AddChannel("staff"), s.discord.AddRole("Support"), s.discord.User("anna")
	s.staff.Hide()
	s.service.AddAccount(s.anna.ID, hostapitest.Plan{Name: "Pro", RAMMB: 1024, MaxServers: 5})
	s.service.AddServer(s.anna.ID, hostapitest.Server{ID: "shop", Name: "Shop", RAMMB: 512})
	s.env = map[string]string{
		"DISCORD_TOKEN": s.discord.Token(), "DISCORD_API_URL": s.discord.URL(),
		"HOSTAPI_URL": s.service.URL(), "HOSTAPI_SECRET": s.service.Secret(),
		"REDIS_URL": "redis://:" + password + "@" + s.redis.server.Addr().String(), "LOG_CHANNEL_ID": s.staff.ID,
		"ADMIN_GUILD_ID": s.discord.GuildID(), "ADMIN_ROLE_IDS": s.support.ID, "ADMIN_USER_IDS": s.anna.ID,
		"DISCORD_GUILD_ID": s.discord.GuildID(), "HTTP_ADDR": "127.0.0.1:0",
	}
	return s
}

// run makes the checks and returns what they found. No item may tell a secret.
func (s *scene) run(t *testing.T) (found []health.Item, passed bool) {
	t.Helper()
	var environ []string
	for name, value := range s.env {
		environ = append(environ, name+"="+value)
	}
	settings, err := configs.Load("", environ)
	if err != nil {
		t.Fatal(err)
	}
	c := check.Config{Settings: settings, Doubts: configs.Doubts(settings, environ), Version: "1.2.3", UserID: s.userID, Limit: s.limit}
	passed = check.Run(t.Context(), c, func(f health.Item) { found = append(found, f) })
	for _, f := range found {
		for _, secret := range []string{s.env["DISCORD_TOKEN"], s.env["HOSTAPI_SECRET"], password} {
			if strings.Contains(f.Text+f.Cure, secret) {
				t.Errorf("%s tells a secret: %v", f.Name, f)
			}
		}
	}
	return found, passed
}

// fakeRedis is a Redis that tells of itself what a test says, and notes what it was
// asked.
type fakeRedis struct {
	server *server.Server

	mu       sync.Mutex
	info     map[string]string
	config   map[string]string // nil: CONFIG is forbidden
	skew     time.Duration
	refusals map[string]string // of commands, by their names; of all, by ""
	hangs    chan struct{}
	commands []string // that were not discarded
	queues   map[*server.Peer]bool
}

func startRedis(t *testing.T) *fakeRedis {
	t.Helper()
	s, err := server.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r := &fakeRedis{
		server: s, queues: make(map[*server.Peer]bool), refusals: make(map[string]string), config: map[string]string{"appendfsync": "always", "save": "3600 1"},
		info: map[string]string{
			"redis_version": "7.0.15", "redis_mode": "standalone", "role": "master", "aof_enabled": "1", "aof_last_write_status": "ok",
			"used_memory": "500000", "used_memory_human": "488.28K", "rdb_last_bgsave_status": "ok", "maxmemory": "1000000", "maxmemory_human": "976.56K", "maxmemory_policy": "noeviction",
		},
	}
	for name, answer := range map[string]server.Cmd{"AUTH": authenticate, "INFO": r.tellInfo, "TIME": r.tellTime, "CONFIG": r.tellConfig} {
		if err := s.Register(name, answer); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"WATCH", "UNWATCH"} {
		if err := s.Register(name, func(c *server.Peer, _ string, _ []string) { c.WriteOK() }); err != nil {
			t.Fatal(err)
		}
	}
	s.SetPreHook(func(c *server.Peer, name string, args ...string) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.refusals[name] != "" || r.refusals[""] != "":
			c.WriteError(r.refusals[name] + r.refusals[""])
			return true
		case name == "MULTI", name == "DISCARD", name == "EXEC":
			r.queues[c] = name == "MULTI"
			c.WriteOK()
			return true
		case r.queues[c]:
			c.WriteInline("QUEUED")
			return true
		}
		if name == "CONFIG" {
			name += " " + strings.ToUpper(args[0])
		}
		r.commands = append(r.commands, name)
		return false
	})
	return r
}

func authenticate(c *server.Peer, _ string, args []string) {
	if args[len(args)-1] != password {
		c.WriteError("WRONGPASS invalid username-password pair or user is disabled.")
		return
	}
	c.WriteOK()
}

func (r *fakeRedis) tellInfo(c *server.Peer, _ string, _ []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hangs != nil {
		<-r.hangs
	}
	var text strings.Builder
	for name, value := range r.info {
		fmt.Fprintf(&text, "# Section\r\n%s:%s\r\n", name, value)
	}
	c.WriteBulk(text.String())
}

func (r *fakeRedis) tellTime(c *server.Peer, _ string, _ []string) {
	now := time.Now().Add(r.skew)
	c.WriteStrings([]string{strconv.FormatInt(now.Unix(), 10), "0"})
}

func (r *fakeRedis) tellConfig(c *server.Peer, _ string, args []string) {
	value, ok := r.config[args[1]]
	if !ok {
		c.WriteError("NOPERM this user has no permissions to run the 'config|get' command")
		return
	}
	c.WriteStrings([]string{args[1], value})
}
