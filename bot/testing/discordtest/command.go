package discordtest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Types of commands.
const (
	ChatCommand       = 1 // typed, with a slash
	UserCommand       = 2 // in a user's context menu
	MessageCommand    = 3 // in a message's context menu
	EntryPointCommand = 4 // opens the application's Activity
)

// Types of options that the server knows: those from roles (8) on are not simulated.
const (
	optionSubcommand = 1
	optionGroup      = 2
	optionString     = 3
	optionInteger    = 4
	optionBoolean    = 5
	optionUser       = 6
	optionChannel    = 7
)

// maxDailyCreates is how many commands a bot may create in a day, globally and
// in each guild.
const maxDailyCreates = 200

// Command is an application command as the bot registered it.
type Command struct {
	ID                       string            `json:"id"`
	GuildID                  string            `json:"guild_id"`
	Version                  string            `json:"version"`
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	Options                  []CommandOption   `json:"options"`
	DefaultMemberPermissions *string           `json:"default_member_permissions"`
	DMPermission             *bool             `json:"dm_permission"`
	Contexts                 []int             `json:"contexts"`
	IntegrationTypes         []int             `json:"integration_types"`
	NSFW                     bool              `json:"nsfw"`
	Handler                  *int              `json:"handler"` // of an Entry Point command
}

// CommandOption is an option, a subcommand or a group of subcommands.
type CommandOption struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	Choices                  []Choice          `json:"choices,omitempty"`
	Options                  []CommandOption   `json:"options,omitempty"`
	ChannelTypes             []int             `json:"channel_types,omitempty"`
	MinValue                 *float64          `json:"min_value,omitempty"`
	MaxValue                 *float64          `json:"max_value,omitempty"`
	MinLength                *int              `json:"min_length,omitempty"`
	MaxLength                *int              `json:"max_length,omitempty"`
}

// commandStore holds what the bot registered: by guild, "" being global.
type commandStore struct {
	server *Server

	mu       sync.Mutex
	scopes   map[string][]Command
	created  map[string][]time.Time
	guilds   map[string]bool // those that AddGuild made, and the server's own: whether the bot is in it
	settings ApplicationSettings
	readBack ReadBack
	changed  notifier
}

func newCommandStore(s *Server) *commandStore {
	return &commandStore{
		server: s, scopes: map[string][]Command{}, created: map[string][]time.Time{},
		guilds:   map[string]bool{s.guildID: true},
		settings: ApplicationSettings{Installs: []int{GuildInstall, UserInstall}},
	}
}

// Commands returns all commands that the bot registered globally and in the
// server's own guild, those of the guild first. What a user is offered of them
// says User.Commands.
func (s *Server) Commands() []Command {
	return slices.Concat(s.CommandsIn(s.guildID), s.CommandsIn(""))
}

// CommandsIn returns the commands of a guild or, where guildID is empty, the
// global ones.
func (s *Server) CommandsIn(guildID string) []Command {
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	return slices.Clone(s.commands.scopes[guildID])
}

// scope returns the guild that a call's commands are for, "" being all.
func (s *Server) scope(c *call) (string, *refusal) {
	if c.r.PathValue("application") != s.app.id {
		return "", refuse(http.StatusForbidden, 20012, "You are not authorized to perform this action on this application")
	}
	guild := c.r.PathValue("guild")
	return guild, s.commands.admit(guild)
}

func (s *Server) getCommands(c *call) (any, *refusal) {
	scope, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	// Without the query the localisations are left out (Discord's documentation,
	// Application Commands, "Retrieving localized commands").
	return s.commands.show(s.commands.scopes[scope], c.r.URL.Query().Get("with_localizations") == "true"), nil
}

// putCommands replaces all commands of a scope.
func (s *Server) putCommands(c *call) (any, *refusal) {
	scope, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	var commands []Command
	if refused := c.decode(&commands); refused != nil {
		return nil, refused
	}
	store := s.commands
	store.mu.Lock()
	defer store.mu.Unlock()
	p := &problems{}
	validateTogether(p, commands)
	for i := range commands {
		validateAny(p, at(i), &commands[i])
		store.validateSupported(p, at(i), scope, &commands[i])
	}
	if refused := p.refusal(); refused != nil {
		return nil, refused
	}
	if err := s.schemas.checkEach("ApplicationCommandUpdateRequest", c.body); err != nil {
		return nil, refuse(http.StatusBadRequest, CodeInvalidForm, "Invalid Form Body: "+err.Error())
	}
	if refused := store.keepEntryPoint(scope, commands); refused != nil {
		return nil, refused
	}
	kept, fresh := store.merge(scope, commands)
	if refused := store.countCreates(scope, fresh); refused != nil {
		return nil, refused
	}
	store.scopes[scope] = kept
	store.changed.notify()
	return store.show(kept, true), nil
}

// merge gives commands their ids. A command is the one that has the id that it
// names, which renames it (diamondburned/arikawa#417), or else the one of its name
// and type. merge also counts those that are new.
func (st *commandStore) merge(scope string, commands []Command) (merged []Command, fresh int) {
	for _, c := range commands {
		// They are of global commands alone (Discord's documentation, Application
		// Commands, "Application Command Structure").
		if scope != "" {
			c.Contexts, c.IntegrationTypes = nil, nil
		}
		c.GuildID, c.Type = scope, max(c.Type, ChatCommand)
		before := slices.IndexFunc(st.scopes[scope], func(old Command) bool { return old.ID == c.ID })
		if before < 0 {
			before = slices.IndexFunc(st.scopes[scope], func(old Command) bool { return old.Name == c.Name && old.Type == c.Type })
		}
		if before < 0 {
			fresh++
			c.ID, c.Version = st.server.ids.next(), st.server.ids.next()
		} else {
			old := st.scopes[scope][before]
			c.ID, c.Version = old.ID, old.Version
			if !reflect.DeepEqual(c, old) {
				c.Version = st.server.ids.next()
			}
		}
		merged = append(merged, c)
	}
	return merged, fresh
}

// countCreates refuses more creations in a day than Discord allows: with status
// 400, not 429 (discord-api-docs#6188).
func (st *commandStore) countCreates(scope string, fresh int) *refusal {
	now := st.server.clock.Now()
	recent := slices.DeleteFunc(st.created[scope], func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	if len(recent)+fresh > maxDailyCreates {
		return refuse(http.StatusBadRequest, CodeDailyCreates,
			fmt.Sprintf("Max number of daily application command creates has been reached (%d)", maxDailyCreates))
	}
	for range fresh {
		recent = append(recent, now)
	}
	st.created[scope] = recent
	return nil
}
