package commands

import (
	"context"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// plan shows what the caller's plan grants and how much of it is used.
func (c *Commands) plan(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(l hostapi.List, a age) (screen, error) {
		v := c.view(r)
		embed := planUse{v, l}.embed()
		embed.Description = v.heading(a, "")
		return newScreen("plan", embed, v.backRow()), nil
	})
}

// planUse is how much of a plan an account uses.
type planUse struct {
	view
	list hostapi.List
}

func (p planUse) embed() *discordgo.MessageEmbed {
	a := p.list.Account
	color, bots := blurple, p.usage(a.ServerCount, a.MaxServers, strconv.Itoa)
	switch {
	case a.MaxServers <= 0 || a.ServerCount < a.MaxServers:
	case a.ServerCount == a.MaxServers:
		color, bots = orange, bots+"\n"+p.t.Text("plan.full")
	default:
		color, bots = orange, bots+"\n"+p.t.Text("plan.over")
	}
	return &discordgo.MessageEmbed{Title: p.t.Text("plan.title"), Color: color, Fields: []*discordgo.MessageEmbedField{
		p.field("plan.name", sanitize.Markdown(a.PlanName, wordLimit), false),
		p.field("plan.ram", p.usage(allocatedRAM(p.list.Servers), a.PlanRAMMB, p.t.Size), false),
		p.field("plan.bots", bots, false),
	}}
}

// usage draws a bar and says the figures; where the plan names no limit, only
// what is used.
func (p planUse) usage(used, total int, say func(int) string) string {
	if total <= 0 {
		return say(used) + " · " + p.t.Text("plan.none")
	}
	return bar(used, total) + "\n" + p.t.Format("plan.usage", args{"Used": say(used), "Total": say(total)})
}
