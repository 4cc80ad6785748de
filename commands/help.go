package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/register"
)

// help lists the commands, as they are registered, in the caller's language.
func (c *Commands) help(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	p := c.page(r)
	lines := []string{p.t.Text("help.intro"), ""}
	for _, command := range c.Definitions() {
		subcommands := 0
		for _, o := range command.Options {
			if o.Type == register.Subcommand {
				subcommands++
				lines = append(lines, c.mention(command.Name, command.Name+" "+o.Name)+" · "+p.inLanguage(o.Description, o.DescriptionLocalizations))
			}
		}
		if subcommands == 0 {
			lines = append(lines, c.mention(command.Name, command.Name)+" · "+p.inLanguage(command.Description, command.DescriptionLocalizations))
		}
	}
	return p.respond(interaction.Message{Embeds: []*discordgo.MessageEmbed{{
		Title: p.t.Text("help.title"), Description: strings.Join(lines, "\n"), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: p.t.Text("help.footer")},
	}}}), nil
}

// mention returns a command as Discord makes it clickable; until the commands'
// IDs are known, its name to be typed.
func (c *Commands) mention(command, fullName string) string {
	if ids := c.ids.Load(); ids != nil && (*ids)[command] != "" {
		return "</" + fullName + ":" + (*ids)[command] + ">"
	}
	return "`/" + fullName + "`"
}

// inLanguage picks the caller's language as Discord's client does.
func (p *page) inLanguage(text string, localizations map[string]string) string {
	if l, ok := localizations[p.t.Locale()]; ok {
		return l
	}
	return text
}
