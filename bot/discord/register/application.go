package register

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Application is what the Developer Portal has of the application
// (documentation, "Application Object"), of which discordgo's type lacks much.
type Application struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Public bool   `json:"bot_public"`
	Flags  int64  `json:"flags"`
	// VerifyKey is the public key with which Discord signs interactions.
	VerifyKey string `json:"verify_key"`
	// Installs has the installation contexts that are switched on as its keys.
	// The value of one may be an empty object (discord-api-docs#6778).
	Installs map[string]json.RawMessage `json:"integration_types_config"`
	// Endpoint is null or an address. Where there is one, Discord sends no
	// interaction over the gateway (documentation, "Interactions overview";
	// bwmarrin/discordgo#1402).
	Endpoint string `json:"interactions_endpoint_url"`
}

// readApplication reads the application, once, and says so where its interactions do
// not arrive here.
func (r *Registrar) readApplication(ctx context.Context) error {
	if r.application != nil {
		return nil
	}
	a := &Application{}
	if err := r.request(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), nil, a); err != nil {
		return fmt.Errorf("read the application: %w", err)
	}
	r.application = a
	r.checkEndpoint(a)
	return nil
}

// checkEndpoint compares where Discord sends interactions with where they are expected.
func (r *Registrar) checkEndpoint(a *Application) {
	const portal = "in the Developer Portal, under General Information"
	switch at, err := url.Parse(a.Endpoint); {
	case r.config.PublicKey == "" && a.Endpoint != "" && err == nil:
		// The host alone, as the rest may be secret.
		r.config.Log.Error().Str("host", at.Host).Msg("no command or button reaches this bot: the application has an Interactions Endpoint URL. Clear it " + portal)
		r.config.Staff.InteractionsElsewhere(at.Host)
	case r.config.PublicKey == "":
	case a.VerifyKey != "" && !strings.EqualFold(a.VerifyKey, r.config.PublicKey):
		r.config.Log.Error().Msg("no command or button reaches this bot: DISCORD_PUBLIC_KEY is another application's. The right one is " + portal)
		if r.config.OnForeignKey != nil {
			r.config.OnForeignKey()
		}
	case a.Endpoint == "":
		r.config.Log.Warn().Msg("no command or button reaches this bot yet: set the Interactions Endpoint URL " + portal)
	}
}

// definitions returns the commands of a list as they are sent. Global ones get the
// integration types and contexts that belong to them alone: Discord takes only the
// types that the application supports; a private channel between people means
// something only to a command that is installed to a user (documentation,
// "Installation Context" and "Interaction Contexts"). Where the application says
// nothing of installations, neither is sent, as an empty list is refused
// (discord.py#10216): Discord then has defaults that fit.
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
			c.Contexts = cmp.Or(c.Contexts, &contexts) // a command may say itself where it means something
		}
		commands[i] = &c
	}
	return commands
}
