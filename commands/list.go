package commands

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// pageSize is how many bots a page lists: with their longest names they stay within an
// embed's description of 4,096 characters, and within a phone's patience.
const pageSize = 10

// drawList draws a page of the caller's bots, or the card of the only one.
func (c *Commands) drawList(ctx context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	if len(s.List.Servers) == 1 && s.List.Missing() == 0 {
		return c.card(ctx, r, bot{s.List.Servers[0], s}, "").draw(), nil
	}
	list := c.botList(r, s)
	if c.watch.outage().Bots > 0 {
		list.many = c.fellWithMany(ctx, r, s, serversOf(list.shown)...)
	}
	return list.draw(), nil
}

// botList is a page of an account's bots.
type botList struct {
	view
	known       accounts.Snapshot
	notice      string // of what was done; "" for nothing
	counts      string
	crashed     int      // bots that a restart may help
	page, pages int      // the page is counted from 0
	shown       []listed // the bots of the page, as they are at this moment
	many        bool     // one of them is down as many bots are
}

// botList returns the page that a request is about: the first, the one with a number,
// or the one that lists a certain bot. Where that does not exist any more, it is the
// nearest one that does. Bots with a problem come first.
func (c *Commands) botList(r *interaction.Request, s accounts.Snapshot) botList {
	bots := c.inOrder(r, s)
	page, err := strconv.Atoi(cmp.Or(r.Params["page"], r.Value()))
	if err != nil {
		key := r.Params["bot"]
		page = slices.IndexFunc(bots, func(b listed) bool { return hasKey(*b.Server, key) }) / pageSize
	}
	shown, page, pages := pageOf(bots, page, pageSize)
	v := c.view(r)
	return botList{view: v, known: s, counts: v.counts(bots), crashed: len(crashedIn(bots)), page: page, pages: pages, shown: shown}
}

// inOrder lists the bots of an account as they are at this moment, those with a problem first.
func (c *Commands) inOrder(r *interaction.Request, s accounts.Snapshot) []listed {
	bots := listOf(c.nowOf(r, s))
	slices.SortStableFunc(bots, func(one, other listed) int { return byUrgency(one.condition, other.condition) })
	return bots
}

// pageOf returns a page of so many bots, or the nearest one that there is, which one that is, and how many there are.
func pageOf(bots []listed, wanted, size int) (shown []listed, page, pages int) {
	pages = max(1, (len(bots)+size-1)/size)
	page = min(max(wanted, 0), pages-1)
	return bots[page*size : min((page+1)*size, len(bots))], page, pages
}

// countedFrom is from how many bots on a list says how many are in which condition: fewer are
// counted at a glance.
const countedFrom = 6

// counts says how many bots are in which condition, those with a problem first.
func (v view) counts(bots []listed) string {
	if len(bots) < countedFrom {
		return ""
	}
	type count struct {
		condition
		n int
	}
	found := make([]count, 0, 4) // seldom more
	for _, b := range bots {
		i := slices.IndexFunc(found, func(c count) bool { return c.condition == b.condition })
		if i < 0 {
			i, found = len(found), append(found, count{b.condition, 0})
		}
		found[i].n++
	}
	slices.SortFunc(found, func(one, other count) int {
		return cmp.Or(cmp.Compare(one.urgency(), other.urgency()), cmp.Compare(other.n, one.n), cmp.Compare(one.key, other.key))
	})
	parts := make([]string, len(found))
	for i, is := range found {
		word := v.t.Text(cmp.Or(is.key, unknownKey))
		parts[i] = is.emoji + " " + v.t.Format("list.count", args{"Status": word, "N": is.n})
	}
	return strings.Join(parts, " · ")
}

func (l botList) draw() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: l.t.Text("list.title"), Color: blurple}
	embed.Description = paragraphs(l.heading(l.known, l.notice), l.companySays(l.many, l.known.List.Servers...), l.empty(), l.lines(), l.missing(l.known.List), l.summary(), l.updated(l.known.FetchedAt))
	return l.withUnread(l.known, l.view.drawOf(l.known, idList+strconv.Itoa(l.page), embed, l.components()...))
}

// empty says that there are no bots, and to customers how they come by one.
func (l botList) empty() string {
	switch {
	case len(l.shown) > 0, l.known.List.Missing() > 0:
		return ""
	case l.asked.ByStaff():
		return l.t.Text("staff.list.empty")
	case l.offers(hostapi.OpCreate):
		return l.t.Text("list.empty") + "\n" + l.say("list.create", nil)
	default:
		return l.t.Text("list.empty") + "\n" + l.t.Text("list.elsewhere")
	}
}

// lines are a line for all bots, if there are many, and one for each on the page.
func (l botList) lines() string {
	var lines strings.Builder
	lines.Grow(len(l.counts) + 64*(1+len(l.shown))) // as much as most names take
	lines.WriteString(l.counts)
	if l.pages > 1 {
		lines.WriteString(" · " + l.pageName(l.page))
	}
	for _, b := range l.shown {
		if lines.Len() > 0 {
			lines.WriteByte('\n')
		}
		for _, part := range [...]string{b.emoji, " ", name(*b.Server), " · ", l.wordOf(b, sanitize.Markdown)} {
			lines.WriteString(part)
		}
	}
	return lines.String()
}

