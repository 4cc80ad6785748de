package commands

import (
	"maps"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Links are the host's pages on which customers get on where this program ends. Empty
// for none.
type Links struct{ Panel, SignUp, Upgrade, Support string }

// way is one of the pages: its address, and the text of the button that leads there.
type way func(Links) (key, url string)

func toPanel(l Links) (key, url string)   { return "button.panel", l.Panel }
func toSignUp(l Links) (key, url string)  { return "button.sign_up", l.SignUp }
func toUpgrade(l Links) (key, url string) { return "button.upgrade", l.Upgrade }
func toSupport(l Links) (key, url string) { return "button.support", l.Support }

// ways returns a row of buttons that lead to the pages that there are, or none.
// Staff get none: the pages are for customers.
func (v view) ways(ways ...way) []discordgo.MessageComponent {
	var links []discordgo.MessageComponent
	for _, way := range ways {
		if key, url := way(v.links); url != "" && !v.asked.ByStaff() {
			links = append(links, discordgo.Button{Style: discordgo.LinkButton, Label: v.t.Text(key), URL: url})
		}
	}
	if len(links) == 0 {
		return nil
	}
	return []discordgo.MessageComponent{row(links...)}
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
