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

// Arrival is whether interactions arrive where the bot takes them.
type Arrival int

// Arrivals.
const (
	Arrives    Arrival = iota
	Elsewhere          // Discord sends them to an endpoint, and the bot takes them from the gateway
	ForeignKey         // Discord signs them with another key than the bot knows
	NoEndpoint         // Discord sends them over the gateway, and the bot takes them over HTTP
)

// Interactions compares where Discord sends interactions with where the bot takes them: over HTTP if there
// is a public key, in hex, or over the gateway. It returns the endpoint's host and path as well; the rest of the
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
