package commands

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Definitions returns the commands as they are registered with Discord. It hides staff's
// from members who may not manage the guild, unless that is set otherwise there.
func (c *Commands) Definitions() (customers, staff []*discordgo.ApplicationCommand) {
	in := c.texts.Localized()
	customers, staff = c.define(c.offered(false), in), c.define(c.offered(true), in)
	manageGuild := int64(discordgo.PermissionManageGuild)
	for _, d := range staff {
		d.DefaultMemberPermissions = &manageGuild
	}
	return customers, staff
}

// define returns Discord's definitions of commands. Commands whose names begin with
// the same words become subcommands of one.
func (c *Commands) define(table []command, in locale.Localized) []*discordgo.ApplicationCommand {
	var tree []*discordgo.ApplicationCommandOption
	var menus, definitions []*discordgo.ApplicationCommand
	for _, cmd := range table {
		if cmd.userMenu == "" {
			tree = c.addDefinition(tree, "command", cmd.name, cmd, in)
			continue
		}
		names := in[cmd.userMenu]
		menus = append(menus, &discordgo.ApplicationCommand{Type: discordgo.UserApplicationCommand, Name: cmd.name, NameLocalizations: &names})
	}
	for _, o := range tree {
		definition := &discordgo.ApplicationCommand{
			Type: discordgo.ChatApplicationCommand, Name: o.Name, NameLocalizations: &o.NameLocalizations,
			Description: o.Description, DescriptionLocalizations: &o.DescriptionLocalizations, Options: o.Options,
		}
		if slices.ContainsFunc(table, func(cmd command) bool { return cmd.forManagers && cmd.name == o.Name }) {
			manageMessages := int64(discordgo.PermissionManageMessages)
			definition.DefaultMemberPermissions = &manageMessages
			definition.Contexts = &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild}
		}
		definitions = append(definitions, definition)
	}
	return append(definitions, menus...)
}

// addDefinition adds what is left of a command's name, and below that its options, to what
// is above, whose texts have the key.
func (c *Commands) addDefinition(above []*discordgo.ApplicationCommandOption, key, name string, cmd command, in locale.Localized) []*discordgo.ApplicationCommandOption {
	if name == "" {
		for _, o := range cmd.options {
			definition := c.defineOption(o.kind, "option."+o.name, o.name, in)
			definition.Required, definition.Autocomplete = !o.optional, o.complete != nil
			for _, choice := range o.choices {
				label := "button." + choice
				definition.Choices = append(definition.Choices, &discordgo.ApplicationCommandOptionChoice{
					Name: c.texts.For(locale.Default).Text(label), NameLocalizations: in[label], Value: choice,
				})
			}
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
		i, above = len(above), append(above, c.defineOption(kind, key, first, in))
	}
	above[i].Options = c.addDefinition(above[i].Options, key, rest, cmd, in)
	return above
}

func (c *Commands) defineOption(kind discordgo.ApplicationCommandOptionType, key, name string, in locale.Localized) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		NameLocalizations:        in[key+".name"],
		Description:              c.texts.For(locale.Default).Text(key + ".description"),
		DescriptionLocalizations: in[key+".description"],
	}
}
