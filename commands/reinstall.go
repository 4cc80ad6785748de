package commands

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
)

// reinstall reinstalls the packages of a bot. Where the bot runs, or may, it asks
// first: the bot may stop until that is done.
func (c *Commands) reinstall(a action) interaction.Handler {
	return c.onBot(func(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
		server, running := c.atThisMoment(r.CustomerID, b.server)
		switch conditionOf(server.Status).state {
		case up, unknown, transitional:
			if running == nil {
				return c.view(r).askReinstall(b), nil
			}
		}
		return c.begin(ctx, r, a, b)
	})
}

// askReinstall asks whether a bot's packages are to be reinstalled while it runs.
func (v view) askReinstall(b bot) interaction.Response {
	key, condition := botKey(b.server.ID), conditionOf(b.server.Status)
	text := v.t.Format("reinstall.ask", args{"Bot": name(b.server), "Status": condition.emoji + " " + v.statusWord(b.server, sanitize.Markdown)})
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Text("reinstall.title"),
		Description: v.heading(b.age, text),
		Color:       yellow,
	}
	return v.draw(idReinstallNow+key, embed, row(
		v.button(discordgo.PrimaryButton, "button.reinstall", idReinstallNow+key, false),
		v.button(discordgo.SecondaryButton, "button.cancel", idShow+key, false),
	))
}
