package rest

import (
	"context"
	"net/http"
	"net/url"
)

// Commands reads the application's commands in a guild or, where guildID is
// empty, the global ones, into out (a pointer to a slice).
func (c *Client) Commands(ctx context.Context, applicationID, guildID string, out any) error {
	return c.do(ctx, http.MethodGet, commandsPath(applicationID, guildID)+"?with_localizations=true", nil, out)
}

// OverwriteCommands puts commands (a slice) in the place of all that are
// registered, and reads what is registered then into out (a pointer to a slice).
func (c *Client) OverwriteCommands(ctx context.Context, applicationID, guildID string, commands, out any) error {
	return c.do(ctx, http.MethodPut, commandsPath(applicationID, guildID), commands, out)
}

func commandsPath(applicationID, guildID string) string {
	path := "applications/" + url.PathEscape(applicationID)
	if guildID != "" {
		path += "/guilds/" + url.PathEscape(guildID)
	}
	return path + "/commands"
}
