package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The custom IDs under a panel. It is public, so they say whose it is, for the sentence that somebody
// else reads. What the owner may do is decided by who presses.
const (
	idPanel       = interaction.ReplyPrefix + "panel/" // + the owner's ID and one of those below
	idPanelManage = "/manage/"                         // + the panel's ID
	idPanelFollow = "/follow/"                         // + the panel's ID
)

const (
	// stalePolls is how many polls may be missed before a panel says that what it shows is old.
	stalePolls = 2
	// mostStrips is up to how many bots a panel has a strip of days for each. Of more it has one for
	// all: a phone shows a dozen lines, and an embed takes 4,096 characters.
	mostStrips = 5
	// fullNames is up to how many bots have names in full where all of them stand in one message.
	fullNames, shortName, shortWord = 10, 32, 24
)

// errNotYet says that a panel stays as it is, as nothing is known for a moment.
var errNotYet = errors.New("nothing is known of a panel's account")

// panelView draws one panel.
type panelView struct {
	view
	panel panel.Panel
	known accounts.Snapshot
	past  map[string]history.Past
	many  outages.Outage
	old   string // the key of the text that says why what is known is older than it should be; empty if it is not
}

// DrawPanel draws what everybody in a channel sees of bots: names, states, since when, and how the
// last thirty days were. If nothing is known of the account any more, it shows no bots and says so;
// for a panel that is being posted it asks the hosting service.
func (c *Commands) DrawPanel(ctx context.Context, p panel.Panel) (interaction.Message, error) {
	stale := stalePolls * c.watch.Interval()
	snapshot, err := c.watch.Known(ctx, p.OwnerID)
	if p.Edited == 0 && errors.Is(err, accounts.ErrUnknown) { // whoever posts it can wait for the service
		snapshot, err = c.accounts.Account(ctx, p.OwnerID, time.Time{})
	}
	unknown := errors.Is(err, accounts.ErrUnknown)
	old := !unknown && !snapshot.FetchedAt.IsZero() && time.Since(snapshot.FetchedAt) > stale
	switch {
	case unknown && time.Since(time.UnixMilli(p.Edited)) < stale:
		return interaction.Message{}, errNotYet
	case old && p.Edited != 0 && time.Since(c.began) < stale: // nobody may have asked the service until now
		return interaction.Message{}, errNotYet
	case err != nil && !unknown && !isNoAccount(err):
		return interaction.Message{}, err
	}
	ids := hostapi.IDs(p.Shown(snapshot.List.Servers))
	past, err := c.watch.History.Bots(ctx, p.OwnerID, time.Now().Add(-history.ShownDays*day), ids...)
	if err != nil {
		return interaction.Message{}, err
	}
	v := panelView{view: c.view(&interaction.Request{UserID: p.OwnerID, CustomerID: p.OwnerID, Locale: p.Locale}), panel: p, known: snapshot, past: past, many: c.watch.outage()}
	if old {
		v.old = "panel.as_of"
		if c.watch.Unwatched(ctx, p.OwnerID) {
			v.old = "panel.unwatched"
		}
	}
	embed := &discordgo.MessageEmbed{
		Title: v.panelTitle(p), Color: grey,
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Format("alert.looked", args{"Interval": v.t.DurationWithin(c.watch.Interval(), time.Second)})},
	}
	switch bots := v.bots(); {
	case unknown:
		embed.Description = "⚠️ " + v.t.Text("age.away")
	case len(bots) == 0 && v.missing(v.known.List) == "":
		embed.Description = v.t.Text("panel.empty")
	default:
		if len(bots) > 0 {
			embed.Description, embed.Color = v.describe(bots)
		}
		lacking := v.known.List.Missing()
		if !p.All {
			lacking = min(lacking, len(p.Bots)-len(bots))
		}
		if lacking > 0 {
			embed.Description = paragraphs(embed.Description, v.notLoaded(lacking))
		}
	}
	rows := []discordgo.MessageComponent{v.buttons()}
	if v.fellWithMany(v.bots()) || unknown || v.old == "panel.as_of" {
		rows = v.statusFirst(rows)
	}
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}, Components: rows}, nil
}

// BarePanel is what a panel shows where Discord takes no embeds from the bot: which
// permissions it needs.
func (c *Commands) BarePanel(p panel.Panel) interaction.Message {
	return interaction.Message{Content: "⚠️ " + c.texts.For(p.Locale).Text("panel.no_permission")}
}

// panelTitle is a panel's own title, or the usual one, for where Discord renders markdown.
func (v view) panelTitle(p panel.Panel) string {
	return cmp.Or(sanitize.Markdown(p.Title, 2*panel.MaxTitle), v.t.Text("panel.title"))
}

// plainPanelTitle is the same for where Discord renders none.
func (v view) plainPanelTitle(p panel.Panel) string {
	return cmp.Or(sanitize.Plain(p.Title, panel.MaxTitle), v.t.Text("panel.title"))
}

