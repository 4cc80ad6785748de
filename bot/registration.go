package bot

import (
	"context"
	"net/http"
	"sync"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/register"
)

// registerCommands waits until Discord is known to be reachable. Until ctx is done it then keeps Discord's
// lists equal to the commands that the bot serves.
func (b *Bot) registerCommands(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.reachable:
		var looking sync.WaitGroup
		defer looking.Wait()
		looking.Go(func() { b.arrival.Run(ctx) })
		registrar := register.New(register.Config{
			Session: b.discord.Session(), Redis: b.redis.Client,
			Support: b.settings.Admin.SupportChannelID != "", Staff: b.stafflog, Log: b.log, Timing: register.DefaultTiming(), OnBack: b.discord.OnBack,
			Leading: b.leader.Leading,
		})
		scopes := b.scopes()
		registrar.Run(ctx, scopes)
		if ctx.Err() == nil {
			b.afterStart()
		}
		registrar.Keep(ctx, scopes)
	}
}

// openArrival makes what looks whether interactions arrive.
func (b *Bot) openArrival() {
	b.arrival = &register.Lookout{
		Read: func(ctx context.Context) (*register.Application, error) {
			a := new(register.Application)
			return a, b.discord.Get(ctx, "applications/@me", a)
		},
		PublicKey: string(b.settings.Discord.PublicKey), Changed: b.arrivalChanged,
		Via: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
	}
	b.monitor.Arrival(b.arrival.Latest)
}

// arrivalChanged is told that no interaction arrives, or that they do again.
func (b *Bot) arrivalChanged(before, now register.Arrival) {
	if now.Fault == register.None {
		after := now.At.Sub(before.Since)
		b.log.Info().Dur("after_ms", after).Msg("commands and buttons reach this bot again")
		b.staffQueue.Go(func() { b.stafflog.Reached(after) })
		return
	}
	if now.Fault == register.ForeignKey && b.endpoint != nil {
		b.endpoint.RefuseAll()
	}
	level := zerolog.ErrorLevel
	if now.Fault == register.NoEndpoint && before.At.IsZero() { // it can be set once the bot answers
		level = zerolog.WarnLevel
	}
	found, cure := now.Explain()
	b.log.WithLevel(level).Str("cure", cure).Msg("no command or button reaches this bot: " + found)
	b.staffQueue.Go(func() { b.stafflog.Unreached(now) })
}

// scopes returns which commands belong where: customers' commands in DISCORD_GUILD_ID, or everywhere without
// one; staff's in ADMIN_GUILD_ID. Both may be the same guild. Customers' commands come first.
func (b *Bot) scopes() []register.Scope {
	forCustomers, forStaff := b.handlers.Definitions()
	customers := register.Scope{GuildID: b.settings.Discord.GuildID, Commands: forCustomers, Registered: b.handlers.Registered}
	switch b.settings.Admin.GuildID {
	case "":
		return []register.Scope{customers}
	case customers.GuildID:
		customers.Commands = append(customers.Commands, forStaff...)
		return []register.Scope{customers}
	default:
		return []register.Scope{customers, {GuildID: b.settings.Admin.GuildID, Commands: forStaff, Registered: b.handlers.Registered}}
	}
}
