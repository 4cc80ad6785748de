// Package journal writes what the company's staff read in their log channels:
// what customers did, what failed, and how the bot itself fares.
package journal

import (
	"errors"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Poster takes an entry for a channel and returns at once. An empty channelID
// means that nobody watches.
type Poster interface {
	Post(channelID string, entry *discordgo.MessageEmbed)
}

// Channels are where entries of each category go; empty for nowhere.
type Channels struct {
	Actions, Errors, Lifecycle string
}

// Journal writes entries in one language.
type Journal struct {
	poster   Poster
	channels Channels
	t        *locale.Texts
}

// New returns a journal.
func New(poster Poster, channels Channels, texts *locale.Texts) *Journal {
	return &Journal{poster: poster, channels: channels, t: texts}
}

// Colours of entries.
const (
	green  = 0x23a55a
	orange = 0xe67e22
	red    = 0xf23f43
	grey   = 0x80848e
)

// Lengths to which text from outside is cut.
const (
	nameLimit   = 100
	detailLimit = 500
)

// Action writes how an action of a customer ended.
func (j *Journal) Action(r *interaction.Request, a interaction.Action) {
	emoji, color := "✅", green
	switch a.Outcome {
	case interaction.Failed:
		emoji, color = "❌", red
	case interaction.Unconfirmed:
		emoji, color = "⚠️", orange
	case interaction.Done:
	}
	entry := j.entry(emoji+" "+j.t.Text("log.action.title."+a.Name), color,
		j.field("user", user(r.UserID)),
		j.field("bot", safetext.Markdown(a.BotName, nameLimit)+" "+safetext.Code(a.BotID, nameLimit)),
		j.field("outcome", j.t.Text("log.outcome."+string(a.Outcome))),
		j.field("duration", j.t.Duration(a.Duration)),
		j.field("where", j.where(r)),
	)
	if a.Outcome != interaction.Done {
		entry.Fields = append(entry.Fields, j.field("reference", "`"+r.Reference+"`"))
	}
	j.poster.Post(j.channels.Actions, entry)
}

// Failure writes what failed, under the reference that the customer was shown.
func (j *Journal) Failure(r *interaction.Request, err error) {
	fields := []*discordgo.MessageEmbedField{
		j.field("reference", "`"+r.Reference+"`"),
		j.field("user", user(r.UserID)),
		j.field("operation", safetext.Code(string(r.Kind)+" "+r.Route, nameLimit)),
		j.field("where", j.where(r)),
	}
	var service *hostapi.Error
	if errors.As(err, &service) {
		fields = append(fields, j.field("error", safetext.Code(codeAndStatus(service), nameLimit)))
	}
	detail := j.field("detail", safetext.Markdown(err.Error(), detailLimit))
	detail.Inline = false
	j.poster.Post(j.channels.Errors, j.entry("❗ "+j.t.Text("log.failure.title"), red, append(fields, detail)...))
}

func codeAndStatus(e *hostapi.Error) string {
	text := string(e.Op) + ": " + string(e.Code)
	if e.Status != 0 {
		text += " (" + strconv.Itoa(e.Status) + ")"
	}
	return text
}

func (j *Journal) entry(title string, color int, fields ...*discordgo.MessageEmbedField) *discordgo.MessageEmbed {
	return &discordgo.MessageEmbed{Title: title, Color: color, Fields: fields, Timestamp: time.Now().UTC().Format(time.RFC3339)}
}

// field is a field whose name is the text log.field.<key>. Discord refuses one
// without a value.
func (j *Journal) field(key, value string) *discordgo.MessageEmbedField {
	if value == "" || value == " " {
		value = "–"
	}
	return &discordgo.MessageEmbedField{Name: j.t.Text("log.field." + key), Value: value, Inline: true}
}

// user shows a user so that the name is seen and the ID can be copied; no
// message of the program pings.
func user(id string) string { return "<@" + id + "> `" + id + "`" }

func (j *Journal) where(r *interaction.Request) string {
	if r.GuildID == "" {
		return j.t.Text("log.where.dm")
	}
	return "<#" + safetext.Plain(r.ChannelID, nameLimit) + "> " + j.t.Text("log.where.guild") + " " + safetext.Code(r.GuildID, nameLimit)
}
