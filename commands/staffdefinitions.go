package commands

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Definitions returns staff's commands as they are registered in the guild of
// theirs. Discord hides them from who may not manage the guild, unless that is
// set otherwise there; who may use them is decided by Access all the same.
func (s *Staff) Definitions() []*discordgo.ApplicationCommand {
	c := s.customers
	d := definer{c.texts, c.texts.For(locale.Default)}
	subcommands := []*discordgo.ApplicationCommandOption{d.subcommand("command.admin.lookup", d.userOption())}
	if do := s.doOption(d); len(do.Choices) > 0 {
		subcommands = append(subcommands, d.subcommand("command.admin.action", d.userOption(), d.botOption(), do))
	}
	subcommands = append(subcommands,
		d.subcommand("command.admin.flush", d.userOption()),
		d.subcommand("command.admin.reference", d.required(discordgo.ApplicationCommandOptionString, "option.code")),
		d.subcommand("command.admin.status"),
		d.group("command.admin.logs", d.subcommand("command.admin.logs.test")),
	)
	admin := d.command("command.admin", subcommands...)
	menu := &discordgo.ApplicationCommand{
		Type: discordgo.UserApplicationCommand, Name: menuBots, NameLocalizations: unlessNone(d.localizations("menu.bots")),
	}
	definitions := []*discordgo.ApplicationCommand{admin, menu}
	manageGuild := int64(discordgo.PermissionManageGuild)
	for _, c := range definitions {
		c.IntegrationTypes, c.Contexts = nil, nil // which belong to global commands
		c.DefaultMemberPermissions = &manageGuild
	}
	return definitions
}

// doOption is what staff can do to a customer's bot.
func (s *Staff) doOption(d definer) *discordgo.ApplicationCommandOption {
	o := d.required(discordgo.ApplicationCommandOptionString, "option.do")
	for _, a := range actions() {
		if s.customers.hosting.Offers(a.op) {
			o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{
				Name: d.plain.Text("button." + a.name), NameLocalizations: d.localizations("button." + a.name), Value: a.name,
			})
		}
	}
	return o
}

func (d definer) group(key string, subcommands ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o := d.option(discordgo.ApplicationCommandOptionSubCommandGroup, key)
	o.Options = subcommands
	return o
}

func (d definer) userOption() *discordgo.ApplicationCommandOption {
	return d.required(discordgo.ApplicationCommandOptionUser, "option.user")
}
