package commands

import (
	"hostbot/bot/register"
	"hostbot/hostapi"
	"hostbot/locale"
)

// optionBot is the option that names one of the caller's bots.
const optionBot = "bot"

// Definitions returns the commands as they are registered with Discord: those
// of operations that the service offers.
func (c *Commands) Definitions() []register.Command {
	d := definer{c.texts, c.texts.For(locale.Default)}
	subcommands := []register.Option{
		d.subcommand("command.bot.list"),
		d.subcommand("command.bot.show", d.botOption()),
	}
	for _, s := range []struct {
		op  hostapi.Operation
		key string
	}{
		{hostapi.OpStart, "command.bot.start"},
		{hostapi.OpStop, "command.bot.stop"},
		{hostapi.OpRestart, "command.bot.restart"},
		{hostapi.OpReinstall, "command.bot.reinstall"},
		{hostapi.OpUpdateStartup, "command.bot.startup"},
		{hostapi.OpDelete, "command.bot.delete"},
	} {
		if c.hosting.Offers(s.op) {
			subcommands = append(subcommands, d.subcommand(s.key, d.botOption()))
		}
	}
	if c.hosting.Offers(hostapi.OpCreate) {
		subcommands = append(subcommands, d.subcommand("command.bot.create"))
	}
	return []register.Command{d.command("command.bot", subcommands...), d.command("command.plan"), d.command("command.help")}
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
	o := d.required(register.String, "option.bot")
	o.Autocomplete = true
	return o
}
