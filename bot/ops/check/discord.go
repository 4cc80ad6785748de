package check

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/endpoint"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/staff/health"
)

// discord is what several checks ask of Discord, each once.
type discord struct {
	rest        *rest.Client
	me          func() (discordgo.User, error)
	application func() (register.Application, error)
}

// patience is for how long a check waits at most where Discord or the hosting service limits requests. A
// bot that runs with the same token or secret may have used them up.
const patience = 8 * time.Second

func newDiscord(ctx context.Context, client *rest.Client) *discord {
	d := &discord{rest: client}
	d.me = sync.OnceValues(func() (user discordgo.User, err error) {
		return user, d.get(ctx, "users/@me", &user)
	})
	// https://docs.discord.com/developers/resources/application#application-object
	d.application = sync.OnceValues(func() (a register.Application, err error) {
		return a, d.get(ctx, "applications/@me", &a)
	})
	return d
}

// get reads what is at a path, and waits where Discord limits requests.
func (d *discord) get(ctx context.Context, path string, out any) error {
	return rest.Retry(ctx, rest.Retries{Limit: patience, Again: rest.IsLimited}, func(ctx context.Context) error { return d.rest.Get(ctx, path, out) })
}

// token asks who the bot is.
func (c *checker) token(context.Context) health.Item {
	me, err := c.discord.me()
	if err != nil {
		return discordTrouble(err)
	}
	return good("Discord accepts it: it is that of %s (%s)", me.Username, me.ID)
}

// discordTrouble says what is wrong if a request to Discord failed, whatever it asked for.
func discordTrouble(err error) health.Item {
	switch v, status := rest.VerdictOf(err), rest.StatusOf(err); {
	case status == 0:
		return fail("see that this machine reaches DISCORD_API_URL, and through HTTPS_PROXY where it needs a proxy", "%s", reason(err))
	case status == http.StatusUnauthorized:
		return fail("reset the token on the portal's Bot page and set DISCORD_TOKEN to the new one", "Discord does not accept it: %s", reason(err))
	case v == rest.Limited:
		wait := max(rest.RetryAfter(err), time.Second).Round(time.Second)
		return fail(fmt.Sprintf("try again in %v: too many requests come from this bot, or from this machine's address", wait), "it is not known, as Discord limits requests: %s", reason(err))
	case v == rest.Later:
		return fail("try again in a few minutes; https://discordstatus.com says how Discord fares", "%s", reason(err))
	default:
		return fail("see that DISCORD_API_URL is right: https://discord.com/api/v10 unless you know better", "%s", reason(err))
	}
}

// reason says why a request did not succeed, without what the line says anyway.
func reason(err error) string {
	text := err.Error()
	if strings.HasSuffix(text, context.DeadlineExceeded.Error()) { // of which rest keeps the words alone
		return "no answer in time"
	}
	for _, known := range []string{"discord: ", "hosting service: ", "list: "} {
		text = strings.TrimPrefix(text, known)
	}
	return text
}

// withoutApplication says that the application could not be read, or why it was not.
func (c *checker) withoutApplication() health.Item {
	if _, err := c.discord.me(); err != nil {
		return notChecked("the token")
	}
	return notChecked("the application")
}

// application tells how the bot can be installed.
func (c *checker) application(context.Context) health.Item {
	if _, err := c.discord.me(); err != nil {
		return notChecked("the token")
	}
	app, err := c.discord.application()
	if err != nil {
		return discordTrouble(err)
	}
	_, guilds := app.Installs["0"] // https://docs.discord.com/developers/resources/application#application-object-application-integration-types
	_, users := app.Installs["1"]
	found := app.Name + " (" + app.ID + "), installed on " + strings.Join(named(map[string]bool{"guilds": guilds, "users": users}), " and ")
	switch {
	case !guilds && !users:
		return warn("choose Guild Install, User Install or both on the portal's Installation page", "%s (%s) says nothing of where it is installed", app.Name, app.ID)
	case !guilds && len(c.categories()) > 0:
		return warn("choose Guild Install as well on the portal's Installation page, so that the bot can be in the guild of its log channels", "%s", found)
	case users && !app.Public:
		return warn("turn Public Bot on, on the portal's Bot page, if customers are to install it", "%s; its owner alone may install it", found)
	case !app.Public:
		return good("%s; its owner alone may install it", found)
	}
	return good("%s, public", found)
}

// interactions reports whether Discord sends interactions to where the bot takes them, and over HTTP whether it
// is answered there.
func (c *checker) interactions(ctx context.Context) health.Item {
	app, err := c.discord.application()
	if err != nil {
		return c.withoutApplication()
	}
	key := string(c.cfg.Settings.Discord.PublicKey)
	via := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	return judgeArrival(app.Look(ctx, key, via), key != "")
}

// judgeArrival judges whether interactions arrive.
func judgeArrival(a register.Arrival, overHTTP bool) health.Item {
	days, soon := a.ExpiresSoon(time.Now())
	switch found, cure := a.Explain(); {
	case a.Fault == register.NoEndpoint:
		// The portal saves an address only if the bot answers there: whoever checks before the first start cannot have set it.
		return warn("once the bot runs, "+cure, "no command or button reaches the bot yet: %s", found)
	case a.Fault != register.None:
		return fail(cure, "no command or button reaches the bot: %s", found)
	case !overHTTP:
		return good("they arrive over the gateway")
	case soon:
		return warn("renew it, and see why that was not done by itself", "they arrive over HTTP at %s, whose certificate expires in %d days", a.Host, days)
	case a.Path != endpoint.Path:
		return warn("see that a proxy turns its path into "+endpoint.Path, "they arrive over HTTP at %s, at another path than the bot's", a.Host)
	case a.Expires.IsZero():
		return good("they arrive over HTTP at %s", a.Host)
	}
	return good("they arrive over HTTP at %s, whose certificate is good for %d more days", a.Host, days)
}

// intents tells of privileged intents. The flags are those of
// https://docs.discord.com/developers/resources/application#application-object-application-flags:
// the second of each pair is that of a bot that is not reviewed, which since 2026-06-10 is
// one with fewer than 10,000 users and no longer one in fewer than 100 guilds
// (https://docs.discord.com/developers/gateway/getting-started-with-privileged-intent-review).
func (c *checker) intents(context.Context) health.Item {
	app, err := c.discord.application()
	if err != nil {
		return c.withoutApplication()
	}
	on := named(map[string]bool{
		"Presence": app.Flags&(1<<12|1<<13) != 0, "Server Members": app.Flags&(1<<14|1<<15) != 0, "Message Content": app.Flags&(1<<18|1<<19) != 0,
	})
	if len(on) > 0 {
		return warn("turn them off on the portal's Bot page: past 10,000 users Discord reviews what they are for",
			"privileged intents are on (%s), and the bot uses none", strings.Join(on, ", "))
	}
	return good("no privileged one is on, and none is needed")
}
