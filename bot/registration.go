package bot

import (
	"context"

	"hostbot/bot/discord/register"
)

// registerCommands waits until Discord is known to be reachable. Until ctx is done it then keeps Discord's
// lists equal to the commands that the bot serves.
func (b *Bot) registerCommands(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.reachable:
		registrar := register.New(register.Config{
			Session: b.discord.Session(), PublicKey: string(b.settings.Discord.PublicKey), Redis: b.redis.Client,
			Support: b.settings.Admin.SupportChannelID != "", Staff: b.stafflog, Log: b.log, Timing: register.DefaultTiming(), OnBack: b.discord.OnBack,
			Leading: b.leader.Leading,
			OnForeignKey: func() {
				if b.endpoint != nil {
					b.endpoint.RefuseAll()
				}
			},
		})
		scopes := b.scopes()
		registrar.Run(ctx, scopes)
		if ctx.Err() == nil {
			b.afterStart()
		}
		registrar.Keep(ctx, scopes)
	}
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
