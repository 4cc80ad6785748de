package commands

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/schedule"
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
	return func(ctx context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		server, err := choose(r, s.List)
		if err != nil {
			return interaction.Response{}, err
		}
		b := bot{server, s}
		if p == more {
			return c.cardWithSchedule(ctx, r, b, "").draw(), nil
		}
		card := c.card(ctx, r, b, "")
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
	// saysState and saysSince: the notice says the bot's state, or what has just led to it, so the
	// line of the state does not.
	saysState, saysSince bool
	color                int // 0: that of the bot's status
	story                story
	schedule             *schedule.Schedule // nil if the bot has none, or it was not looked for
	// unsure: nobody knows how the last action ended, so Refresh is the blue button.
	unsure bool
	links  []discordgo.Button // on which the customer gets on, beside what the card offers
}

// card returns a bot's card as it is at this moment.
func (c *Commands) card(ctx context.Context, r *interaction.Request, b bot, notice string) card {
	var running *actions.Running
	if b.server, running = c.atThisMoment(r.CustomerID, b.server, b.known); running != nil {
		notice = strings.TrimSpace(notice + "\n" + c.view(r).runningLine(*running, name(b.server)))
	}
	drawn := card{view: c.view(r), bot: b, busy: running != nil, notice: notice}
	if running == nil {
		drawn.story = c.storyOf(ctx, r, b)
	}
	return drawn
}

func (c card) draw() interaction.Response {
	if c.server.ID == "" {
		return c.drawDraft()
	}
	known := c.known
	known.FetchedAt = known.Seen(c.server.ID)
	condition := c.advise(conditionOf(c.server))
	embed := &discordgo.MessageEmbed{Title: condition.emoji + " " + name(c.server), Color: cmp.Or(c.color, condition.color)}
	var said []string
	if !c.saysState && (!c.busy || !condition.state.moving()) {
		said = append(said, c.stateLine(condition))
	}
	if condition.state == broken && !c.busy {
		said = append(said, c.why()...)
	}
	said = append(said, c.limits(), c.scheduleLine())
	if c.part == details {
		embed.Fields = append(c.fields(c.server), c.updatedField(known.FetchedAt))
	} else if aged := !known.Old && known.Update == nil; aged && time.Since(known.FetchedAt) > ageSaid {
		said = append(said, c.updated(known.FetchedAt))
	}
	embed.Description = paragraphs(c.heading(known, c.notice), c.companySays(c.story.many, c.server), lines(said...))
	rows := c.buttons(condition)
	if c.story.many {
		rows = c.statusFirst(rows)
	}
	return c.withUnread(known, c.view.drawOf(known, idShow+botKey(c.server.ID), embed, append(rows, c.view.linkRow(c.links...)...)...))
}

// advise has the card say what to do about a bot that is suspended, has crashed or is stuck, and
// lead on. It returns the condition by which the buttons are drawn: a bot that is stuck can be stopped.
func (c *card) advise(now condition) condition {
	switch {
	case now.state == locked && c.notice == "":
		c.notice, c.links, c.saysState = c.t.Text("card.suspended"), []discordgo.Button{c.toSupport(), c.toPanel()}, now.key != ""
	case now.state == broken && len(c.links) == 0 && !c.busy && !c.story.many:
		c.links = c.onward()
	case now.state.moving() && !c.busy && c.isStuck(c.story):
		c.notice, c.links, c.saysState = c.stuckLine(), []discordgo.Button{c.toSupport()}, true
		now.state = starting
	}
	return now
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

// ageSaid is from which age on a card says how old it is. What is younger is as good as new.
const ageSaid = time.Minute

// stateLine says the bot's state, whose sign is in the title, and which action of ours led to it,
// where one did, or since when it is down.
func (c card) stateLine(condition condition) string {
	line := c.statusWord(c.server, sanitize.Markdown)
	note := c.known.Notes[c.server.ID]
	a, ok := actionNamed(note.Action)
	switch after := c.fellAfter(); {
	case c.saysSince:
		return line
	case !ok || !a.leadsTo.has(condition.state):
		if condition.state == broken && !c.story.since.IsZero() { // how long has it been down is what its owner asks first
			return line + " · " + relative(c.story.since)
		}
		return line
	case after > 0:
		said := args{"Status": line, "When": relative(c.story.since), "Duration": c.t.Length(after, time.Second)}
		return c.t.Format("card.fell."+a.name, said)
	case condition.state == broken && a.op != hostapi.OpReinstall: // "Crashed · restarted" reads as if it ran
		return c.t.Format("card.last_started", args{"Status": line, "When": relative(note.At)})
	}
	return line + " · " + c.t.Format("card.since."+a.name, args{"When": relative(note.At)})
}

// fellAfter returns how long after our last start or restart the bot crashed, as far as somebody saw
// it come there; 0 where that is not known.
func (c card) fellAfter() time.Duration {
	note := c.known.Notes[c.server.ID]
	started := note.Action == "start" || note.Action == "restart"
	if conditionOf(c.server).state != broken || !started || c.story.since.IsZero() {
		return 0
	}
	return max(0, c.story.since.Sub(note.At))
}

// limits is a line on what the bot may use, as far as that is known, or "" where nothing is.
func (c card) limits() string {
	s := c.server
	if s.RAMMB <= 0 && s.DiskMB <= 0 && s.CPUPercent <= 0 {
		return ""
	}
	known := func(n int, say func(int) string) string {
		if n <= 0 {
			return orDash("")
		}
		return say(n)
	}
	return c.t.Format("card.limits", args{"RAM": known(s.RAMMB, c.t.Size), "Disk": known(s.DiskMB, c.t.Size), "CPU": known(s.CPUPercent, c.t.CPU)})
}

// fields are what is rarely needed.
func (c card) fields(s hostapi.Server) []*discordgo.MessageEmbedField {
	created := ""
	if !s.CreatedAt.IsZero() {
		created = message.Time(s.CreatedAt, "D") + " · " + relative(s.CreatedAt)
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
