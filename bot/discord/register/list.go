package register

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// entryPoint is the type of the command that opens an application's Activity. Discord creates it when Activities
// are enabled; discordgo does not know it.
const entryPoint discordgo.ApplicationCommandType = 4

// command is a command as Discord lists it.
type command struct {
	discordgo.ApplicationCommand
	// raw is the whole JSON, as discordgo's type lacks an Entry Point command's handler.
	raw json.RawMessage
}

// UnmarshalJSON keeps a copy of the text.
func (c *command) UnmarshalJSON(text []byte) error {
	c.raw = append(json.RawMessage(nil), text...)
	return json.Unmarshal(text, &c.ApplicationCommand)
}

// read returns a guild's commands, or the global ones if guildID is empty. Without the query Discord leaves out
// translations (documentation, "Retrieving localized commands").
func (r *Registrar) read(ctx context.Context, guildID string) (commands []command, err error) {
	err = r.request(ctx, http.MethodGet, r.endpoint(guildID)+"?with_localizations=true", nil, &commands)
	return commands, err
}

// overwrite replaces a list by the wanted one and returns the new list. there is the list before.
//
// An Entry Point command is sent back as it was read, as Discord refuses an overwrite without it (400, code 50240;
// SkyBlock-Nerds/NerdBot#609, Pycord-Development/pycord#3276).
func (r *Registrar) overwrite(ctx context.Context, guildID string, wanted []*discordgo.ApplicationCommand, there []command) (commands []command, err error) {
	body := make([]any, 0, len(wanted)+1)
	for _, c := range wanted {
		body = append(body, c)
	}
	for _, c := range there {
		if c.Type == entryPoint {
			body = append(body, c.raw)
		}
	}
	err = r.request(ctx, http.MethodPut, r.endpoint(guildID), body, &commands)
	return commands, err
}

func (r *Registrar) endpoint(guildID string) string {
	if guildID == "" {
		return discordgo.EndpointApplicationGlobalCommands(r.application.ID)
	}
	return discordgo.EndpointApplicationGuildCommands(r.application.ID, guildID)
}

// request sends a request and decodes the answer into out.
func (r *Registrar) request(ctx context.Context, method, url string, body, out any) error {
	answer, err := r.config.Session.Request(method, url, body, discordgo.WithContext(ctx))
	if err != nil {
		return rest.SessionError(err)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}

// chatIDs returns the IDs of chat commands by name. Only these can be mentioned.
func chatIDs(commands []command) map[string]string {
	ids := make(map[string]string, len(commands))
	for _, c := range commands {
		if c.Type == discordgo.ChatApplicationCommand {
			ids[c.Name] = c.ID
		}
	}
	return ids
}
