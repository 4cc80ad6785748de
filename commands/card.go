package commands

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// bot is a customer's bot, and the account in which it was found.
type bot struct {
	server hostapi.Server
	known  accounts.Snapshot
}

// part is which part of a bot's card is shown.
type part int

const (
	brief   part = iota // what matters
	details             // all that is known as well
	more                // what is rarely done as well
)

// drawCard draws the card of one of the caller's bots.
func (c *Commands) drawCard(p part) drawing {
	return func(r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		server, err := choose(r, s.List.Servers)
		if err != nil {
			return interaction.Response{}, err
		}
		card := c.card(r, bot{server, s}, "")
		card.part = p
		return card.draw(), nil
	}
}

// card is all that is shown of a bot. One without an ID is yet to be created.
type card struct {
	view
	bot
	part   part
	busy   bool   // an action is running on the bot
	notice string // which one that is, or what was done
	color  int    // 0: that of the bot's status
	// unsure: nobody knows how the last action ended, so Refresh is the blue button.
	unsure bool
	links  []discordgo.Button // on which the customer gets on, beside what the card offers
	// before is what the first button was in the message whose place the card takes; ""
	// for none.
	before string
}

// card returns a bot's card as it is at this moment.
func (c *Commands) card(r *interaction.Request, b bot, notice string) card {
	var running *actions.Running
	if b.server, running = c.atThisMoment(r.CustomerID, b.server); running != nil {
		notice = c.view(r).runningLine(*running, name(b.server))
	}
	return card{view: c.view(r), bot: b, busy: running != nil, notice: notice, before: firstOf(r.FirstButton)}
}

func (c card) draw() interaction.Response {
	if c.server.ID == "" {
		return c.drawDraft()
	}
	condition, known := conditionOf(c.server.Status), c.known
	known.FetchedAt = known.Seen(c.server.ID)
	if condition.state == locked && c.notice == "" {
		c.notice, c.links = c.t.Text("card.suspended"), []discordgo.Button{c.toSupport(), c.toPanel()}
	}
	embed := &discordgo.MessageEmbed{Title: condition.emoji + " " + name(c.server), Color: cmp.Or(c.color, condition.color)}
	var lines []string
	if !c.busy || condition.state != transitional { // otherwise the notice says it
		lines = append(lines, c.stateLine(condition))
	}
	lines = append(lines, c.limits())
	if c.part == details {
		embed.Fields = append(c.fields(c.server), c.updatedField(known.FetchedAt))
	} else {
		lines = append(lines, c.updated(known.FetchedAt))
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	embed.Description = paragraphs(c.heading(known, c.notice), strings.Join(lines, "\n"))
	return c.view.draw(idShow+botKey(c.server.ID), embed, append(c.buttons(condition), c.view.linkRow(c.links...)...)...)
}

// drawDraft draws a bot that does not exist: it is being created, or could not be.
func (c card) drawDraft() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: c.t.Text("create.title"), Description: c.notice, Color: cmp.Or(c.color, yellow)}
	return c.view.draw(idCreate, embed, append(c.view.linkRow(c.links...), c.backRow())...)
}

// runningLine says which action is running on a bot, and since when.
func (v view) runningLine(running actions.Running, botName string) string {
	return "⏳ " + v.t.Format("action."+running.Action+".running", args{"Bot": botName, "Since": relative(running.Since)})
}

// stateLine says the bot's state and which action of ours led to it, where one did.
func (c card) stateLine(condition condition) string {
	line := c.status(c.server)
	note := c.known.Notes[c.server.ID]
	if a, ok := actionNamed(note.Action); ok && slices.Contains(a.leadsTo, condition.state) {
		line += " · " + c.t.Format("card.since."+a.name, args{"When": relative(note.At)})
	}
	return line
}

// limits is a line on what the bot may use, or "" where the service names no limits.
func (c card) limits() string {
	s := c.server
	if s.RAMMB == 0 && s.DiskMB == 0 && s.CPUPercent == 0 {
		return ""
	}
	return c.t.Format("card.limits", args{"RAM": c.t.Size(s.RAMMB), "Disk": c.t.Size(s.DiskMB), "CPU": c.t.CPU(s.CPUPercent)})
}

