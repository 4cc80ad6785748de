package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// help lists the commands, as they are registered, in the caller's language.
func (c *Commands) help(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	p := c.page(r)
	lines := []string{p.t.Text("help.intro"), ""}
	for _, command := range c.Definitions() {
		id, typed := c.commandID(command.Name), p.inLanguage(command.Name, localized(command.NameLocalizations))
		subcommands := 0
		for _, o := range command.Options {
			if o.Type == discordgo.ApplicationCommandOptionSubCommand {
				subcommands++
				lines = append(lines, mention(id, command.Name+" "+o.Name, typed+" "+p.inLanguage(o.Name, o.NameLocalizations))+
					" · "+p.inLanguage(o.Description, o.DescriptionLocalizations))
			}
		}
		if subcommands == 0 {
			lines = append(lines, mention(id, command.Name, typed)+" · "+p.inLanguage(command.Description, localized(command.DescriptionLocalizations)))
		}
	}
	return p.respond(interaction.Message{Embeds: []*discordgo.MessageEmbed{{
		Title: p.t.Text("help.title"), Description: strings.Join(lines, "\n"), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: p.t.Text("help.footer")},
	}}}), nil
}

// commandID returns the ID that Discord gave a command; "" until it is known.
func (c *Commands) commandID(name string) string {
	if ids := c.ids.Load(); ids != nil {
		return (*ids)[name]
	}
	return ""
}

// mention returns a command as Discord makes it clickable, and shows it in the
// reader's language; where its ID is not known, what is to be typed.
func mention(id, fullName, typed string) string {
	if id == "" {
		return "`/" + typed + "`"
	}
	return "</" + fullName + ":" + id + ">"
}

// inLanguage picks the caller's language as Discord's client does.
func (p *page) inLanguage(text string, localizations map[discordgo.Locale]string) string {
	if l, ok := localizations[discordgo.Locale(p.t.Locale())]; ok {
		return l
	}
	return text
}

func localized(localizations *map[discordgo.Locale]string) map[discordgo.Locale]string {
	if localizations == nil {
		return nil
	}
	return *localizations
}
