package commands

import (
	"hostbot/bot/register"
	"hostbot/locale"
)

// Definitions returns staff's commands as they are registered in the guild of
// theirs. Discord hides them from who may not manage the guild, unless that is
// set otherwise there; who may use them is decided by Access all the same.
func (s *Staff) Definitions() []register.Command {
	c := s.customers
	d := definer{c.texts, c.texts.For(locale.Default)}
	subcommands := []register.Option{d.subcommand("command.admin.lookup", d.userOption())}
	if do := s.doOption(d); len(do.Choices) > 0 {
		subcommands = append(subcommands, d.subcommand("command.admin.action", d.userOption(), d.botOption(), do))
	}
	subcommands = append(subcommands,
		d.subcommand("command.admin.flush", d.userOption()),
		d.subcommand("command.admin.reference", d.required(register.String, "option.code")),
		d.subcommand("command.admin.status"),
		d.group("command.admin.logs", d.subcommand("command.admin.logs.test")),
	)
	admin := d.command("command.admin", subcommands...)
	menu := register.Command{Type: register.OnAUser, Name: menuBots, NameLocalizations: c.texts.Localizations("menu.bots")}
	definitions := []register.Command{admin, menu}
	for i := range definitions {
		definitions[i].IntegrationTypes = []int{register.OnGuild}
		definitions[i].Contexts = []int{register.InGuild}
		definitions[i].DefaultMemberPermissions = register.ManageGuild
	}
	return definitions
}

// doOption is what staff can do to a customer's bot.
func (s *Staff) doOption(d definer) register.Option {
	o := d.required(register.String, "option.do")
	for _, a := range actions() {
		if s.customers.hosting.Offers(a.op) {
			o.Choices = append(o.Choices, register.Choice{
				Name: d.plain.Text("button." + a.name), NameLocalizations: d.texts.Localizations("button." + a.name), Value: a.name,
			})
		}
	}
	return o
}

func (d definer) group(key string, subcommands ...register.Option) register.Option {
	o := d.option(register.SubcommandGroup, key)
	o.Options = subcommands
	return o
}

func (d definer) userOption() register.Option { return d.required(register.User, "option.user") }

func (d definer) required(kind register.Type, key string) register.Option {
	o := d.option(kind, key)
	o.Required = true
	return o
}
