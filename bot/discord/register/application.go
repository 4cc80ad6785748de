package register

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// Application is the application as the Developer Portal has it (documentation, "Application Object").
// discordgo's type lacks most of this.
type Application struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Public bool   `json:"bot_public"`
	Flags  int64  `json:"flags"`
	// VerifyKey is the public key with which Discord signs interactions.
	VerifyKey string `json:"verify_key"`
	// Installs has the enabled installation contexts as keys. A value may be an empty object
	// (discord-api-docs#6778).
	Installs map[string]json.RawMessage `json:"integration_types_config"`
	// Endpoint is null or an address. If it is set, Discord sends no interaction over the gateway
	// (documentation, "Interactions overview"; bwmarrin/discordgo#1402).
	Endpoint string `json:"interactions_endpoint_url"`
}

// readApplication reads the application, once.
func (r *Registrar) readApplication(ctx context.Context) error {
	if r.application != nil {
		return nil
	}
	a := &Application{}
	if err := r.request(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), nil, a); err != nil {
		return fmt.Errorf("read the application: %w", err)
	}
	r.application = a
	return nil
}

// definitions returns the commands of a list as they are sent. Only global commands have integration types and
// contexts. Discord accepts only the types that the application supports. The context of a private channel
// makes sense only for commands installed to a user (documentation, "Installation Context" and "Interaction
// Contexts"). If the application names no types, neither is sent: Discord refuses an empty list
// (discord.py#10216), and its defaults fit.
func (a *Application) definitions(s Scope) []*discordgo.ApplicationCommand {
	var types []discordgo.ApplicationIntegrationType
	for key := range a.Installs {
		if n, err := strconv.ParseUint(key, 10, 8); err == nil {
			types = append(types, discordgo.ApplicationIntegrationType(n))
		}
	}
	slices.Sort(types)
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	if slices.Contains(types, discordgo.ApplicationIntegrationUserInstall) {
		contexts = append(contexts, discordgo.InteractionContextPrivateChannel)
	}
	commands := make([]*discordgo.ApplicationCommand, len(s.Commands))
	for i, c := range s.Commands {
		c := *c
		if s.GuildID != "" || len(types) == 0 {
			c.Contexts = nil
		} else {
			c.IntegrationTypes = &types
			c.Contexts = cmp.Or(c.Contexts, &contexts) // a command may have its own
		}
		commands[i] = &c
	}
	return commands
}
