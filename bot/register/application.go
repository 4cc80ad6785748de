package register

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/rest"
)

// application is what the Developer Portal has of the application.
type application struct {
	// installs are where it may be installed; empty where Discord does not say.
	installs []discordgo.ApplicationIntegrationType
}

// readApplication reads the application, once, and says so where Discord sends
// its interactions elsewhere.
func (r *Registrar) readApplication(ctx context.Context) error {
	if r.application != nil {
		return nil
	}
	a, endpoint, err := r.getApplication(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.config.Log.Warn().Err(err).Msg("the application could not be read: its commands are registered for where Discord allows them by default")
		}
		return r.wait(err)
	}
	r.application = a
	if endpoint != "" {
		host := hostOf(endpoint)
		r.config.Log.Error().Str("host", host).Msg("no command or button reaches this bot: the application has an Interactions Endpoint URL. " +
			"Clear it in the Developer Portal, under General Information")
		r.config.Staff.InteractionsElsewhere(host)
	}
	return nil
}

// getApplication sends GET /applications/@me. discordgo's Application has
// neither of the members that matter here.
func (r *Registrar) getApplication(ctx context.Context) (a *application, endpoint string, err error) {
	answer, err := r.config.Session.Request(http.MethodGet, discordgo.EndpointApplication("@me"), nil, discordgo.WithContext(ctx))
	if err != nil {
		return nil, "", rest.SessionError(err)
	}
	var said struct {
		// Installs has the installation contexts that are switched on as its keys.
		// The value of one may be an empty object (discord-api-docs#6778).
		Installs map[string]json.RawMessage `json:"integration_types_config"`
		// Endpoint is null or an address. Where there is one, Discord sends no
		// interaction over the gateway (documentation, "Interactions overview";
		// bwmarrin/discordgo#1402).
		Endpoint string `json:"interactions_endpoint_url"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, "", fmt.Errorf("decode application: %w", err)
	}
	a = &application{}
	for key := range said.Installs {
		if n, err := strconv.ParseUint(key, 10, 8); err == nil {
			a.installs = append(a.installs, discordgo.ApplicationIntegrationType(n))
		}
	}
	return a, said.Endpoint, nil
}

// hostOf leaves out of an address what may be secret in it.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// narrow returns the commands of a list as the application may have them.
//
// Contexts and integration types belong to global commands alone. Discord takes
// only integration types that the application supports; a private channel
// between people means something only to a command that is installed to a user
// (documentation, "Installation Context" and "Interaction Contexts"). An empty
// list of either is refused (discord.py#10216). Where the application, which is
// nil until it was read, says nothing of installations, neither is sent: Discord
// then has defaults that fit.
func (a *application) narrow(s Scope) []*discordgo.ApplicationCommand {
	commands := make([]*discordgo.ApplicationCommand, len(s.Commands))
	for i, c := range s.Commands {
		narrowed := *c
		narrowed.Contexts, narrowed.IntegrationTypes = nil, nil
		if s.GuildID == "" && a != nil && len(a.installs) > 0 {
			narrowed.Contexts, narrowed.IntegrationTypes = a.allowed(c)
		}
		commands[i] = &narrowed
	}
	return commands
}

// allowed returns what the application may have of a command's contexts and
// integration types.
func (a *application) allowed(c *discordgo.ApplicationCommand) (*[]discordgo.InteractionContextType, *[]discordgo.ApplicationIntegrationType) {
	types := filter(c.IntegrationTypes, func(t discordgo.ApplicationIntegrationType) bool {
		return slices.Contains(a.installs, t)
	})
	onUsers := types != nil && slices.Contains(*types, discordgo.ApplicationIntegrationUserInstall)
	contexts := filter(c.Contexts, func(t discordgo.InteractionContextType) bool {
		return t != discordgo.InteractionContextPrivateChannel || onUsers
	})
	return contexts, types
}

// filter returns what of a list is wanted, or nil where that is nothing.
func filter[T any](list *[]T, wanted func(T) bool) *[]T {
	if list == nil {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(*list), func(t T) bool { return !wanted(t) })
	if len(kept) == 0 {
		return nil
	}
	return &kept
}
