package commands

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// drawPlan draws what the caller's plan grants and how much of it is used.
func (c *Commands) drawPlan(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	v := c.view(r)
	embed := v.planEmbed(s.List)
	embed.Description = v.heading(s, "")
	embed.Fields = append(embed.Fields, v.updatedField(s.FetchedAt))
	links := []discordgo.Button{v.button(discordgo.SecondaryButton, "button.refresh", idPlan, false), v.toBots()}
	if plan := s.List.Account; plan.MaxServers > 0 && plan.ServerCount >= plan.MaxServers {
		links = append(links, v.toUpgrade())
	}
	return v.drawOf(s, idPlan, embed, v.linkRow(links...)...), nil
}

// planEmbed shows how much of its plan an account uses.
func (v view) planEmbed(l hostapi.List) *discordgo.MessageEmbed {
	a := l.Account
	color, bots := blurple, v.usage(a.ServerCount, a.MaxServers, v.t.Number(a.ServerCount), v.t.Number)
	switch {
	case a.MaxServers <= 0 || a.ServerCount < a.MaxServers:
	case a.ServerCount == a.MaxServers:
		color, bots = orange, bots+"\n"+v.t.Text("plan.full")
	default:
		color, bots = orange, bots+"\n"+v.t.Text("plan.over")
	}
	if missing := v.missing(l); missing != "" && !v.asked.ByStaff() { // who see it above
		bots += "\n" + missing
	}
	ram, _ := l.RAM()
	return &discordgo.MessageEmbed{Title: v.t.Text("plan.title"), Color: color, Fields: []*discordgo.MessageEmbedField{
		v.field("plan.name", sanitize.Markdown(a.PlanName, wordLimit), false),
		v.field("plan.ram", v.usage(ram, a.PlanRAMMB, v.usedRAM(l), v.t.Size), false),
		v.field("plan.bots", bots, false),
	}}
}

// usage draws a bar and says the figures, or what is used where the plan has no limit. said is what
// is used, in words; of what is not known there is no bar.
func (v view) usage(used, total int, said string, say func(int) string) string {
	if total <= 0 {
		return said + " · " + v.t.Text("plan.none")
	}
	text := v.t.Format("plan.usage", args{"Used": said, "Total": say(total)})
	if said == orDash("") {
		return text
	}
	return bar(used, total) + "\n" + text
}
