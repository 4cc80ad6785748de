package bot

import (
	"context"
	"strings"
	"time"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/discord/shards"
	"hostbot/bot/ops/monitor"
	"hostbot/bot/staff/stafflog"
	"hostbot/locale"
)

func (b *Bot) openShards() {
	b.discovery = &gateway.Discovery{REST: b.discord, API: b.settings.Discord.APIURL, OnRefused: b.gatewayRefused}
	identifies := new(gateway.IdentifyLimiter)
	config := shards.Config{
		Count: int(b.settings.Discord.Shards), Discovery: b.discovery,
		OnLost:     func(reason error) { b.lost(noShard, reason) },
		OnReleased: b.released, OnOutgrown: b.outgrown, OnTooFew: b.tooFewShards, Log: b.log, Timing: shards.DefaultTiming(),
	}
	if !b.redis.Embedded {
		config.Redis, identifies.Redis, b.discovery.Redis = b.redis.Client, b.redis.Client, b.redis.Client
		config.Space, identifies.Space, b.discovery.Space = b.space, b.space, b.space
	}
	transport := gateway.NewTransport()
	b.onClose(transport.CloseIdleConnections)
	discord := b.settings.Discord
	config.Gateway = func(shard gateway.Shard, session gateway.Session) *gateway.Gateway {
		var g *gateway.Gateway
		g = gateway.New(gateway.Config{
			Token: discord.Token, Version: b.discord.Version(), Shard: shard, Session: session,
			Discovery: b.discovery, Identifies: identifies, Transport: transport,
			AllowPlain:    strings.HasPrefix(discord.APIURL, "http://"),
			OnInteraction: b.responder.Accept,
			OnReady:       func() { b.connected(shard.ID, g.Session().ApplicationID) },
			OnResumed:     func() { b.resumed(shard.ID) },
			OnLost:        func(reason error) { b.lost(shard.ID, reason) },
			OnPause:       func(pause time.Duration) { b.connectsAt.Store(time.Now().Add(pause).UnixNano()) },
		})
		return g
	}
	b.shards = shards.New(config)
	b.monitor.Gateway(func() monitor.Gateway {
		now := monitor.Gateway{
			Shards: b.shards.Held(), Identifies: identifies.Taken(), Resumes: b.connections.resumes.Load(), Handovers: b.shards.Handovers(),
		}
		if limits := b.discovery.Last(); limits != nil {
			now.Limits = *limits
		}
		return now
	})
}

// handOver hands the shards to other replicas. From here on the bot is not ready.
func (b *Bot) handOver() {
	b.stopping.Store(true)
	if b.shards != nil {
		within(handOverLimit, func(ctx context.Context) { b.shards.Leave(ctx) })
	}
}

// heldShards returns the shards of this replica; nil if interactions arrive over HTTP.
func (b *Bot) heldShards() []shards.Status {
	if b.shards == nil {
		return nil
	}
	return b.shards.Held()
}

// gatewayRefused is called when Discord refuses GET /gateway/bot, with the address that is used instead.
func (b *Bot) gatewayRefused(why error, address string) {
	b.log.Warn().Err(why).Str("address", address).Msg("discord refuses to say where the gateway is: the address of before is used, and discord is asked every five minutes")
}

// whyNoGateway returns why Discord refuses GET /gateway/bot; nil while it does not.
func (b *Bot) whyNoGateway() error {
	if b.discovery == nil {
		return nil
	}
	return b.discovery.Refused()
}

// outgrown is called when Discord recommends more shards than are running.
func (b *Bot) outgrown(recommended, running int) {
	b.tell(b.log.Warn().Int("recommended", recommended).Int("running", running),
		"discord recommends more shards: a restart of all replicas begins them where DISCORD_SHARDS is auto; otherwise raise it",
		stafflog.Outgrown, stafflog.Facts{Args: locale.Args{"Recommended": recommended, "Running": running}})
}

// tooFewShards is called when Discord refuses a shard because there are too few.
func (b *Bot) tooFewShards(reason error) {
	select {
	case b.mustStop <- reason:
	default: // the program stops already
	}
}
