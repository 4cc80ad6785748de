package register

import (
	"context"
	"fmt"
)

// guildsKey is the key of a set that never expires: the guilds in which the
// program has registered commands, or was about to.
func (r *Registrar) guildsKey() string {
	return "hostbot:commands:" + r.config.ApplicationID + ":guilds"
}

// rememberGuilds adds the guilds of the wanted lists to those that are remembered
// and returns all of them. It is called before anything is registered: what a
// killed program left behind is known to the next start.
func (r *Registrar) rememberGuilds(ctx context.Context, wanted []Scope) ([]string, error) {
	pipe := r.config.Redis.Pipeline()
	for _, s := range wanted {
		if s.GuildID != "" {
			pipe.SAdd(ctx, r.guildsKey(), s.GuildID)
		}
	}
	remembered := pipe.SMembers(ctx, r.guildsKey())
	if _, err := pipe.Exec(ctx); err != nil {
		if ctx.Err() == nil {
			r.config.Log.Warn().Err(err).Msg("the guilds with commands of an earlier configuration are not known: redis could not be asked")
		}
		return nil, fmt.Errorf("remember guilds: %w", err)
	}
	return remembered.Val(), nil
}

// forgetGuild forgets a guild whose list is empty. Where Redis does not take
// that, the next start finds the list empty and forgets it.
func (r *Registrar) forgetGuild(ctx context.Context, guildID string) {
	if guildID == "" {
		return
	}
	if err := r.config.Redis.SRem(ctx, r.guildsKey(), guildID).Err(); err != nil {
		r.config.Log.Debug().Err(err).Str("guild", guildID).Msg("a guild without commands is still remembered")
	}
}
