package bot

import (
	"context"
	"runtime/debug"

	"hostbot/bot/register"
)

// registerCommands waits for the application's ID and then sees to it that
// Discord lists the commands that are served, and no others. Commands are served
// meanwhile. The channel is closed when that is done or ctx is.
func (b *Bot) registerCommands(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
		case applicationID := <-b.connection.applications:
			registrar := register.New(register.Config{
				Session: b.discord.Session(), ApplicationID: applicationID, Redis: b.redis.Client,
				Staff: b.stafflog, Log: b.log, Timing: register.DefaultTiming(),
			})
			registrar.Run(ctx, b.scopes())
			// Memory for what starting took is a tenth of what an idle bot holds.
			debug.FreeOSMemory()
		}
	}()
	return done
}

// scopes returns which commands belong where: customers' everywhere, or in the
// one guild that is set; staff's in the guild of theirs, which may be the same.
// Those of customers come first.
func (b *Bot) scopes() []register.Scope {
	customers := register.Scope{
		GuildID: b.settings.Discord.GuildID, Commands: b.handlers.Definitions(), Registered: b.handlers.Registered,
	}
	switch {
	case b.staff == nil:
		return []register.Scope{customers}
	case b.settings.Admin.GuildID == customers.GuildID:
		customers.Commands = append(customers.Commands, b.staff.Definitions()...)
		return []register.Scope{customers}
	default:
		return []register.Scope{customers, {GuildID: b.settings.Admin.GuildID, Commands: b.staff.Definitions()}}
	}
}
