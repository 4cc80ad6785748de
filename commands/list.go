package commands

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// pageSize is how many bots a page lists: with their longest names ten stay
// within an embed's 6,000 characters, and within a phone's patience.
const pageSize = 10

// list shows a page of the caller's bots: the first, the one that is named, or
// the one that has a certain bot.
func (c *Commands) list(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(p *page, s accounts.Snapshot) (interaction.Message, error) {
		return p.list(s.List, wantedPage(r, s.List.Servers)), nil
	})
}

// wantedPage returns the number of the page, from 0. It may not exist.
func wantedPage(r *interaction.Request, servers []hostapi.Server) int {
	if h, ok := r.Params["bot"]; ok {
		for i, s := range servers {
			if handle(s.ID) == h {
				return i / pageSize
			}
		}
	}
	n, err := strconv.Atoi(r.Params["page"])
	if err != nil {
		return 0
	}
	return n
}

// list draws a page of bots. A page that does not exist any more becomes the
// nearest one that does.
func (p *page) list(l hostapi.List, number int) interaction.Message {
	last := max(0, (len(l.Servers)-1)/pageSize)
	number = min(max(number, 0), last)
	shown := make([]hostapi.Server, 0, pageSize)
	for _, s := range l.Servers[number*pageSize : min((number+1)*pageSize, len(l.Servers))] {
		shown = append(shown, p.now(s))
	}
	p.subject = idPage + strconv.Itoa(number)

	embed := &discordgo.MessageEmbed{Title: p.t.Text("list.title"), Color: blurple}
	description := p.summary(l)
	if len(shown) == 0 {
		description = strings.TrimPrefix(description+"\n\n"+p.empty(), "\n\n")
	}
	embed.Description = p.noticed(description)
	embed.Fields = make([]*discordgo.MessageEmbedField, 0, len(shown))
	for _, s := range shown {
		embed.Fields = append(embed.Fields, p.listField(s))
	}
	if len(shown) > 0 {
		footer := p.t.Count("list.count", len(l.Servers), nil)
		if last > 0 {
			footer += " · " + p.t.Format("list.page", args{"Page": number + 1, "Pages": last + 1})
		}
		embed.Footer = &discordgo.MessageEmbedFooter{Text: footer}
	}

	return interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}, Components: p.listComponents(shown, number, last)}
}

// empty says that there are no bots, and to customers how there will be.
func (p *page) empty() string {
	text := p.t.Text("list.empty")
	if p.offers(hostapi.OpCreate) && !p.request.ByStaff() {
		text += " " + p.t.Text("list.create")
	}
	return text
}

// summary is the plan in a line, or "" where the service names none.
func (p *page) summary(l hostapi.List) string {
	a := l.Account
	if a.PlanRAMMB <= 0 || a.MaxServers <= 0 {
		return ""
	}
	return p.t.Format("list.summary", args{
		"Plan": orDash(safetext.Markdown(a.PlanName, wordLimit)),
		"Used": p.t.Size(allocatedRAM(l.Servers)), "Granted": p.t.Size(a.PlanRAMMB),
		"Bots": a.ServerCount, "Max": a.MaxServers,
	})
}

func (p *page) listField(s hostapi.Server) *discordgo.MessageEmbedField {
	condition := conditionOf(s.Status)
	return &discordgo.MessageEmbedField{
		Name: condition.emoji + " " + name(s),
		Value: condition.word(p.t, s.Status) + " · " + p.t.Format("list.line", args{
			"RAM": p.t.Size(s.RAMMB), "Disk": p.t.Size(s.DiskMB), "CPU": p.t.Percent(s.CPUPercent),
		}),
	}
}

func (p *page) listComponents(shown []hostapi.Server, number, last int) []discordgo.MessageComponent {
	var rows []discordgo.MessageComponent
	if options := p.openOptions(shown); len(options) > 0 {
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: p.customID(idOpen), Placeholder: p.t.Text("list.open"), Options: options,
		}))
	}
	refresh := p.button(discordgo.SecondaryButton, "button.refresh", idPage+strconv.Itoa(number), false)
	if last == 0 {
		return append(rows, row(refresh))
	}
	return append(rows, row(
		p.button(discordgo.SecondaryButton, "button.previous", idPage+strconv.Itoa(number-1), number == 0),
		refresh,
		p.button(discordgo.SecondaryButton, "button.next", idPage+strconv.Itoa(number+1), number == last),
	))
}

// maxDescription is how long Discord lets the description of an option be.
const maxDescription = 100

// openOptions are the options of the select menu, without two of one value,
// which Discord refuses. Those of one name show their IDs.
func (p *page) openOptions(shown []hostapi.Server) []discordgo.SelectMenuOption {
	options := make([]discordgo.SelectMenuOption, 0, len(shown))
	for _, s := range shown {
		h := handle(s.ID)
		if slices.ContainsFunc(options, func(o discordgo.SelectMenuOption) bool { return o.Value == h }) {
			continue
		}
		condition := conditionOf(s.Status)
		options = append(options, discordgo.SelectMenuOption{
			Label:       plainName(s, nameLimit),
			Value:       h,
			Description: condition.plainWord(p.t, s.Status),
			Emoji:       &discordgo.ComponentEmoji{Name: condition.emoji},
		})
	}
	for i := range options {
		o := &options[i]
		alike := func(other discordgo.SelectMenuOption) bool { return other.Label == o.Label && other.Value != o.Value }
		if slices.ContainsFunc(options, alike) {
			s, _ := byHandle(shown, o.Value)
			o.Description = safetext.Plain(o.Description+" · "+s.ID, maxDescription)
		}
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
