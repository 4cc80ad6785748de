package commands

import (
	"cmp"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// maxOptions is how many options Discord takes in a select menu, and how many
// suggestions.
const maxOptions = 25

// picker returns rows with a menu of bots, which goes on with what was asked for on
// the one that is chosen there, and a way back.
func (v view) picker(servers []hostapi.Server) []discordgo.MessageComponent {
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: v.customID(pickID(v.asked)), Placeholder: v.t.Text("pick.placeholder"),
		Options: v.options(servers[:min(len(servers), maxOptions)]),
	}
	return []discordgo.MessageComponent{row(menu), v.backRow()}
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

// pickID returns the custom ID of a menu that goes on with what a command asked for.
// Staff's command says by an option what to do.
func pickID(r *interaction.Request) string {
	name := cmp.Or(r.Options[optionAction], strings.TrimPrefix(r.Name, "bot "))
	if name == "show" {
		return idOpen
	}
	return name
}
