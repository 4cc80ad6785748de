package discordtest

import (
	"cmp"
	"slices"
	"strconv"
)

// RouteApplication is the route of the bot's own application.
const RouteApplication = "/applications/@me"

// Installation contexts of an application.
const (
	GuildInstall = 0
	UserInstall  = 1
)

// flagEmbedded is the flag of an application with Activities (Discord's
// documentation, Application Resource, "Application Flags").
const flagEmbedded = 1 << 17

// ApplicationSettings are what the Developer Portal has of the application.
type ApplicationSettings struct {
	// Installs are the installation contexts that are switched on. A new
	// application has both (discord-api-docs#7396). Where there are none,
	// integration_types_config is left out of the application, which its
	// documentation allows without saying what it means; the server then takes
	// guilds alone to be supported.
	Installs []int
	// InteractionsEndpointURL is where interactions are sent. Where it is set, the
	// gateway delivers none (Discord's documentation, Overview of Interactions;
	// bwmarrin/discordgo#1402). This server then delivers them nowhere; see
	// AddEndpoint for one that it calls.
	InteractionsEndpointURL string
	// PublicKey is the key in hex against which what Discord sends there can be
	// verified; the one with which this server signs where it is empty.
	PublicKey string
	// Private says that the owner alone may add the bot.
	Private bool
	// Flags are the application's (Discord's documentation, Application Resource,
	// "Application Flags").
	Flags int
	// Activities says that the application has an Activity. Discord makes an Entry
	// Point command when that is switched on (Discord's documentation, Application
	// Commands, "Default Entry Point command"). This server keeps the command when
	// it is switched off.
	Activities bool
}

// SetApplication changes the application's settings.
func (s *Server) SetApplication(settings ApplicationSettings) {
	st := s.commands
	st.mu.Lock()
	defer st.mu.Unlock()
	settings.Installs = slices.Clone(settings.Installs)
	st.settings = settings
	if settings.Activities && st.entryPoint() == nil {
		st.scopes[""] = append(slices.Clone(st.scopes[""]), st.newEntryPoint())
		st.changed.notify()
	}
}

// supports reports whether the application may be installed so. The store's lock
// is held.
func (st *commandStore) supports(install int) bool {
	if len(st.settings.Installs) == 0 {
		return install == GuildInstall
	}
	return slices.Contains(st.settings.Installs, install)
}

// sendsInteractions reports whether interactions go over the gateway.
func (st *commandStore) sendsInteractions() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.settings.InteractionsEndpointURL == ""
}

// getApplication answers with all that Discord's OpenAPI description requires of
// an application, and what the settings say.
func (s *Server) getApplication(*call) (any, *refusal) {
	s.commands.mu.Lock()
	settings := s.commands.settings
	s.commands.mu.Unlock()
	flags := settings.Flags
	if settings.Activities {
		flags |= flagEmbedded
	}
	application := map[string]any{
		"id": s.app.id, "name": s.app.user.Username, "icon": nil, "description": "", "type": nil, "bot": s.app.user,
		"bot_public": !settings.Private, "bot_require_code_grant": false,
		"verify_key": cmp.Or(settings.PublicKey, s.PublicKey()),
		"flags":      flags, "flags_new": strconv.Itoa(flags), "redirect_uris": []string{},
		"rpc_origins":               []string{}, // without which discord.py 2.2 ends at its start (discord/appinfo.py)
		"interactions_endpoint_url": nil, "role_connections_verification_url": nil,
		"owner": s.app.owner, "team": nil, "explicit_content_filter": 0, "eligible_oauth2_scopes": []string{},
		"approximate_guild_count": 1, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
	}
	if targets := s.endpoints.targets(); len(targets) > 0 {
		application["interactions_endpoint_url"] = targets[0]
	}
	if settings.InteractionsEndpointURL != "" {
		application["interactions_endpoint_url"] = settings.InteractionsEndpointURL
	}
	if len(settings.Installs) > 0 {
		config := map[string]any{}
		for _, install := range settings.Installs {
			config[strconv.Itoa(install)] = map[string]any{} // as in discord-api-docs#6778
		}
		application["integration_types_config"] = config
	}
	return application, nil
}
