package bot

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/processlog"
	"hostbot/bot/register"
	"hostbot/bot/rest"
)

// registerCommands waits for the application's ID and then sees to it that
// Discord knows the commands, trying again while it does not answer. Commands
// of an earlier start are served meanwhile. The channel is closed at the end.
func (b *Bot) registerCommands(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
		case applicationID := <-b.connection.applications:
			b.syncCommands(ctx, applicationID)
			debug.FreeOSMemory() // what starting took, which is a tenth of what an idle bot holds
		}
	}()
	return done
}

func (b *Bot) syncCommands(ctx context.Context, applicationID string) {
	changed := false
	var refused error
	for _, scope := range b.scopes() {
		updated, err := b.syncScope(ctx, applicationID, scope)
		if ctx.Err() != nil {
			return
		}
		changed = changed || updated
		refused = errors.Join(refused, err)
	}
	if changed {
		b.journal.CommandsUpdated()
	}
	if refused != nil { // it is no use to try again; commands of an earlier start go on
		b.journal.CommandsRefused(refused)
		return
	}
	b.log.Info().Bool("changed", changed).Msg("the commands are registered")
}

// scope is where commands are registered: in a guild, or everywhere where its ID
// is empty.
type scope struct {
	guildID  string
	commands []register.Command
}

// scopes returns which commands belong where: customers' everywhere, or in the
// one guild that is set; staff's in the guild of theirs, which may be the same.
func (b *Bot) scopes() []scope {
	customers := scope{b.settings.Discord.GuildID, b.handlers.Definitions()}
	switch {
	case b.staff == nil:
		return []scope{customers}
	case b.settings.Admin.GuildID == customers.guildID:
		customers.commands = append(customers.commands, b.staff.Definitions()...)
		return []scope{customers}
	default:
		return []scope{customers, {b.settings.Admin.GuildID, b.staff.Definitions()}}
	}
}

// syncScope registers the commands of one scope, whatever becomes of another, and
// tries again until Discord has taken or refused them.
func (b *Bot) syncScope(ctx context.Context, applicationID string, s scope) (changed bool, refused error) {
	_, _ = backoff.Retry(ctx, func() (struct{}, error) {
		ids, updated, err := register.Sync(ctx, b.discord, applicationID, s.guildID, s.commands)
		changed, refused = updated, err
		if err == nil && s.guildID == b.settings.Discord.GuildID {
			b.handlers.Registered(ids)
		}
		if err != nil && ctx.Err() == nil {
			processlog.Told(b.log.Error()).Err(err).Str("guild", s.guildID).Msg("the commands could not be registered")
		}
		return struct{}{}, rest.Retry(err)
	}, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(0)) // the error is in refused
	return changed, refused
}
