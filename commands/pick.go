package commands

import (
	"cmp"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// picker returns rows with a menu of bots, which goes on with what was asked for on
// the one that is chosen there, and a way back.
func (v view) picker(servers []hostapi.Server) []discordgo.MessageComponent {
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: v.customID(pickID(v.asked)), Placeholder: v.t.Text("pick.placeholder"),
		Options: v.options(servers[:min(len(servers), maxOptions)]),
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
	return name
}
