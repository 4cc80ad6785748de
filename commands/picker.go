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
	"hostbot/hostapi/accounts"
)

// maxOptions is how many options a select menu takes
// (https://discord.com/developers/docs/components/reference#string-select-string-select-structure).
// The text which.more has the number.
const maxOptions = 25

// withPicker serves a command without a bot: the only one is meant, and of several a menu
// asks. Once that was shown, it goes on asking, though an update leaves one bot: nothing is
// done that the reader does not expect any more.
func (c *Commands) withPicker(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if strings.TrimSpace(r.Options[optionBot]) != "" {
			return h(ctx, r)
		}
		snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
		if err != nil {
			return interaction.Response{}, err
		}
		if only := snapshot.List.Servers; len(only) == 1 && snapshot.List.Missing() == 0 {
			r.Options = map[string]string{optionBot: botKey(only[0].ID)}
			return h(ctx, r)
		}
		return drawing(c.drawPicker).of(ctx, r, snapshot)
	}
}

// drawPicker asks which bot is meant: those with a problem first, then what was used last.
// Without any it says so.
func (c *Commands) drawPicker(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	if len(s.List.Servers) == 0 {
		return c.botList(r, s).draw(), nil
	}
	v := c.view(r)
	bots := listOf(c.nowOf(r, s))
	slices.SortStableFunc(bots, func(one, other listed) int {
		return cmp.Or(byUrgency(one.condition, other.condition), s.Notes[other.ID].At.Compare(s.Notes[one.ID].At))
	})
	hint := ""
	if len(bots) > maxOptions {
		hint = v.t.Text("which.more")
	}
	title := v.t.Text("which." + strings.TrimPrefix(r.Name, "bot "))
	embed := &discordgo.MessageEmbed{Title: title, Description: paragraphs(v.heading(s, ""), hint, v.missing(s.List), v.updated(s.FetchedAt)), Color: blurple}
	return v.drawOf(s, "", embed, v.botMenu("which.choose", bots)), nil
}

// picker returns rows with a menu of the bots that may have been meant, or a button if it is one, which
// says what it does, and a way back.
func (v view) picker(servers []hostapi.Server) []discordgo.MessageComponent {
	if len(servers) == 1 {
		doing, button := v.goesOn(botKey(servers[0].ID))
		meant := v.button(discordgo.PrimaryButton, "button.show", button, false)
		switch called := plainName(servers[0], labelNameLimit); doing {
		case idOpen:
			meant.Label = called
		case "restart":
			meant.Label = v.t.Format("button.restart_bot", args{"Bot": called})
		default:
			meant.Label = v.t.Text("button."+doing) + " · " + called
		}
		return []discordgo.MessageComponent{row(meant), v.backRow()}
	}
	return []discordgo.MessageComponent{v.botMenu("pick.placeholder", listOf(servers)), v.backRow()}
}

// onlyFirst says that not all bots are shown, if so.
func (v view) onlyFirst(servers []hostapi.Server) string {
	if len(servers) <= maxOptions {
		return ""
	}
	return "-# " + v.t.Format("which.first", args{"N": maxOptions})
}

// botMenu is a menu of bots, which goes on with what a command asked for on the one that
// is chosen there.
func (v view) botMenu(placeholder string, bots []listed) discordgo.ActionsRow {
	menu, _ := v.goesOn("")
	return v.menu(menu, v.t.Text(placeholder), v.options(bots))
}

// goesOn returns the custom IDs of a menu of bots, and of a button for the bot with a key, by which
// it goes on with what was asked for. Staff's command says by an option what to do.
func (v view) goesOn(key string) (menu, button string) {
	id := strings.TrimPrefix(v.asked.Name, "bot ")
	if a, ok := actionNamed(v.asked.Options[optionAction]); ok {
		id = a.name
	}
	if id == "show" {
		return idOpen, idShow + key
	}
	return id, id + "/" + key
}

// options are bots to choose from in a select menu: as many as it takes.
func (v view) options(bots []listed) []discordgo.SelectMenuOption {
	labels := labels(bots[:min(len(bots), maxOptions)])
	options, emoji := make([]discordgo.SelectMenuOption, len(labels)), make([]discordgo.ComponentEmoji, len(labels))
	for i, label := range labels {
		b := bots[i]
		emoji[i].Name = b.emoji
		options[i] = discordgo.SelectMenuOption{Label: label, Value: botKey(b.ID), Description: v.wordOf(b, sanitize.Plain), Emoji: &emoji[i]}
	}
	return options
}
