package commands

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// maxOptions is how many options Discord takes in a select menu. The text which.more
// holds this number.
const maxOptions = 25

// orAsk serves a command without its option bot: the caller's only bot is meant, and of
// several a menu asks. It has the custom ID menu, whose route does what the command
// does, and asks what the text which.<what> asks.
func (c *Commands) orAsk(menu, what string, h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if strings.TrimSpace(r.Options[optionBot]) != "" {
			return h(ctx, r)
		}
		only := ""
		response, err := c.shown(ctx, r, func(l hostapi.List, a age) (interaction.Response, error) {
			switch len(l.Servers) {
			case 0:
				return c.botList(r, l, a).draw(), nil
			case 1:
				only = botKey(l.Servers[0].ID)
				return interaction.Response{}, nil
			default:
				return c.drawWhich(r, l, a, menu, what), nil
			}
		})
		if err != nil || only == "" {
			return response, err
		}
		r.Options = map[string]string{optionBot: only}
		return h(ctx, r)
	}
}

// drawWhich asks which bot is meant. Those that have crashed come first, then the one
// that was used last.
func (c *Commands) drawWhich(r *interaction.Request, l hostapi.List, a age, menu, what string) interaction.Response {
	v, servers := c.view(r), slices.Clone(l.Servers)
	for i, s := range servers {
		servers[i], _ = c.atThisMoment(r.CustomerID, s)
	}
	slices.SortStableFunc(servers, func(one, other hostapi.Server) int {
		return cmp.Or(
			cmp.Compare(conditionOf(one.Status).urgency(), conditionOf(other.Status).urgency()),
			a.notes[other.ID].At.Compare(a.notes[one.ID].At),
		)
	})
	hint := ""
	if len(servers) > maxOptions {
		hint = v.t.Text("which.more")
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text("which." + what), Description: paragraphs(v.heading(a, ""), hint, v.updated(a)), Color: blurple}
	return v.draw("", embed, row(discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: v.customID(menu), Placeholder: v.t.Text("which.choose"),
		Options: v.options(servers[:min(len(servers), maxOptions)]),
	}))
}

// options are bots to choose from in a select menu.
func (v view) options(servers []hostapi.Server) []discordgo.SelectMenuOption {
	options := make([]discordgo.SelectMenuOption, 0, len(servers))
	for i, label := range labels(servers) {
		s := servers[i]
		options = append(options, discordgo.SelectMenuOption{
			Label: label, Value: botKey(s.ID), Description: v.statusWord(s, sanitize.Plain),
			Emoji: &discordgo.ComponentEmoji{Name: conditionOf(s.Status).emoji},
		})
	}
	return options
}
