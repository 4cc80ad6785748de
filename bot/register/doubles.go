package register

import (
	"context"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/rest"
)

// removeDoubles removes from lists that are no longer wanted the commands that
// stand in a wanted one. It is called while another wanted list is refused, which
// may last until someone invites the bot: what only the old lists have is kept.
//
// An error is logged alone, as all is tried again because of the refused list.
func (r *Registrar) removeDoubles(ctx context.Context, wanted, old []Scope) {
	var standing []*discordgo.ApplicationCommand
	for _, s := range wanted {
		if r.done[s.GuildID] {
			standing = append(standing, s.Commands...)
		}
	}
	if len(standing) == 0 {
		return
	}
	for _, s := range old {
		if err := r.remove(ctx, s.GuildID, standing); err != nil {
			r.config.Log.Info().Err(err).Str("guild", s.GuildID).Msg("commands may show twice: they could not be removed from a list that is no longer wanted")
		}
	}
}

// remove removes the commands of these types and names from a list.
func (r *Registrar) remove(ctx context.Context, guildID string, commands []*discordgo.ApplicationCommand) error {
	there, err := r.read(ctx, guildID)
	if err != nil {
		return err
	}
	for _, c := range there {
		if !slices.ContainsFunc(commands, func(w *discordgo.ApplicationCommand) bool { return w.Type == c.Type && w.Name == c.Name }) {
			continue
		}
		if _, err := r.config.Session.Request(http.MethodDelete, r.endpoint(guildID)+"/"+c.ID, nil, discordgo.WithContext(ctx)); err != nil {
			return rest.SessionError(err)
		}
	}
	return nil
}
