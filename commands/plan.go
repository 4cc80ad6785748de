package commands

import (
	"context"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// plan shows what the caller's plan grants and how much of it is used.
func (c *Commands) plan(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(p *page, s accounts.Snapshot) (interaction.Message, error) {
		return p.plan(s.List), nil
	})
}

func (p *page) plan(l hostapi.List) interaction.Message {
	p.subject = "plan"
	embed := p.planEmbed(l)
	embed.Description = p.noticed("")
	return interaction.Message{
		Embeds:     []*discordgo.MessageEmbed{embed},
		Components: []discordgo.MessageComponent{row(p.button(discordgo.SecondaryButton, "button.back", idPage+"0", false))},
	}
}

func (p *page) planEmbed(l hostapi.List) *discordgo.MessageEmbed {
	a := l.Account
	embed := &discordgo.MessageEmbed{
		Title: p.t.Text("plan.title"),
		Color: blurple,
		Fields: []*discordgo.MessageEmbedField{
			{Name: p.t.Text("plan.name"), Value: orDash(safetext.Markdown(a.PlanName, wordLimit))},
			{Name: p.t.Text("plan.ram"), Value: p.usage(allocatedRAM(l.Servers), a.PlanRAMMB, p.t.Size)},
			{Name: p.t.Text("plan.bots"), Value: p.usage(a.ServerCount, a.MaxServers, strconv.Itoa)},
		},
	}
	if a.MaxServers > 0 && a.ServerCount >= a.MaxServers {
		key := "plan.full"
		if a.ServerCount > a.MaxServers {
			key = "plan.over"
		}
		embed.Color = orange
		embed.Fields[2].Value += "\n" + p.t.Text(key)
	}
	return embed
}

// usage draws a bar and says the figures; where the plan names no limit, only
// what is used.
func (p *page) usage(used, total int, say func(int) string) string {
	if total <= 0 {
		return say(used) + " · " + p.t.Text("plan.none")
	}
	return bar(used, total) + "\n" + p.t.Format("plan.usage", args{"Used": say(used), "Total": say(total)})
}
