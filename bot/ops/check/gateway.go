package check

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/coder/websocket"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/staff/health"
)

// gateway tells how many sessions may still be begun, and whether this machine reaches
// the gateway, where a proxy or a firewall may stop what is no plain request.
// https://docs.discord.com/developers/events/gateway#session-start-limit-object
func (c *checker) gateway(ctx context.Context) health.Item {
	if _, err := c.discord.me(); err != nil {
		return notChecked("the token")
	}
	var said *discordgo.GatewayBotResponse
	err := rest.Retry(ctx, rest.Retries{Limit: patience, Again: rest.IsLimited}, func(ctx context.Context) (err error) {
		said, err = c.discord.rest.GatewayBot(ctx)
		return err
	})
	if err != nil {
		return discordTrouble(err)
	}
	limit, set := said.SessionStartLimit, int(c.cfg.Settings.Discord.Shards)
	again := (time.Duration(limit.ResetAfter) * time.Millisecond).Round(time.Minute)
	const cure = "find out what restarts the bot or breaks its connection so often"
	err = hello(ctx, said.URL, c.discord.rest.Version())
	switch {
	case err != nil:
		return fail("let websockets through from this machine to "+said.URL, "the gateway does not answer: %s", reason(err))
	case limit.Remaining <= 0:
		return fail(cure, "no session is left of the day's %d; the bot cannot connect for %v", limit.Total, again)
	case said.Shards > 0 && set > shards.MostTimes*said.Shards:
		return warn("set DISCORD_SHARDS to auto, or lower it", "DISCORD_SHARDS is %d, more than %d times the %d that Discord recommends, so that %[3]d are begun",
			set, shards.MostTimes, said.Shards)
	case set > 0 && 5*set < 2*said.Shards: // Discord allows 2,500 guilds where it recommends one shard for 1,000
		return fail("set DISCORD_SHARDS to auto, or raise it", "DISCORD_SHARDS is %d, where Discord recommends %d: it refuses so few (close code 4011)", set, said.Shards)
	case set > 0 && set < said.Shards:
		return warn("set DISCORD_SHARDS to auto, or raise it", "DISCORD_SHARDS is %d, where Discord recommends %d: it refuses fewer than it needs (close code 4011)", set, said.Shards)
	case limit.Remaining < limit.Total/5:
		return warn(cure, "%d of the day's %d sessions are left; all are again in %v", limit.Remaining, limit.Total, again)
	}
	return good("it answers; %d of the day's %d sessions are left; recommended shards: %d", limit.Remaining, limit.Total, said.Shards)
}

// hello connects to the gateway and reads its first message. A session takes more.
// https://docs.discord.com/developers/events/gateway#connecting
func hello(ctx context.Context, address string, version int) error {
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	query := "/?v=" + strconv.Itoa(version) + "&encoding=json"
	ws, _, err := websocket.Dial(ctx, strings.TrimRight(address, "/")+query, &websocket.DialOptions{ //nolint:bodyclose // the library reads and closes it
		HTTPClient: client, HTTPHeader: http.Header{"User-Agent": {rest.UserAgent}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	_, _, err = ws.Read(ctx)
	return err
}
