package commands

import (
	"cmp"
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
func (c *Commands) drawList(r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	if len(s.List.Servers) == 1 {
		return c.card(r, bot{s.List.Servers[0], s}, "").draw(), nil
	}
	return c.botList(r, s).draw(), nil
}

// botList is a page of an account's bots.
type botList struct {
	view
	hostapi.List
	known       accounts.Snapshot // which has the list
	counts      string
	page, pages int              // the page is counted from 0
	shown       []hostapi.Server // the bots of the page, as they are at this moment
}

// botList returns the page that a request is about: the first, the one with a number,
// or the one that lists a certain bot. Where that does not exist any more, it is the
// nearest one that does. Bots with a problem come first.
func (c *Commands) botList(r *interaction.Request, s accounts.Snapshot) botList {
	servers := c.nowOf(r, s)
	slices.SortStableFunc(servers, byUrgency)
	pages := max(1, (len(servers)+pageSize-1)/pageSize)
	page, err := strconv.Atoi(cmp.Or(r.Params["page"], r.Value()))
	if err != nil {
		page = indexOf(servers, r.Params["bot"]) / pageSize
	}
	page = min(max(page, 0), pages-1)
	return botList{c.view(r), s.List, s, counts(servers), page, pages, servers[page*pageSize : min((page+1)*pageSize, len(servers))]}
}

// counts says how many bots are in which condition.
func counts(servers []hostapi.Server) string {
	found := make(map[string]int)
	for _, s := range servers {
		found[conditionOf(s.Status).emoji]++
	}
	var parts []string
	for _, emoji := range []string{"🟢", "🟡", "⚫", "⚪", "⛔", "🔴"} {
		if n := found[emoji]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+emoji)
		}
	}
	return strings.Join(parts, " · ")
}

func (l botList) draw() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: l.t.Text("list.title"), Color: blurple}
	embed.Description = paragraphs(l.heading(l.known, ""), l.empty(), l.lines(), l.summary(), l.updated(l.known.FetchedAt))
	return l.view.draw(idList+strconv.Itoa(l.page), embed, l.components()...)
}

// empty says that there are no bots, and to customers how they come by one.
func (l botList) empty() string {
	switch {
	case len(l.shown) > 0:
		return ""
	case l.asked.ByStaff():
		return l.t.Text("staff.list.empty")
	case l.offers(hostapi.OpCreate):
		return l.t.Text("list.empty") + "\n" + l.say("list.create", nil)
	default:
		return l.t.Text("list.empty") + "\n" + l.t.Text("list.elsewhere")
	}
}

// lines are a line for all bots and one for each on the page.
func (l botList) lines() string {
	if len(l.shown) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString(l.counts)
	if l.pages > 1 {
		text.WriteString(" · " + l.pageName(l.page))
	}
	for _, s := range l.shown {
		text.WriteString("\n" + conditionOf(s.Status).emoji + " " + name(s) + " · " + l.statusWord(s, sanitize.Markdown))
	}
	return text.String()
}

// summary is the plan in a line; "" where there is none, and for staff, who see it below.
func (l botList) summary() string {
	a := l.Account
	if a.PlanRAMMB <= 0 || a.MaxServers <= 0 || l.asked.ByStaff() {
		return ""
	}
	return l.t.Format("list.summary", args{
		"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)),
		"Used": l.t.Size(allocatedRAM(l.Servers)), "Granted": l.t.Size(a.PlanRAMMB),
		"Bots": a.ServerCount, "Max": a.MaxServers,
	})
}

func (l botList) pageName(page int) string {
	return l.t.Format("list.page", args{"Page": page + 1, "Pages": l.pages})
}

// components are a menu that opens a bot, one that restarts it, one of pages, and Refresh.
func (l botList) components() []discordgo.MessageComponent {
	var rows []discordgo.MessageComponent
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
	refresh := l.button(discordgo.SecondaryButton, "button.refresh", idList+strconv.Itoa(l.page), false)
	switch {
	case len(l.Servers) > 0:
		return append(rows, row(refresh))
	case l.offers(hostapi.OpCreate) && !l.asked.ByStaff():
		return append(rows, row(l.button(discordgo.PrimaryButton, "button.create", idSizes, false), refresh))
	default:
		return append(append(rows, row(refresh)), l.linkRow(l.toPanel())...)
	}
}

// restartable returns the options of the bots that can be restarted.
func (l botList) restartable(options []discordgo.SelectMenuOption) []discordgo.SelectMenuOption {
	restart, _ := actionNamed("restart")
	if !l.offers(restart.op) {
		return nil
	}
	found := make([]discordgo.SelectMenuOption, 0, len(options))
	for i, s := range l.shown {
		if slices.Contains(restart.in, conditionOf(s.Status).state) {
			found = append(found, options[i])
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

// allocatedRAM is the memory that the bots hold together, in megabytes.
func allocatedRAM(servers []hostapi.Server) int {
	sum := 0
	for _, s := range servers {
		sum += s.RAMMB
	}
	return sum
}
