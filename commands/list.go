package commands

import (
	"context"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// pageSize is how many bots a page lists: with their longest names ten stay
// within an embed's 6,000 characters, and within a phone's patience.
const pageSize = 10

// list shows a page of the caller's bots.
func (c *Commands) list(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(l hostapi.List, a age) (interaction.Response, error) { return c.botList(r, l, a).draw(), nil })
}

// botList is a page of an account's bots.
type botList struct {
	view
	age age
	hostapi.List
	page, pages int              // the page is counted from 0
	shown       []hostapi.Server // the bots of the page, as they are at this moment
}

// botList returns the page that a request is about: the first, the one with a number,
// or the one that lists a certain bot. Where that does not exist any more, it is the
// nearest one that does.
func (c *Commands) botList(r *interaction.Request, l hostapi.List, a age) botList {
	pages := max(1, (len(l.Servers)+pageSize-1)/pageSize)
	page, err := strconv.Atoi(r.Params["page"])
	if err != nil {
		page = slices.IndexFunc(l.Servers, func(s hostapi.Server) bool { return botKey(s.ID) == r.Params["bot"] }) / pageSize
	}
	page = min(max(page, 0), pages-1)
	shown := slices.Clone(l.Servers[page*pageSize : min((page+1)*pageSize, len(l.Servers))])
	for i, s := range shown {
		shown[i], _ = c.atThisMoment(r.CustomerID, s)
	}
	return botList{c.view(r), a, l, page, pages, shown}
}

func (l botList) draw() interaction.Response {
	embed := &discordgo.MessageEmbed{Title: l.t.Text("list.title"), Color: blurple}
	for _, s := range l.shown {
		embed.Fields = append(embed.Fields, &discordgo.MessageEmbedField{
			Name: conditionOf(s.Status).emoji + " " + name(s),
			Value: l.statusWord(s, sanitize.Markdown) + " · " + l.t.Format("list.line", args{
				"RAM": l.t.Size(s.RAMMB), "Disk": l.t.Size(s.DiskMB), "CPU": l.t.Percent(s.CPUPercent),
			}),
		})
	}
	empty := ""
	if len(l.shown) > 0 {
		embed.Footer = &discordgo.MessageEmbedFooter{Text: l.count()}
	} else {
		hint := "list.elsewhere"
		if l.offers(hostapi.OpCreate) && !l.asked.ByStaff() {
			hint = "list.create"
		}
		empty = l.t.Text("list.empty") + " " + l.say(hint, nil)
	}
	embed.Description = paragraphs(l.heading(l.age, ""), l.summary(), empty)
	return l.view.draw(idList+strconv.Itoa(l.page), embed, l.components()...)
}

// summary is the plan in a line, or "" where the service names none.
func (l botList) summary() string {
	a := l.Account
	if a.PlanRAMMB <= 0 || a.MaxServers <= 0 {
		return ""
	}
	return l.t.Format("list.summary", args{
		"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)),
		"Used": l.t.Size(allocatedRAM(l.Servers)), "Granted": l.t.Size(a.PlanRAMMB),
		"Bots": a.ServerCount, "Max": a.MaxServers,
	})
}

func (l botList) count() string {
	count := l.t.Count("list.count", len(l.Servers), nil)
	if l.pages > 1 {
		count += " · " + l.t.Format("list.page", args{"Page": l.page + 1, "Pages": l.pages})
	}
	return count
}

func (l botList) components() []discordgo.MessageComponent {
	var rows []discordgo.MessageComponent
	if options := l.options(l.shown); len(options) > 0 {
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: l.customID(idOpen), Placeholder: l.t.Text("list.open"), Options: options,
		}))
	}
	button := func(key string, page int, disabled bool) discordgo.Button {
		return l.button(discordgo.SecondaryButton, key, idList+strconv.Itoa(page), disabled)
	}
	refresh := button("button.refresh", l.page, false)
	switch {
	case len(l.Servers) == 0 && l.offers(hostapi.OpCreate) && !l.asked.ByStaff():
		return append(rows, row(l.view.button(discordgo.PrimaryButton, "button.create", idSizes, false), refresh))
	case len(l.Servers) == 0:
		return append(append(rows, row(refresh)), l.ways(toPanel)...)
	case l.pages == 1:
		return append(rows, row(refresh))
	}
	return append(rows, row(
		button("button.previous", l.page-1, l.page == 0), refresh, button("button.next", l.page+1, l.page == l.pages-1),
	))
}

// allocatedRAM is the memory that the bots hold together, in megabytes.
func allocatedRAM(servers []hostapi.Server) int {
	sum := 0
	for _, s := range servers {
		sum += s.RAMMB
	}
	return sum
}
