package commands

import (
	"maps"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Links are the host's pages on which customers get on. Empty for none.
type Links struct{ Panel, SignUp, Upgrade, Support string }

// way is a button on which somebody gets on; false where there is none.
type way func(v view) (discordgo.Button, bool)

func toPanel(v view) (discordgo.Button, bool)   { return v.link("button.panel", v.links.Panel) }
func toSignUp(v view) (discordgo.Button, bool)  { return v.link("button.sign_up", v.links.SignUp) }
func toUpgrade(v view) (discordgo.Button, bool) { return v.link("button.upgrade", v.links.Upgrade) }
func toSupport(v view) (discordgo.Button, bool) { return v.link("button.support", v.links.Support) }

// refreshPlan shows the plan anew.
func refreshPlan(v view) (discordgo.Button, bool) {
	return v.button(discordgo.SecondaryButton, "button.refresh", idPlan, false), true
}

// toBots leads to the first page of bots.
func toBots(v view) (discordgo.Button, bool) {
	return v.button(discordgo.SecondaryButton, "button.back", idList+"0", false), true
}

// link is a button that leads to a page. Staff get none: the pages are for customers.
func (v view) link(key, url string) (discordgo.Button, bool) {
	return discordgo.Button{Style: discordgo.LinkButton, Label: v.t.Text(key), URL: url}, url != "" && !v.asked.ByStaff()
}

// ways returns a row of the buttons that there are, or none.
func (v view) ways(ways ...way) []discordgo.MessageComponent {
	var buttons []discordgo.MessageComponent
	for _, way := range ways {
		if button, ok := way(v); ok {
			buttons = append(buttons, button)
		}
	}
	if len(buttons) == 0 {
		return nil
	}
	return []discordgo.MessageComponent{row(buttons...)}
}

// mention returns a command as Discord makes it clickable, and shows it in the
// reader's language. Until the commands are registered it is the name alone.
func (v view) mention(name string) string {
	root, _, _ := strings.Cut(name, " ")
	if id := v.commandIDs[root]; id != "" {
		return "</" + name + ":" + id + ">"
	}
	words, key := "", "command"
	for word := range strings.FieldsSeq(name) {
		key += "." + word
		words += " " + v.t.Text(key+".name")
	}
	return "`/" + strings.TrimSpace(words) + "`"
}

// say returns a text that may name commands, as those can be clicked.
func (v view) say(key string, with args) string {
	all := args{"BotList": v.mention("bot list"), "BotCreate": v.mention("bot create"), "AdminLookup": v.mention("admin lookup")}
	maps.Copy(all, with)
	return v.t.Format(key, all)
}

// at says a time to come to the second, which stays true however late it is read.
func (v view) at(t time.Time) string {
	return v.t.Format("time.at", args{"Time": stamp(t.Add(time.Second-1), "T")})
}
