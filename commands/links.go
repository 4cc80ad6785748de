package commands

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// Links are the host's pages on which customers get on. Empty for none.
type Links struct {
	Panel    string // the website on which customers manage their account
	PanelBot string // a bot's own page there, with {id} in the place of its ID
	SignUp   string
	Upgrade  string
	Support  string
	Status   string // says how the hosting service fares
}

// maxLink is how many characters Discord takes as the address of a button
// (https://discord.com/developers/docs/components/reference#button-button-structure).
const maxLink = 512

// toConsole leads to a bot's own page, or to the whole website where there is none.
func (v view) toConsole(serverID string) discordgo.Button {
	// url.QueryEscape writes a space as +, which is a plus in a path.
	id := strings.ReplaceAll(url.QueryEscape(serverID), "+", "%20")
	page := strings.ReplaceAll(v.commands.links.PanelBot, "{id}", id)
	if page == "" || utf8.RuneCountInString(page) > maxLink || strings.Trim(serverID, ".") == "" {
		page = v.commands.links.Panel
	}
	return v.link("button.console", page)
}

// toUpload leads to where the code of a bot is uploaded, which is where its output is.
func (v view) toUpload(serverID string) discordgo.Button {
	upload := v.toConsole(serverID)
	upload.Label = v.t.Text("button.upload")
	return upload
}

func (v view) toPanel() discordgo.Button   { return v.link("button.panel", v.commands.links.Panel) }
func (v view) toStatus() discordgo.Button  { return v.link("button.status", v.commands.links.Status) }
func (v view) toSignUp() discordgo.Button  { return v.link("button.sign_up", v.commands.links.SignUp) }
func (v view) toUpgrade() discordgo.Button { return v.link("button.upgrade", v.commands.links.Upgrade) }
func (v view) toSupport() discordgo.Button { return v.link("button.support", v.commands.links.Support) }

// toInvite leads to where the bot is invited to the guild from which the request comes.
func (v view) toInvite() discordgo.Button {
	url := ""
	if app, guild := v.asked.ApplicationID, v.asked.GuildID; interaction.IsSnowflake(app) && interaction.IsSnowflake(guild) {
		url = rest.InviteURL(app, guild, false)
	}
	return v.link("button.invite", url)
}

// toBots leads to the first page of bots.
func (v view) toBots() discordgo.Button {
	return v.button(discordgo.SecondaryButton, "button.back", idList+"0", false)
}

func (v view) link(key, url string) discordgo.Button {
	return discordgo.Button{Style: discordgo.LinkButton, Label: v.t.Text(key), URL: url}
}

// linkRow returns a row of the buttons that there are, or none. Links that lead nowhere are
// left out, and all of them for staff: the pages are for customers.
func (v view) linkRow(buttons ...discordgo.Button) []discordgo.MessageComponent {
	var found []discordgo.MessageComponent
	for _, b := range buttons {
		if b.Style != discordgo.LinkButton || b.URL != "" && !v.asked.ByStaff() {
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []discordgo.MessageComponent{row(found...)}
}

// mention returns a command as Discord makes it clickable. Discord shows its English name, and
// follows no other (discord/discord-api-docs#5518). Until the commands are registered it is the name
// in the reader's language alone.
func (v view) mention(name string) string {
	root, _, _ := strings.Cut(name, " ")
	if id, ok := v.commands.ids.Load(root); ok {
		return fmt.Sprintf("</%s:%s>", name, id)
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
	all := args{
		"BotList": v.mention("bot list"), "BotCreate": v.mention("bot create"), "Panel": v.mention("panel"), "Alerts": v.mention("alerts"),
		"AdminLookup": v.mention("admin lookup"), "AdminStatus": v.mention("admin status"), "AdminForget": v.mention("admin forget"),
	}
	maps.Copy(all, with)
	return v.t.Format(key, all)
}

// at says a time to come to the second, which stays true however late it is read, and with its date if it is far.
func (v view) at(t time.Time) string {
	style := "T"
	if time.Until(t) > 12*time.Hour {
		style = "f"
	}
	return v.t.Format("time.at", args{"Time": message.Time(t.Add(time.Second-1), style)})
}
