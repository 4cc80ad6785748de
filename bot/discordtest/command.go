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
	ChatCommand    = 1 // typed, with a slash
	UserCommand    = 2 // in a user's context menu
	MessageCommand = 3 // in a message's context menu
)

// Types of options.
const (
	optionSubcommand  = 1
	optionGroup       = 2
	optionString      = 3
	optionInteger     = 4
	optionBoolean     = 5
	optionUser        = 6
	optionChannel     = 7
	optionRole        = 8
	optionMentionable = 9
	optionNumber      = 10
	optionAttachment  = 11
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

	mu      sync.Mutex
	scopes  map[string][]Command
	created map[string][]time.Time
	changed notifier
}

func newCommandStore(s *Server) *commandStore {
	return &commandStore{server: s, scopes: map[string][]Command{}, created: map[string][]time.Time{}}
}

// Commands returns all commands that the bot registered, those of the guild
// first. What a user is offered of them says User.Commands.
func (s *Server) Commands() []Command {
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	return slices.Concat(s.commands.scopes[s.guildID], s.commands.scopes[""])
}

// scope returns the guild that a call's commands are for, "" being all.
func (s *Server) scope(c *call) (string, *refusal) {
	if c.r.PathValue("application") != s.app.id {
		return "", refuse(http.StatusForbidden, 20012, "You are not authorized to perform this action on this application")
	}
	guild := c.r.PathValue("guild")
	if guild != "" && guild != s.guildID {
		return "", refuse(http.StatusForbidden, CodeMissingAccess, "Missing Access")
	}
	return guild, nil
}

func (s *Server) getCommands(c *call) (any, *refusal) {
	scope, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	return s.wireCommands(s.commands.scopes[scope], c.r.URL.Query().Get("with_localizations") == "true"), nil
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
	p := &problems{}
	validateCommands(p, commands)
	if refused := p.refusal(); refused != nil {
		return nil, refused
	}
	if err := s.schemas.checkEach("ApplicationCommandUpdateRequest", c.body); err != nil {
		return nil, refuse(http.StatusBadRequest, CodeInvalidForm, "Invalid Form Body: "+err.Error())
	}

	store := s.commands
	store.mu.Lock()
	defer store.mu.Unlock()
	kept, fresh := store.merge(scope, commands)
	if refused := store.countCreates(scope, fresh); refused != nil {
		return nil, refused
	}
	store.scopes[scope] = kept
	store.changed.notify()
	return s.wireCommands(kept, true), nil
}

// merge gives commands their ids: one of a known name keeps its own. It also
// counts those that are new.
func (st *commandStore) merge(scope string, commands []Command) (merged []Command, fresh int) {
	for _, c := range commands {
		c.GuildID = scope
		if c.Type == 0 {
			c.Type = ChatCommand
		}
		before := slices.IndexFunc(st.scopes[scope], func(old Command) bool { return old.Name == c.Name && old.Type == c.Type })
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

// countCreates refuses more creations in a day than Discord allows.
func (st *commandStore) countCreates(scope string, fresh int) *refusal {
	now := st.server.clock.Now()
	recent := slices.DeleteFunc(st.created[scope], func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	if len(recent)+fresh > maxDailyCreates {
		refused := rateLimited(24*time.Hour, false, CodeDailyCreates)
		refused.message = fmt.Sprintf("Max number of daily application command creates has been reached (%d)", maxDailyCreates)
		refused.innocent = false
		return refused
	}
	for range fresh {
		recent = append(recent, now)
	}
	st.created[scope] = recent
	return nil
}

// wireCommands are commands as Discord answers with them.
func (s *Server) wireCommands(commands []Command, localizations bool) []map[string]any {
	list := []map[string]any{}
	for _, c := range commands {
		wire := map[string]any{
			"id": c.ID, "application_id": s.app.id, "version": c.Version, "type": c.Type,
			"name": c.Name, "description": c.Description, "nsfw": c.NSFW,
			"default_member_permissions": c.DefaultMemberPermissions,
			"dm_permission":              c.DMPermission == nil || *c.DMPermission,
			"contexts":                   c.Contexts,
			"integration_types":          append([]int{}, c.IntegrationTypes...),
		}
		if len(c.IntegrationTypes) == 0 {
			wire["integration_types"] = []int{0}
		}
		if c.GuildID != "" {
			wire["guild_id"] = c.GuildID
		}
		if len(c.Options) > 0 {
			wire["options"] = wireOptions(c.Options, localizations)
		}
		if localizations {
			wire["name_localizations"] = c.NameLocalizations
			wire["description_localizations"] = c.DescriptionLocalizations
		}
		list = append(list, wire)
	}
	return list
}

// wireOptions leaves localisations out where they were not asked for.
func wireOptions(options []CommandOption, localizations bool) []CommandOption {
	out := slices.Clone(options)
	for i := range out {
		o := &out[i]
		o.Options = wireOptions(o.Options, localizations)
		if localizations {
			continue
		}
		o.NameLocalizations, o.DescriptionLocalizations = nil, nil
		o.Choices = slices.Clone(o.Choices)
		for k := range o.Choices {
			o.Choices[k].NameLocalizations = nil
		}
	}
	return out
}
