package commands

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Definitions returns the commands as they are registered with Discord: those
// of operations that the service offers.
func (c *Commands) Definitions() []*discordgo.ApplicationCommand { return define(c.texts, c.offered()) }

// textKey returns the key of a command's texts.
func textKey(name string) string { return "command." + strings.ReplaceAll(name, " ", ".") }

// define returns Discord's definitions of commands. Commands whose names begin with
// the same words become subcommands of one.
func define(texts *locale.Bundle, table []command) []*discordgo.ApplicationCommand {
	d := definer{texts, texts.For(locale.Default)}
	var tree []*discordgo.ApplicationCommandOption
	var menus, definitions []*discordgo.ApplicationCommand
	for _, cmd := range table {
		if cmd.userMenu == "" {
			tree = d.add(tree, "command", cmd.name, cmd)
			continue
		}
		names := d.localizations(cmd.userMenu, cmd.name)
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
type definer struct {
	texts *locale.Bundle
	plain *locale.Texts
}

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
	description := d.plain.Text(key + ".description")
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		NameLocalizations:        d.localizations(key+".name", name),
		Description:              description,
		DescriptionLocalizations: d.localizations(key+".description", description),
	}
}

// localizations returns a text in the languages that have it. The default language
// is left out where its text is the one that defines the command.
func (d definer) localizations(key, defined string) map[discordgo.Locale]string {
	localized := make(map[discordgo.Locale]string)
	for language, text := range d.texts.Localizations(key) {
		localized[discordgo.Locale(language)] = text
	}
	if text := d.plain.Text(key); text != defined {
		localized[locale.Default] = text
	}
	return localized
}