// summary is the plan in a line; "" where there is none, and for staff, who see it below.
func (l botList) summary() string {
	a := l.known.List.Account
	if a.PlanRAMMB <= 0 || a.MaxServers <= 0 || l.asked.ByStaff() {
		return ""
	}
	return l.t.Format("list.summary", args{
		"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)),
		"Used": l.usedRAM(l.known.List), "Granted": l.t.Size(a.PlanRAMMB),
		"Bots": a.ServerCount, "Max": a.MaxServers,
	})
}

func (l botList) pageName(page int) string {
	return l.t.Format("list.page", args{"Page": page + 1, "Pages": l.pages})
}

// components are buttons for bots with a problem, a menu that opens a bot, one that restarts it,
// one of pages, and what is for the whole list: as many rows as a message may have, of which each
// but the last is there where it has something.
func (l botList) components() []discordgo.MessageComponent {
	rows := l.problems()
	if l.many {
		rows = l.statusFirst(rows)
	}
	menu := func(customID, placeholder string, options []discordgo.SelectMenuOption) {
		if len(options) > 0 { // Discord takes no empty menu
			rows = append(rows, l.menu(customID, placeholder, options))
		}
	}
	options := l.options(l.shown)
	menu(idOpen, l.t.Text("list.open"), options)
	menu("restart", l.t.Text("list.restart"), l.restartable(options))
	if l.pages > 1 {
		menu(idPages, l.pageName(l.page), l.pageOptions())
	}
	return append(rows, l.linkRow(append(l.below(), l.toSeveral()...)...)...)
}

// below are the buttons for the whole list: the customer's way to another bot is among them.
func (l botList) below() []discordgo.Button {
	refresh := l.button(discordgo.SecondaryButton, "button.refresh", idList+strconv.Itoa(l.page), false)
	switch _, full := freeRAM(l.known.List); {
	case l.asked.ByStaff():
		return []discordgo.Button{refresh}
	case l.suspended():
		return []discordgo.Button{refresh, l.toSupport()}
	case full != nil:
		return []discordgo.Button{refresh, l.toUpgrade()}
	case !l.offers(hostapi.OpCreate) && len(l.known.List.Servers) > 0:
		return []discordgo.Button{refresh}
	case !l.offers(hostapi.OpCreate):
		return []discordgo.Button{refresh, l.toPanel()}
	case len(l.known.List.Servers) == 0:
		return []discordgo.Button{l.button(discordgo.PrimaryButton, "button.create", idSizes, false), refresh}
	default:
		return []discordgo.Button{refresh, l.button(discordgo.SecondaryButton, "button.create", idSizes, false)}
	}
}

// suspended reports whether the host has suspended all bots of the account.
func (l botList) suspended() bool {
	bots := l.known.List.Servers
	return len(bots) > 0 && !slices.ContainsFunc(bots, func(s hostapi.Server) bool { return conditionOf(s).state != locked })
}

// namedProblems is how many bots with a problem have a button of their own.
const namedProblems = 3

// problems is a row of buttons that restart the first bots of the page which are down although
// nobody wanted it. If there are more, one for all of them comes first.
func (l botList) problems() []discordgo.MessageComponent {
	crashed := crashedIn(l.shown)
	if len(crashed) == 0 || !l.offers(hostapi.OpRestart) {
		return nil
	}
	var buttons []discordgo.MessageComponent
	if l.crashed > namedProblems && !l.asked.ByStaff() {
		buttons = append(buttons, l.restartCrashedButton("button.restart_crashed", idRestartCrashed, l.crashed))
	}
	for _, s := range crashed[:min(len(crashed), namedProblems)] {
		buttons = append(buttons, l.restartButton("restart/", s))
	}
	return []discordgo.MessageComponent{discordgo.ActionsRow{Components: buttons}}
}

// restartable returns the options of the bots that can be restarted, with a sign by which that menu
// is told from the one that opens a bot.
func (l botList) restartable(options []discordgo.SelectMenuOption) []discordgo.SelectMenuOption {
	restart, _ := actionNamed("restart")
	if !l.offers(restart.op) {
		return nil
	}
	found, sign := make([]discordgo.SelectMenuOption, 0, len(options)), &discordgo.ComponentEmoji{Name: "🔄"}
	for i, b := range l.shown {
		if restart.in.has(b.state) {
			option := options[i]
			option.Emoji = sign
			found = append(found, option)
		}
	}
	return found
}

// pageOptions are the pages to choose from: all, or those around this one.
func (l botList) pageOptions() []discordgo.SelectMenuOption {
	var options []discordgo.SelectMenuOption
	first := max(0, min(l.page-maxOptions/2, l.pages-maxOptions))
	for page := first; page < min(first+maxOptions, l.pages); page++ {
		options = append(options, discordgo.SelectMenuOption{Label: l.pageName(page), Value: strconv.Itoa(page), Default: page == l.page})
	}
	return options
}

// missing says how many bots an account has that its list does not tell of; "" if none.
func (v view) missing(l hostapi.List) string {
	if l.Missing() == 0 {
		return ""
	}
	return v.notLoaded(l.Missing())
}

func (v view) notLoaded(bots int) string { return "⚠️ " + v.t.Count("list.missing", bots, nil) }

// usedRAM says how much memory the bots hold together: that it is no less, if it is not known of all.
func (v view) usedRAM(l hostapi.List) string {
	used, all := l.RAM()
	switch {
	case all:
		return v.t.Size(used)
	case used == 0:
		return orDash("")
	default:
		return "≥ " + v.t.Size(used)
	}
}
