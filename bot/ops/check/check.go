// Package check tries the program's settings against their counterparts: Discord, the
// hosting service and Redis. It changes nothing there. Its findings are for operators,
// and holds no secret.
package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/sanitize"
	"hostbot/bot/store/redisclient"
	"hostbot/configs"
)

// Result says whether the bot can work with what a check found.
type Result string

// The results. With a warning the bot works, and lacks something.
const (
	OK      Result = "ok"
	Warning Result = "warning"
	Failure Result = "failure"
)

// Finding is what a check found.
type Finding struct {
	Name   string `json:"name"` // of the check; no two have the same
	Result Result `json:"result"`
	Found  string `json:"found"`
	Cure   string `json:"cure"` // empty where nothing is to be done
}

// Config is what is checked.
type Config struct {
	Settings *configs.Settings // valid ones
	Version  string            // of the program, of which it tells the service
	// UserID is the customer whose bots the service is asked for; empty for nobody's.
	UserID string
	// Limit bounds each check.
	Limit time.Duration
}

// maxText bounds what is told of a finding, in characters: some of it comes from
// outside.
const maxText = 400

// Run makes all checks at the same time and tells of each in their order. It returns
// whether none failed.
func Run(ctx context.Context, config Config, tell func(Finding)) (passed bool) {
	ctx, cancel := context.WithTimeout(ctx, config.Limit)
	defer cancel()
	c := &checker{Config: config, discord: newDiscord(ctx, rest.New(config.Settings.Discord.Token, config.Settings.Discord.APIURL))}
	defer c.discord.rest.Close()
	if address := config.Settings.Redis.URL; address != "" {
		if conn, err := redisclient.Open(address, zerolog.Nop(), nil); err == nil { // as the address is valid
			defer conn.Close()
			c.redis = newRedis(ctx, conn.Client)
		}
	}

	var waiting []<-chan Finding
	checks := c.checks()
	for _, one := range checks {
		found := make(chan Finding, 1)
		waiting = append(waiting, found)
		go func() { found <- one.run(ctx) }()
	}
	passed = true
	for i, found := range waiting {
		f := <-found
		passed = passed && f.Result != Failure
		tell(Finding{checks[i].name, f.Result, sanitize.Plain(f.Found, maxText), sanitize.Plain(f.Cure, maxText)})
	}
	return passed
}

type checker struct {
	Config
	discord *discord
	redis   *redisServer // nil: the bot keeps its data in the process
}

// check is one check. Its function returns a finding without a name, soon after ctx is
// done.
type check struct {
	name string
	run  func(ctx context.Context) Finding
}

// checks is the table of all checks that the settings call for.
func (c *checker) checks() []check {
	s := c.Settings
	list := []check{
		{"token", c.token},
		{"application", c.application},
		{"interactions", c.interactions},
		{"intents", c.intents},
		{"clock", c.clock},
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
	list = append(list, check{"hosting service", c.service})
	if c.redis == nil {
		return append(list, check{"redis", noRedis})
	}
	return append(list,
		check{"redis", c.redis.server}, check{"redis persistence", c.redis.persistence},
		check{"redis eviction", c.redis.eviction}, check{"redis clock", c.redis.clock})
}

func good(format string, args ...any) Finding {
	return Finding{Result: OK, Found: fmt.Sprintf(format, args...)}
}

func warn(cure, format string, args ...any) Finding {
	return Finding{Result: Warning, Found: fmt.Sprintf(format, args...), Cure: cure}
}

func fail(cure, format string, args ...any) Finding {
	return Finding{Result: Failure, Found: fmt.Sprintf(format, args...), Cure: cure}
}

// notChecked is the finding where another check has failed on which this one builds.
func notChecked(other string) Finding {
	return warn("mend "+other+" first", "not checked")
}
