package commands

import (
	"hostbot/bot/register"
	"hostbot/locale"
)

// optionBot is the option that names one of the caller's bots.
const optionBot = "bot"

// Definitions returns the commands as they are registered with Discord.
func (c *Commands) Definitions() []register.Command {
	d := definer{c.texts, c.texts.For(locale.Default)}
	return []register.Command{
		d.command("command.bot",
			d.subcommand("command.bot.list"),
			d.subcommand("command.bot.show", d.botOption()),
			d.subcommand("command.bot.start", d.botOption()),
			d.subcommand("command.bot.stop", d.botOption()),
			d.subcommand("command.bot.restart", d.botOption()),
			d.subcommand("command.bot.reinstall", d.botOption()),
			d.subcommand("command.bot.create"),
			d.subcommand("command.bot.startup", d.botOption()),
			d.subcommand("command.bot.delete", d.botOption()),
		),
		d.command("command.plan"),
		d.command("command.help"),
	}
}

// definer writes names and descriptions in every language; key is that of the
// texts without ".name" and ".description".
type definer struct {
	texts *locale.Bundle
	plain *locale.Texts
}

func (d definer) command(key string, options ...register.Option) register.Command {
	return register.Command{
		Type:                     register.ChatInput,
		Name:                     d.plain.Text(key + ".name"),
		NameLocalizations:        d.texts.Localizations(key + ".name"),
		Description:              d.plain.Text(key + ".description"),
		DescriptionLocalizations: d.texts.Localizations(key + ".description"),
		Options:                  options,
		IntegrationTypes:         []int{register.OnGuild, register.OnUser},
		Contexts:                 []int{register.InGuild, register.InBotDM, register.InPrivateChannel},
	}
}

func (d definer) option(kind register.Type, key string) register.Option {
	return register.Option{
		Type:                     kind,
		Name:                     d.plain.Text(key + ".name"),
		NameLocalizations:        d.texts.Localizations(key + ".name"),
		Description:              d.plain.Text(key + ".description"),
		DescriptionLocalizations: d.texts.Localizations(key + ".description"),
	}
}

func (d definer) subcommand(key string, options ...register.Option) register.Option {
	o := d.option(register.Subcommand, key)
	o.Options = options
	return o
}

func (d definer) botOption() register.Option {
	o := d.option(register.String, "option.bot")
	o.Required, o.Autocomplete = true, true
	return o
}