// fields are what is rarely needed.
func (c card) fields(s hostapi.Server) []*discordgo.MessageEmbedField {
	created := ""
	if !s.CreatedAt.IsZero() {
		created = stamp(s.CreatedAt, "D") + " (" + relative(s.CreatedAt) + ")"
	}
	return []*discordgo.MessageEmbedField{
		c.field("card.language", sanitize.Markdown(s.Language, wordLimit), true),
		c.field("card.plan", sanitize.Markdown(s.PlanName, wordLimit), true),
		c.field("card.entry", sanitize.Code(s.EntryFile, commandLimit), true),
		c.field("card.startup", sanitize.Code(s.StartupCommand, commandLimit), false),
		c.field("card.subdomain", sanitize.Code(s.Subdomain, commandLimit), true),
		c.field("card.id", sanitize.Code(s.ID, commandLimit), true),
		c.field("card.created", created, false),
	}
}

// buttons are the actions on the bot and the ways on. Each has its place, whatever the
// state: what makes no sense now is disabled. Start and Restart share the first place.
func (c card) buttons(condition condition) []discordgo.MessageComponent {
	key, first, refresh := botKey(c.server.ID), c.first(condition), discordgo.SecondaryButton
	if c.unsure {
		refresh = discordgo.PrimaryButton
	}
	var rows, act []discordgo.MessageComponent
	for _, a := range actionList() {
		shares := a.op == hostapi.OpStart || a.op == hostapi.OpRestart
		if !c.offers(a.op) || shares && a.name != first {
			continue
		}
		id := a.name + "/" + key
		if shares && c.before != "" && c.before != first {
			id = idNew + strconv.FormatInt(time.Now().UnixMilli(), 36) + "/" + a.name + "/" + digest(c.server.ID)
		}
		style := a.style
		if c.unsure {
			style = discordgo.SecondaryButton
		}
		act = append(act, c.button(style, "button."+a.name, id, c.busy || !slices.Contains(a.in, condition.state)))
	}
	if len(act) > 0 {
		rows = append(rows, row(act...))
	}
	// Only customers themselves change how their bots are started, and delete them.
	var rare []discordgo.MessageComponent
	if !c.asked.ByStaff() && c.offers(hostapi.OpUpdateStartup) {
		rare = append(rare, c.button(discordgo.SecondaryButton, "button.startup", idStartup+key, c.busy))
	}
	if !c.asked.ByStaff() && c.offers(hostapi.OpDelete) {
		rare = append(rare, c.button(discordgo.DangerButton, "button.delete", idDelete+key, c.busy))
	}
	if !c.asked.ByStaff() && c.alertsOffered {
		rare = append(rare,
			c.button(discordgo.SecondaryButton, "button.alerts", idAlertsOf+key, false),
			c.button(discordgo.SecondaryButton, "button.history", idHistory+key, false))
	}
	ways := []discordgo.MessageComponent{
		c.button(refresh, "button.refresh", idShow+key, false),
		c.button(discordgo.SecondaryButton, "button.details", idDetails+key, c.part == details),
	}
	if len(rare) > 0 {
		ways = append(ways, c.button(discordgo.SecondaryButton, "button.more", idMore+key, c.part == more))
	}
	rows = append(rows, row(append(ways, c.button(discordgo.SecondaryButton, "button.back", idListWith+key, false))...))
	if c.part == more && len(rare) > 0 {
		rows = append(rows, row(rare...))
	}
	return rows
}

// first names the action of the first button: Start for a bot that is down or on its
// way up from there, else Restart; the other one where that is turned off.
func (v view) first(c condition) string {
	const start, restart = "start", "restart"
	starts := c.state == down || c.key == "status.starting"
	if starts && v.offers(hostapi.OpStart) || !v.offers(hostapi.OpRestart) {
		return start
	}
	return restart
}

// firstOf names the action of a first button by its custom ID, which may also say for
// whom the button is and when it was drawn.
func firstOf(customID string) string {
	parts := strings.Split(customID, "/")
	for _, prefix := range []string{onBehalf, idNew} {
		if len(parts) > 2 && parts[0]+"/" == prefix {
			parts = parts[2:]
		}
	}
	return parts[0]
}

// settleTime is for how long a button does nothing that has taken another one's place.
const settleTime = time.Second

// unlessTooSoon serves a button, unless it had just taken another one's place when it was
// pressed: the press was meant for that one. The time is in the custom ID, so that any
// replica can tell.
func unlessTooSoon(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		drawn, err := strconv.ParseInt(r.Params["drawn"], 36, 64)
		if err == nil && r.ReceivedAt.Sub(time.UnixMilli(drawn)).Abs() < settleTime {
			return interaction.Keep(), nil
		}
		return h(ctx, r)
	}
}