// bots returns those of the panel that there still are, those with a problem first, and the others in the
// order that the owner gave them.
func (v panelView) bots() []hostapi.Server {
	bots := v.panel.Shown(v.known.List.Servers)
	slices.SortStableFunc(bots, func(one, other hostapi.Server) int {
		return byUrgency(conditionOf(one), conditionOf(other))
	})
	return bots
}

// describe returns what the panel says of its bots, and its colour.
func (v panelView) describe(bots []hostapi.Server) (text string, color int) {
	top, worst := v.sumUp(bots)
	if v.old != "" {
		top, worst = "⚠️ "+v.t.Format(v.old, args{"When": relative(v.known.FetchedAt)}), grey
	}
	top = lines(top, v.companySays(v.old == "" && v.fellWithMany(bots), bots...))
	now := time.Now()
	var all [][]history.Day
	blocks := firstOf(v.view, bots, panel.MostBots, "… +", func(s hostapi.Server) string {
		block, days := v.line(s, len(bots)), history.Days(v.past[s.ID].Spans, now)
		if len(bots) <= mostStrips {
			block += "\n" + squares(days)
		}
		all = append(all, days)
		return block
	})
	together := ""
	if len(bots) > mostStrips {
		together = squares(all...)
	}
	return paragraphs(top, together, strings.Join(blocks, "\n"), lines(v.legend(), v.unseen(bots))), worst
}

// fellWithMany reports whether one of the bots is down as many bots are.
func (v panelView) fellWithMany(bots []hostapi.Server) bool {
	return slices.ContainsFunc(bots, func(s hostapi.Server) bool { return isDown(s) && isOf(v.many, s, v.past[s.ID], v.known.Notes[s.ID]) })
}

// sumUp says in a line how several bots fare. Of one, its own line says so.
func (v panelView) sumUp(bots []hostapi.Server) (text string, worst int) {
	worst = grey
	running, fallen := 0, 0
	for _, s := range bots {
		now := conditionOf(s)
		worst = worse(worst, now.color)
		switch now.state {
		case up:
			running++
		case broken, locked:
			fallen++
		}
	}
	all := args{"All": len(bots)}
	switch {
	case len(bots) == 1:
		return "", worst
	case fallen > 0:
		return "🔴 **" + v.t.Count("panel.down", fallen, all) + "**", worst
	case running == len(bots):
		return "🟢 **" + v.t.Count("panel.all_running", running, nil) + "**", worst
	default:
		return "**" + v.t.Count("panel.running", running, all) + "**", worst
	}
}

// line says how one of so many bots fares.
func (v panelView) line(s hostapi.Server, bots int) string {
	now := conditionOf(s)
	emoji, called, word := now.emoji, nameAmong(s, bots), v.statusWord(s, sanitize.Markdown)
	if v.old != "" {
		emoji = conditionIn(hostapi.StateUnknown).emoji
	}
	if bots > fullNames && now.key == "" {
		word = orDash(sanitize.Markdown(s.Status, shortWord))
	}
	return emoji + " **" + called + "** · " + word + v.changed(s)
}

// standing is since when a bot has its state; false if nobody knows that.
func (v panelView) standing(s hostapi.Server) (history.Standing, bool) {
	past, known := v.past[s.ID]
	return past.Standing, known && past.Standing.State == s.State()
}

// changed says when a bot came into its state, if somebody saw it: of one that runs since when it does,
// as "5 hours ago" reads as if it ran then.
func (v panelView) changed(s hostapi.Server) string {
	switch is, known := v.standing(s); {
	case !known, is.AtLeast:
		return ""
	case is.State == hostapi.StateRunning:
		return " · " + v.t.Format("panel.since", args{"When": date(is.Since)})
	default:
		return " · " + relative(is.Since)
	}
}

// date is a date, and for a day a time as well.
func date(t time.Time) string {
	if time.Since(t) < day {
		return message.Time(t, "d") + " " + message.Time(t, "t")
	}
	return message.Time(t, "d")
}

// unseen says since when all bots were looked at of which nobody saw their state begin; "" for none.
func (v panelView) unseen(bots []hostapi.Server) string {
	var latest time.Time
	for _, s := range bots {
		if is, known := v.standing(s); known && is.AtLeast && is.Since.After(latest) {
			latest = is.Since
		}
	}
	if latest.IsZero() {
		return ""
	}
	return "-# " + v.t.Format("history.since", args{"When": date(latest)})
}

// buttons are one for everybody and one for the owner.
func (v panelView) buttons() discordgo.ActionsRow {
	own := idPanel + v.panel.OwnerID
	follow := v.button(discordgo.SecondaryButton, "button.follow", own+idPanelFollow+v.panel.ID, false)
	follow.Emoji = &discordgo.ComponentEmoji{Name: "🔔"}
	return row(follow, v.button(discordgo.SecondaryButton, "button.manage", own+idPanelManage+v.panel.ID, false))
}

// worse returns the colour that says more of what is wrong.
func worse(one, other int) int {
	badness := []int{grey, green, yellow, red}
	return badness[max(slices.Index(badness, one), slices.Index(badness, other))]
}
