package commands

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Definitions returns the commands as they are registered with Discord: those
// of operations that the service offers. Contexts and integration types are those
// that the commands are made for; package register leaves out what the application
// may not have.
func (c *Commands) Definitions() []*discordgo.ApplicationCommand {
	definitions := define(c.texts, c.offered())
	for _, d := range definitions {
		d.IntegrationTypes = &[]discordgo.ApplicationIntegrationType{
			discordgo.ApplicationIntegrationGuildInstall, discordgo.ApplicationIntegrationUserInstall,
		}
		d.Contexts = &[]discordgo.InteractionContextType{
			discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel,
		}
	}
	return definitions
}

// textKey returns the key of a command's texts.
func textKey(name string) string { return "command." + strings.ReplaceAll(name, " ", ".") }

// define returns Discord's definitions of commands. Commands whose names begin with
// the same words become subcommands of one.
func define(texts *locale.Bundle, table []command) []*discordgo.ApplicationCommand {
	d := definer{texts}
	var tree []*discordgo.ApplicationCommandOption
	var menus, definitions []*discordgo.ApplicationCommand
	for _, cmd := range table {
		if cmd.userMenu == "" {
			tree = d.add(tree, "command", cmd.name, cmd)
			continue
		}
		names := d.texts.Localizations(cmd.userMenu)
		menus = append(menus, &discordgo.ApplicationCommand{Type: discordgo.UserApplicationCommand, Name: cmd.name, NameLocalizations: &names})
	}
	for _, o := range tree {
		definitions = append(definitions, &discordgo.ApplicationCommand{
			Type: discordgo.ChatApplicationCommand, Name: o.Name, NameLocalizations: &o.NameLocalizations,
			Description: o.Description, DescriptionLocalizations: &o.DescriptionLocalizations, Options: o.Options,
		})
	}
	return append(definitions, menus...)
}

// definer writes descriptions and localised names.
type definer struct{ texts *locale.Bundle }

// add adds a command, or what is left of its name, to the options of the command or
// group above it; where nothing is left, the command's own options. key is that of
// the texts of what is above.
func (d definer) add(above []*discordgo.ApplicationCommandOption, key, name string, cmd command) []*discordgo.ApplicationCommandOption {
	if name == "" {
		for _, o := range cmd.options {
			definition := d.option(o.kind, "option."+o.name, o.name)
			definition.Required, definition.Autocomplete, definition.Choices = true, o.complete != nil, o.choices
			above = append(above, definition)
		}
		return above
	}
	first, rest, isGroup := strings.Cut(name, " ")
	kind := discordgo.ApplicationCommandOptionSubCommand
	if isGroup {
		kind = discordgo.ApplicationCommandOptionSubCommandGroup
	}
	key += "." + first
	i := slices.IndexFunc(above, func(o *discordgo.ApplicationCommandOption) bool { return o.Name == first })
	if i < 0 {
		i, above = len(above), append(above, d.option(kind, key, first))
	}
	above[i].Options = d.add(above[i].Options, key, rest, cmd)
	return above
}

func (d definer) option(kind discordgo.ApplicationCommandOptionType, key, name string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		NameLocalizations:        d.texts.Localizations(key + ".name"),
		Description:              d.texts.For(locale.Default).Text(key + ".description"),
		DescriptionLocalizations: d.texts.Localizations(key + ".description"),
	}
}
