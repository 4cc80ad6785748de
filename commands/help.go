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
		lines = append(lines, c.mention(cmd.name)+" · "+v.t.Text("command."+strings.ReplaceAll(cmd.name, " ", ".")+".description"))
	}
	return v.draw("", &discordgo.MessageEmbed{
		Title: v.t.Text("help.title"), Description: strings.Join(lines, "\n"), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Text("help.footer")},
	}), nil
}

// mention returns a command as Discord makes it clickable, and shows it in the
// reader's language. Until the commands are registered it is the name alone.
func (c *Commands) mention(name string) string {
	root, _, _ := strings.Cut(name, " ")
	if ids := c.ids.Load(); ids != nil && (*ids)[root] != "" {
		return "</" + name + ":" + (*ids)[root] + ">"
	}
	return "`/" + name + "`"
}
