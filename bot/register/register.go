// Package register keeps the commands that Discord knows of the same as those
// that the program serves.
package register

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// Type is the type of a command or of an option, as Discord numbers them.
type Type int

// Types of commands. One on a user stands in their context menu, and has neither
// a description nor options.
const (
	ChatInput Type = 1
	OnAUser   Type = 2
)

// Types of options.
const (
	Subcommand      Type = 1
	SubcommandGroup Type = 2
	String          Type = 3
	User            Type = 6
)

// ManageGuild is the permission to manage a guild, as Discord numbers it.
const ManageGuild = "32"

// Command is an application command in the form in which it is both sent to
// Discord and compared with what Discord has. discordgo's own type sends null
// for what is unset and can not be compared.
type Command struct {
	Type                     Type              `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Options                  []Option          `json:"options,omitempty"`
	IntegrationTypes         []int             `json:"integration_types,omitempty"` // where the application may be installed
	Contexts                 []int             `json:"contexts,omitempty"`          // where the command may be used
	// DefaultMemberPermissions are those that a member needs to see the command,
	// unless the guild decided otherwise; empty: none.
	DefaultMemberPermissions string `json:"default_member_permissions,omitempty"`
}

// Where an application may be installed.
const (
	OnGuild = 0
	OnUser  = 1
)

// Where a command may be used.
const (
	InGuild          = 0
	InBotDM          = 1
	InPrivateChannel = 2 // between people, by who has the application installed
)

// Option is an option or a subcommand.
type Option struct {
	Type                     Type              `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	Choices                  []Choice          `json:"choices,omitempty"`
	Options                  []Option          `json:"options,omitempty"`
}

// Choice is one of the only values that an option may have.
type Choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
	Value             string            `json:"value"`
}

// Registry is where commands are registered.
type Registry interface {
	Commands(ctx context.Context, applicationID, guildID string, out any) error
	OverwriteCommands(ctx context.Context, applicationID, guildID string, commands, out any) error
}

// registered is a command as Discord has it.
type registered struct {
	ID string `json:"id"`
	Command
}

// Sync registers commands in a guild or, where guildID is empty, globally, if
// they differ from what is registered there. Where they may be used and
// installed counts for global commands alone: of a guild's, Discord forgets it.
// Discord counts creations (200 a day), so unchanged commands are not sent. It
// tells whether they were, and the commands' IDs by their names.
func Sync(ctx context.Context, r Registry, applicationID, guildID string, commands []Command) (ids map[string]string, changed bool, err error) {
	if guildID != "" {
		commands = withoutContexts(commands)
	}
	var there []registered
	if err := r.Commands(ctx, applicationID, guildID, &there); err != nil {
		return nil, false, fmt.Errorf("read commands: %w", err)
	}
	changed = !sameCommands(there, commands, guildID == "")
	if changed {
		there = nil
		if err := r.OverwriteCommands(ctx, applicationID, guildID, commands, &there); err != nil {
			return nil, false, fmt.Errorf("overwrite commands: %w", err)
		}
	}
	ids = make(map[string]string, len(there))
	for _, c := range there {
		ids[c.Name] = c.ID
	}
	return ids, changed, nil
}

func withoutContexts(commands []Command) []Command {
	commands = slices.Clone(commands)
	for i := range commands {
		commands[i].IntegrationTypes, commands[i].Contexts = nil, nil
	}
	return commands
}

// sameCommands compares without regard to the order of commands, which Discord
// does not keep. The order of options is shown to people and does count.
func sameCommands(there []registered, wanted []Command, global bool) bool {
	var a []Command
	for _, c := range there {
		a = append(a, c.Command)
	}
	if !global {
		a = withoutContexts(a)
	}
	byName := func(c []Command) []Command {
		return slices.SortedFunc(slices.Values(c), func(x, y Command) int { return cmp.Compare(x.Name, y.Name) })
	}
	return slices.EqualFunc(byName(a), byName(wanted), func(x, y Command) bool {
		return x.Type == y.Type && x.Name == y.Name && x.Description == y.Description &&
			maps.Equal(x.NameLocalizations, y.NameLocalizations) &&
			maps.Equal(x.DescriptionLocalizations, y.DescriptionLocalizations) &&
			x.DefaultMemberPermissions == y.DefaultMemberPermissions &&
			slices.Equal(x.IntegrationTypes, y.IntegrationTypes) && slices.Equal(x.Contexts, y.Contexts) &&
			sameOptions(x.Options, y.Options)
	})
}

func sameOptions(a, b []Option) bool {
	return slices.EqualFunc(a, b, func(x, y Option) bool {
		return x.Type == y.Type && x.Name == y.Name && x.Description == y.Description &&
			x.Required == y.Required && x.Autocomplete == y.Autocomplete &&
			maps.Equal(x.NameLocalizations, y.NameLocalizations) &&
			maps.Equal(x.DescriptionLocalizations, y.DescriptionLocalizations) &&
			slices.EqualFunc(x.Choices, y.Choices, sameChoice) && sameOptions(x.Options, y.Options)
	})
}

func sameChoice(x, y Choice) bool {
	return x.Name == y.Name && x.Value == y.Value && maps.Equal(x.NameLocalizations, y.NameLocalizations)
}
