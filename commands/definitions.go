package commands

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/hostapi"
	"hostbot/locale"
)

// optionBot is the option that names one of the caller's bots.
const optionBot = "bot"

// Definitions returns the commands as they are registered with Discord: those
// of operations that the service offers. Contexts and integration types are those
// that the commands are made for; package register leaves out what the application
// may not have.
func (c *Commands) Definitions() []*discordgo.ApplicationCommand {
	d := definer{c.texts, c.texts.For(locale.Default)}
	subcommands := []*discordgo.ApplicationCommandOption{
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
	return []*discordgo.ApplicationCommand{d.command("command.bot", subcommands...), d.command("command.plan"), d.command("command.help")}
}

// definer writes names and descriptions in every language; key is that of the
// texts without ".name" and ".description".
type definer struct {
	texts *locale.Bundle
	plain *locale.Texts
}

func (d definer) command(key string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	return &discordgo.ApplicationCommand{
		Type:                     discordgo.ChatApplicationCommand,
		Name:                     d.plain.Text(key + ".name"),
		NameLocalizations:        unlessNone(d.localizations(key + ".name")),
		Description:              d.plain.Text(key + ".description"),
		DescriptionLocalizations: unlessNone(d.localizations(key + ".description")),
		Options:                  options,
		IntegrationTypes: &[]discordgo.ApplicationIntegrationType{
			discordgo.ApplicationIntegrationGuildInstall, discordgo.ApplicationIntegrationUserInstall,
		},
		Contexts: &[]discordgo.InteractionContextType{
			discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel,
		},
	}
}

func (d definer) option(kind discordgo.ApplicationCommandOptionType, key string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     d.plain.Text(key + ".name"),
		NameLocalizations:        d.localizations(key + ".name"),
		Description:              d.plain.Text(key + ".description"),
		DescriptionLocalizations: d.localizations(key + ".description"),
	}
}

func (d definer) subcommand(key string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o := d.option(discordgo.ApplicationCommandOptionSubCommand, key)
	o.Options = options
	return o
}

func (d definer) botOption() *discordgo.ApplicationCommandOption {
	o := d.required(discordgo.ApplicationCommandOptionString, "option.bot")
	o.Autocomplete = true
	return o
}

func (d definer) required(kind discordgo.ApplicationCommandOptionType, key string) *discordgo.ApplicationCommandOption {
	o := d.option(kind, key)
	o.Required = true
	return o
}

// localizations returns a text in the other languages; nil where there is none.
func (d definer) localizations(key string) map[discordgo.Locale]string {
	var localized map[discordgo.Locale]string
	for language, text := range d.texts.Localizations(key) {
		if localized == nil {
			localized = make(map[discordgo.Locale]string)
		}
		localized[discordgo.Locale(language)] = text
	}
	return localized
}

// unlessNone returns localisations as a command has them, where they may be nil.
func unlessNone(localizations map[discordgo.Locale]string) *map[discordgo.Locale]string {
	if len(localizations) == 0 {
		return nil
	}
	return &localizations
}
