package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actionlock"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// bot is a customer's bot, and how old the account is in which it was found.
type bot struct {
	server hostapi.Server
	age    age
}

// show opens the card of one of the caller's bots.
func (c *Commands) show(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(l hostapi.List, a age) (interaction.Response, error) {
		server, err := choose(r, l.Servers)
		if err != nil {
			return interaction.Response{}, err
		}
		return c.card(r, bot{server, a}, "").draw(), nil
	})
}

// card is all that is shown of a bot. One without an ID is yet to be created.
type card struct {
	view
	bot
	busy   bool   // an action is running on the bot
	notice string // which one that is, or what was done
	color  int    // 0: that of the bot's status
	// unsure says that it is not known how the last action ended: Refresh is the blue
	// button.
	unsure bool
	ways   []way // on which the customer gets on, beside what the card offers
}

// card returns a bot's card as it is at this moment.
func (c *Commands) card(r *interaction.Request, b bot, notice string) card {
	var running *actionlock.Running
	if b.server, running = c.atThisMoment(r.CustomerID, b.server); running != nil {
		notice = c.view(r).runningLine(*running, name(b.server))
	}
	return card{view: c.view(r), bot: b, busy: running != nil, notice: notice}
}

func (c card) draw() interaction.Response {
	if c.server.ID == "" {
		return c.drawDraft()
	}
	condition := conditionOf(c.server.Status)
	if condition.state == locked && c.notice == "" {
		c.notice, c.ways = "⛔ "+c.t.Text("card.suspended"), []way{toSupport, toPanel}
	}
	embed := &discordgo.MessageEmbed{
		Title: condition.emoji + " " + name(c.server), Description: c.heading(c.age, c.notice),
		Color: cmp.Or(c.color, condition.color), Fields: c.fields(c.server),
	}
	return c.view.draw(idShow+botKey(c.server.ID), embed, append(c.buttons(condition), c.view.ways(c.ways...)...)...)
}

// drawDraft draws a bot that does not exist: it is being created, or could not be.
func (c card) drawDraft() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: c.t.Text("create.title"), Description: c.notice, Color: cmp.Or(c.color, yellow)}
	return c.view.draw(idCreate, embed, append(c.view.ways(c.ways...), c.backRow())...)
}

// drawDeleted says that the bot is no more, and shows the way back.
func (c card) drawDeleted() interaction.Response {
	return c.view.draw(idShow+botKey(c.server.ID), &discordgo.MessageEmbed{Description: c.notice, Color: grey}, c.backRow())
}

// runningLine says which action is running on a bot, and since when.
func (v view) runningLine(running actionlock.Running, botName string) string {
	return "⏳ " + v.t.Format("action."+running.Action+".running", args{"Bot": botName, "Since": relative(running.Since)})
}

// buttons are the actions on the bot, as its condition allows, and the ways on.
// While the bot is in transition all actions stay in sight, so that nothing jumps
// about.
func (c card) buttons(condition condition) []discordgo.MessageComponent {
	key, refresh := botKey(c.server.ID), discordgo.SecondaryButton
	if c.unsure {
		refresh = discordgo.PrimaryButton
	}
	var rows, act, more []discordgo.MessageComponent
	for _, a := range actions() {
		allowed, style := slices.Contains(a.in, condition.state), a.style
		if c.unsure {
			style = discordgo.SecondaryButton
		}
		if c.offers(a.op) && (allowed || condition.state == transitional || condition.state == locked) {
			act = append(act, c.button(style, "button."+a.name, a.name+"/"+key, c.busy || !allowed))
		}
	}
	if len(act) > 0 {
		rows = append(rows, row(act...))
	}
	// Only customers themselves change how their bots are started, and delete them.
	if !c.asked.ByStaff() && c.offers(hostapi.OpUpdateStartup) {
		more = append(more, c.button(discordgo.SecondaryButton, "button.startup", idStartup+key, c.busy))
	}
	if !c.asked.ByStaff() && c.offers(hostapi.OpDelete) {
		more = append(more, c.button(discordgo.DangerButton, "button.delete", idDelete+key, c.busy))
	}
	return append(rows, row(append(more,
		c.button(refresh, "button.refresh", idShow+key, false),
		c.button(discordgo.SecondaryButton, "button.back", idListWith+key, false),
	)...))
}

func (c card) fields(s hostapi.Server) []*discordgo.MessageEmbedField {
	created := ""
	if !s.CreatedAt.IsZero() {
		created = stamp(s.CreatedAt, "D") + " (" + relative(s.CreatedAt) + ")"
	}
	return []*discordgo.MessageEmbedField{
		c.field("card.status", c.statusWord(s, sanitize.Markdown), true),
		c.field("card.ram", c.t.Size(s.RAMMB), true),
		c.field("card.disk", c.t.Size(s.DiskMB), true),
		c.field("card.cpu", c.t.Percent(s.CPUPercent), true),
		c.field("card.language", sanitize.Markdown(s.Language, wordLimit), true),
		c.field("card.plan", sanitize.Markdown(s.PlanName, wordLimit), true),
		c.field("card.entry", sanitize.Code(s.EntryFile, commandLimit), true),
		c.field("card.subdomain", sanitize.Code(s.Subdomain, commandLimit), true),
		c.field("card.startup", sanitize.Code(s.StartupCommand, commandLimit), false),
		c.field("card.created", created, false),
		c.field("card.id", sanitize.Code(s.ID, commandLimit), true),
	}
}
