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

// maxOptions is how many options a select menu takes. The text which.more has the number.
const maxOptions = 25

// orAsk serves a command without a bot: the only one is meant, and of several a menu asks.
func (c *Commands) orAsk(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if strings.TrimSpace(r.Options[optionBot]) != "" {
			return h(ctx, r)
		}
		only := ""
		response, err := c.shown(func(r *interaction.Request, l hostapi.List, a age) (interaction.Response, error) {
			switch len(l.Servers) {
			case 0:
				return c.botList(r, l, a).draw(), nil
			case 1:
				only = botKey(l.Servers[0].ID)
				return interaction.Response{}, nil
			default:
				return c.drawWhich(r, l, a), nil
			}
		})(ctx, r)
		if err != nil || only == "" {
			return response, err
		}
		r.Options = map[string]string{optionBot: only}
		return h(ctx, r)
	}
}

// drawWhich asks which bot is meant: those with a problem first, then what was used last.
func (c *Commands) drawWhich(r *interaction.Request, l hostapi.List, a age) interaction.Response {
	v, servers := c.view(r), c.nowOf(r, l.Servers)
	slices.SortStableFunc(servers, func(one, other hostapi.Server) int {
		return cmp.Or(byUrgency(one, other), a.notes[other.ID].At.Compare(a.notes[one.ID].At))
	})
	hint := ""
	if len(servers) > maxOptions {
		hint = v.t.Text("which.more")
	}
	title := v.t.Text("which." + strings.TrimPrefix(r.Name, "bot "))
	embed := &discordgo.MessageEmbed{Title: title, Description: paragraphs(v.heading(a, ""), hint, v.updated(a)), Color: blurple}
	return v.draw("", embed, v.botMenu("which.choose", servers))
}

// picker returns rows with a menu of the bots that may have been meant, and a way back.
func (v view) picker(servers []hostapi.Server) []discordgo.MessageComponent {
	return []discordgo.MessageComponent{v.botMenu("pick.placeholder", servers), v.backRow()}
}

// botMenu is a menu of bots, which goes on with what a command asked for on the one that
// is chosen there. Staff's command says by an option what to do.
func (v view) botMenu(placeholder string, servers []hostapi.Server) discordgo.ActionsRow {
	id := cmp.Or(v.asked.Options[optionAction], strings.TrimPrefix(v.asked.Name, "bot "))
	if id == "show" {
		id = idOpen
	}
	return v.menu(id, v.t.Text(placeholder), v.options(servers))
}

// options are bots to choose from in a select menu: as many as it takes.
func (v view) options(servers []hostapi.Server) []discordgo.SelectMenuOption {
	var options []discordgo.SelectMenuOption
	for i, label := range labels(servers[:min(len(servers), maxOptions)]) {
		s := servers[i]
		options = append(options, discordgo.SelectMenuOption{
			Label: label, Value: botKey(s.ID), Description: v.statusWord(s, sanitize.Plain),
			Emoji: &discordgo.ComponentEmoji{Name: conditionOf(s.Status).emoji},
		})
	}
	return options
}
