package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/locale"
)

// help lists the commands, as they are registered, in the caller's language.
func (c *Commands) help(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	t := v.t
	lines := []string{t.Text("help.intro"), ""}
	for _, cmd := range c.offered(false) {
		lines = append(lines, c.mention(t, cmd.name)+" · "+t.Text(textKey(cmd.name)+".description"))
	}
	return v.draw("", &discordgo.MessageEmbed{
		Title: t.Text("help.title"), Description: strings.Join(lines, "\n"), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: t.Text("help.footer")},
	}), nil
}

// mention returns a command as Discord makes it clickable, and shows it in the
// reader's language. Where the command's ID is not known, it returns what the reader
// has to type.
func (c *Commands) mention(t *locale.Texts, name string) string {
	words := strings.Fields(name)
	if ids := c.ids.Load(); ids != nil {
		if id := (*ids)[words[0]]; id != "" {
			return "</" + name + ":" + id + ">"
		}
	}
	typed := make([]string, len(words))
	for i := range words {
		typed[i] = t.Text(textKey(strings.Join(words[:i+1], " ")) + ".name")
	}
	return "`/" + strings.Join(typed, " ") + "`"
}
