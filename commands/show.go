package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// show opens the card of one of the caller's bots.
func (c *Commands) show(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(p *page, s accounts.Snapshot) (interaction.Message, error) {
		server, err := choose(r, s.List.Servers)
		if err != nil {
			return interaction.Message{}, err
		}
		return p.card(server), nil
	})
}

// card draws all that is known of a bot, and what can be done to it now.
func (p *page) card(s hostapi.Server) interaction.Message {
	turn, busy := p.running(s.ID)
	if busy {
		p.notice = strings.TrimSuffix(underWay(p.t, turn, name(s))+"\n"+p.notice, "\n")
	}
	s = p.now(s)
	condition := conditionOf(s.Status)
	color := p.color
	if color == 0 {
		color = condition.color
	}
	embed := &discordgo.MessageEmbed{
		Title:       condition.emoji + " " + name(s),
		Description: p.noticed(""),
		Color:       color,
		Fields:      p.cardFields(s, condition),
	}
	p.subject = idShow + handle(s.ID)
	return interaction.Message{
		Embeds:     []*discordgo.MessageEmbed{embed},
		Components: p.cardButtons(handle(s.ID), condition, busy),
	}
}

// cardButtons are the actions on a bot, as its condition allows, and the ways on.
// While something is being done all actions stay in sight, so that nothing jumps
// about.
func (p *page) cardButtons(h string, condition condition, busy bool) []discordgo.MessageComponent {
	var act []discordgo.MessageComponent
	for _, a := range actions() {
		offered := condition.offers(a.name)
		if !p.offers(a.op) || !offered && condition.state != moving && condition.state != locked {
			continue
		}
		style := discordgo.SecondaryButton
		if a.name == "start" || a.name == "restart" {
			style = discordgo.PrimaryButton
		}
		act = append(act, p.button(style, "button."+a.name, a.customID(h), busy || !offered))
	}
	var rows []discordgo.MessageComponent
	if len(act) > 0 {
		rows = append(rows, row(act...))
	}
	var more []discordgo.MessageComponent
	own := !p.request.ByStaff() // what only customers decide of theirs
	if own && p.offers(hostapi.OpUpdateStartup) {
		more = append(more, p.button(discordgo.SecondaryButton, "button.startup", idStartup+h, busy))
	}
	if own && p.offers(hostapi.OpDelete) {
		more = append(more, p.button(discordgo.DangerButton, "button.delete", idDelete+h, busy))
	}
	return append(rows, row(append(more,
		p.button(discordgo.SecondaryButton, "button.refresh", idShow+h, false),
		p.button(discordgo.SecondaryButton, "button.back", idPageOf+h, false),
	)...))
}

func (p *page) cardFields(s hostapi.Server, condition condition) []*discordgo.MessageEmbedField {
	field := func(key, value string, inline bool) *discordgo.MessageEmbedField {
		if value == "" {
			value = p.t.Text("card.none")
		}
		return &discordgo.MessageEmbedField{Name: p.t.Text(key), Value: value, Inline: inline}
	}
	created := ""
	if !s.CreatedAt.IsZero() {
		created = stamp(s.CreatedAt, "D") + " (" + relative(s.CreatedAt) + ")"
	}
	return []*discordgo.MessageEmbedField{
		field("card.status", condition.word(p.t, s.Status), true),
		field("card.ram", p.t.Size(s.RAMMB), true),
		field("card.disk", p.t.Size(s.DiskMB), true),
		field("card.cpu", p.t.Percent(s.CPUPercent), true),
		field("card.language", safetext.Markdown(s.Language, wordLimit), true),
		field("card.plan", safetext.Markdown(s.PlanName, wordLimit), true),
		field("card.entry", safetext.Code(s.EntryFile, commandLimit), true),
		field("card.subdomain", safetext.Code(s.Subdomain, commandLimit), true),
		field("card.startup", safetext.Code(s.StartupCommand, commandLimit), false),
		field("card.created", created, false),
		field("card.id", safetext.Code(s.ID, commandLimit), true),
	}
}
