// Package check tries the program's settings against their counterparts: Discord, the
// hosting service and Redis. It changes nothing there. What it finds are items of package
// health, no two of one name. They are for operators, and hold no secret.
package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/health"
	"hostbot/bot/store/redisclient"
	"hostbot/configs"
	"hostbot/configs/redisurl"
)

// Config is what is checked.
type Config struct {
	Settings *configs.Settings // valid ones
	Doubts   []configs.Doubt   // in these
	Version  string            // of the program, of which it tells the service
	// UserID is the customer whose bots the service is asked for; empty for nobody's.
	UserID string
	// Limit bounds all checks together, as they are made at the same time.
	Limit time.Duration
}

// Limit is for how long the checks of operators last at most, whoever is silent: somebody waits for them.
const Limit = 12 * time.Second

// maxText bounds the text and the cure of an item, in characters: some of it comes from
// outside.
const maxText = 400

// Run makes all checks at the same time and tells of each in their order. It returns
// whether none failed.
func Run(ctx context.Context, config Config, tell func(health.Item)) (passed bool) {
	ctx, cancel := context.WithTimeout(ctx, config.Limit)
	defer cancel()
	c := &checker{cfg: config, discord: newDiscord(ctx, rest.New(config.Settings.Discord.Token, config.Settings.Discord.APIURL))}
	defer c.discord.rest.Close()
	if address := config.Settings.Redis.URL; address != "" {
		conn, err := redisclient.Open(address, zerolog.Nop())
		options, _ := redisurl.Parse(address)
		if err == nil { // as the address is valid
			defer conn.Close()
			c.redis = newRedis(ctx, conn.Client, options)
		}
	}

	var waiting []<-chan health.Item
	checks := c.checks()
	for _, one := range checks {
		found := make(chan health.Item, 1)
		waiting = append(waiting, found)
		go func() { found <- one.run(ctx) }()
	}
	passed = true
	for i, found := range waiting {
		f := <-found
		passed = passed && f.State != health.Failure
		tell(health.Item{Name: checks[i].name, State: f.State, Text: sanitize.Plain(f.Text, maxText), Cure: sanitize.Plain(f.Cure, maxText)})
		if checks[i].name == hostingService {
			for _, bot := range c.bots {
				tell(bot)
			}
		}
	}
	return passed
}

type checker struct {
	cfg     Config
	discord *discord
	redis   *redisServer  // nil: the bot keeps its data in the process
	bots    []health.Item // of the customer who was named, once the hosting service is checked
}

// check is one check. Its function returns an item without a name, soon after ctx is
// done.
type check struct {
	name string
	run  func(ctx context.Context) health.Item
}

// hostingService is the name of a check.
const hostingService = "hosting service"

// checks is the table of all checks that the settings call for.
func (c *checker) checks() []check {
	s := c.cfg.Settings
	list := []check{
		{"token", c.token},
		{"application", c.application},
		{"interactions", c.interactions},
		{"intents", c.intents},
		{"clock", c.clock},
	}
	if len(c.cfg.Doubts) > 0 {
		list = slices.Insert(list, 0, check{"settings", c.doubts})
	}
	if s.Interactions.Addr == "" {
		list = slices.Insert(list, len(list)-1, check{"gateway", c.gateway})
	}
	if s.Discord.GuildID != "" {
		list = append(list, check{"commands guild", c.commandsGuild})
	}
	if s.Admin.GuildID != "" {
		list = append(list, check{"staff guild", c.staffGuild})
		if len(s.Admin.RoleIDs) > 0 || len(s.Admin.UserIDs) == 0 {
			list = append(list, check{"staff roles", c.staffRoles})
		}
		if len(s.Admin.UserIDs) > 0 {
			list = append(list, check{"staff users", c.staffUsers})
		}
	}
	list = append(list, c.logChannels()...)
	if s.Admin.SupportChannelID != "" {
		list = append(list, check{"support channel", c.supportChannel})
	}
	if s.HTTP.Addr != "" {
		list = append(list, check{"health and metrics", c.pages})
	}
	list = append(list, check{hostingService, c.service})
	if c.redis == nil {
		return append(list, check{"redis", noRedis})
	}
	return append(list,
		check{"redis", c.redis.server}, check{"redis rights", c.redis.rights}, check{"redis persistence", c.redis.persistence},
		check{"redis eviction", c.redis.eviction}, check{"redis clock", c.redis.clock})
}

// doubts tells of what is set and is a mistake most likely.
func (c *checker) doubts(context.Context) health.Item {
	var found, cures []string
	for _, d := range c.cfg.Doubts {
		found, cures = append(found, d.Found), append(cures, d.Cure)
	}
	return warn(strings.Join(slices.Compact(cures), "; "), "%s", strings.Join(found, "; "))
}

func good(format string, args ...any) health.Item {
	return health.Item{State: health.OK, Text: fmt.Sprintf(format, args...)}
}

func warn(cure, format string, args ...any) health.Item {
	return health.Item{State: health.Warning, Text: fmt.Sprintf(format, args...), Cure: cure}
}

func fail(cure, format string, args ...any) health.Item {
	return health.Item{State: health.Failure, Text: fmt.Sprintf(format, args...), Cure: cure}
}

// notChecked says that another check has failed that this one needs.
func notChecked(other string) health.Item {
	return warn("mend "+other+" first", "not checked")
}
