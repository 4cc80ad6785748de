package commands

import (
	"cmp"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// mostChoices is how many options Discord takes in a menu, and how many suggestions.
const mostChoices = 25

// picker returns rows with a menu of bots, which goes on with what was asked for on
// the one that is chosen there, and a way back.
func (v view) picker(servers []hostapi.Server) []discordgo.MessageComponent {
	shown := servers[:min(len(servers), mostChoices)]
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: v.customID(pickID(v.asked)), Placeholder: v.t.Text("pick.placeholder")}
	for i, label := range labels(shown) {
		s := shown[i]
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: label, Value: botKey(s.ID), Description: v.statusWord(s, sanitize.Plain),
			Emoji: &discordgo.ComponentEmoji{Name: conditionOf(s.Status).emoji},
		})
	}
	return []discordgo.MessageComponent{row(menu), v.backRow()}
}

// pickID returns the custom ID of a menu that goes on with what a command asked for.
// Staff's command says by an option what to do.
func pickID(r *interaction.Request) string {
	name := cmp.Or(r.Options[optionAction], strings.TrimPrefix(r.Name, "bot "))
	if name == "show" {
		return idOpen
	}
	return idPick + name
}
