package bot

import (
	"context"

	"hostbot/bot/discord/register"
)

// registerCommands waits until it is known that Discord is there, and then sees to it that
// Discord lists the commands that are served, and no others, until ctx is done.
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
		if b.afterStart != nil && ctx.Err() == nil {
			b.afterStart()
		}
		registrar.Keep(ctx, scopes)
	}
}

// scopes returns which commands belong where: customers' everywhere, or in the
// one guild that is set; staff's in the guild of theirs, which may be the same.
// Those of customers come first.
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
