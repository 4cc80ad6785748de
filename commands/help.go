package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// help lists the commands, as they are registered, in the caller's language.
func (c *Commands) help(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	lines := []string{v.t.Text("help.intro"), ""}
	for _, cmd := range c.offered(false) {
		lines = append(lines, v.mention(cmd.name)+" · "+v.t.Text("command."+strings.ReplaceAll(cmd.name, " ", ".")+".description"))
	}
	return v.draw("", &discordgo.MessageEmbed{
		Title: v.t.Text("help.title"), Description: strings.Join(lines, "\n"), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Text("help.footer")},
	}), nil
}
