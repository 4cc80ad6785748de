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

// Arrival says whether Discord sends interactions to where the bot receives them.
type Arrival int

// Arrivals.
const (
	Arrives    Arrival = iota
	Elsewhere          // Discord sends them to an endpoint, but the bot receives from the gateway
	ForeignKey         // Discord signs them with a key other than the bot's
	NoEndpoint         // Discord sends them over the gateway, but the bot receives over HTTP
)

// Interactions compares where Discord sends interactions with where the bot receives them: over HTTP if it has a
// public key (in hex), otherwise over the gateway. It also returns the endpoint's host and path; the rest of its
// address may be secret.
// https://docs.discord.com/developers/interactions/overview#preparing-for-interactions
func (a *Application) Interactions(publicKey string) (arrival Arrival, host, path string) {
	if at, err := url.Parse(a.Endpoint); err == nil {
		host, path = at.Host, at.Path
	}
	switch {
	case publicKey == "" && a.Endpoint != "":
		return Elsewhere, host, path
	case publicKey == "":
		return Arrives, host, path
	case a.VerifyKey != "" && !strings.EqualFold(a.VerifyKey, publicKey):
		return ForeignKey, host, path
	case a.Endpoint == "":
		return NoEndpoint, host, path
	}
	return Arrives, host, path
}

// readApplication reads the application, once. It logs if interactions do not arrive.
func (r *Registrar) readApplication(ctx context.Context) error {
	if r.application != nil {
		return nil
	}
	a := &Application{}
	if err := r.request(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), nil, a); err != nil {
		return fmt.Errorf("read the application: %w", err)
	}
	r.application = a
	const portal = "in the Developer Portal, under General Information"
	switch arrival, host, _ := a.Interactions(r.config.PublicKey); arrival {
	case Elsewhere:
		r.config.Log.Error().Str("host", host).Msg("no command or button reaches this bot: the application has an Interactions Endpoint URL. Clear it " + portal)
		r.config.Staff.InteractionsElsewhere(host)
	case ForeignKey:
		r.config.Log.Error().Msg("no command or button reaches this bot: DISCORD_PUBLIC_KEY is another application's. The right one is " + portal)
		if r.config.OnForeignKey != nil {
			r.config.OnForeignKey()
		}
	case NoEndpoint:
		r.config.Log.Warn().Msg("no command or button reaches this bot yet: set the Interactions Endpoint URL " + portal)
	case Arrives:
	}
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
