// Package journal writes what the company's staff read in their log channels:
// what customers did, what failed, and how the bot itself fares. What two
// replicas see of one interaction is written once.
package journal

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/logchannel"
	"hostbot/bot/reference"
	"hostbot/bot/rest"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Poster takes an entry, and sees to it that staff will read it: when it
// returns, the entry is kept where it outlives the program.
type Poster interface {
	Post(logchannel.Entry)
}

// Keeper keeps what is behind a reference.
type Keeper interface {
	Keep(reference.Story)
}

// Journal writes entries in one language.
type Journal struct {
	poster Poster
	keeper Keeper
	t      *locale.Texts
	footer string // of all entries; empty for none
}

// New returns a journal.
func New(poster Poster, keeper Keeper, texts *locale.Texts) *Journal {
	return &Journal{poster: poster, keeper: keeper, t: texts}
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

// Action writes how an action ended, and whether staff acted for a customer.
func (j *Journal) Action(r *interaction.Request, a interaction.Action) {
	emoji, color := "✅", green
	switch a.Outcome {
	case interaction.Failed:
		emoji, color = "❌", red
	case interaction.Unconfirmed:
		emoji, color = "⚠️", orange
	case interaction.Done:
	}
	title := emoji + " " + j.t.Text("log.action.title."+a.Name)
	if r.ByStaff() {
		title += " · 🛟 " + j.t.Text("log.action.by_staff")
	}
	entry := j.entry(title, color, append(j.people(r),
		j.field("bot", safetext.Markdown(a.BotName, nameLimit)+" "+safetext.Code(a.BotID, nameLimit)),
		j.field("outcome", j.t.Text("log.outcome."+string(a.Outcome))),
		j.field("duration", j.t.Duration(a.Duration)),
		j.field("where", j.where(r)),
	)...)
	if a.Outcome != interaction.Done {
		entry.Fields = append(entry.Fields, j.field("reference", "`"+r.Reference+"`"))
	}
	j.poster.Post(logchannel.Entry{Category: logchannel.Actions, Embed: entry, Once: "action " + r.ID + " " + a.Name + " " + string(a.Outcome), Reference: r.Reference})
}

// Failure writes what failed, under the reference that the customer was shown,
// and keeps the whole story behind that. Where staff were told of the same
// before, the story is all.
func (j *Journal) Failure(r *interaction.Request, err error, told bool) {
	j.keeper.Keep(reference.Of(r, err))
	if told {
		return
	}
	fields := append([]*discordgo.MessageEmbedField{j.field("reference", "`"+r.Reference+"`")}, j.people(r)...)
	fields = append(fields,
		j.field("operation", safetext.Code(string(r.Kind)+" "+r.Route, nameLimit)),
		j.field("where", j.where(r)),
	)
	var service *hostapi.Error
	if errors.As(err, &service) {
		fields = append(fields, j.field("error", safetext.Code(codeAndStatus(service), nameLimit)))
	}
	detail := j.field("detail", safetext.Markdown(err.Error(), detailLimit))
	detail.Inline = false
	j.poster.Post(logchannel.Entry{
		Category: logchannel.Errors, Embed: j.entry("❗ "+j.t.Text("log.failure.title"), red, append(fields, detail)...),
		Once: "failure " + r.ID + " " + err.Error(), Fold: fold(r, err), Reference: r.Reference,
	})
}

// fold says in which regard failures are equal: not whose they are.
func fold(r *interaction.Request, err error) string {
	var service *hostapi.Error
	var discord *rest.Error
	kind := safetext.Plain(strings.Map(withoutDigits, err.Error()), nameLimit)
	if errors.As(err, &service) {
		kind = codeAndStatus(service)
	} else if errors.As(err, &discord) {
		kind = "discord: " + strconv.Itoa(discord.Status) + ", " + strconv.Itoa(discord.Code)
	}
	return string(r.Kind) + " " + r.Route + ": " + kind
}

// withoutDigits makes texts equal that differ in IDs and figures alone.
func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return '#'
	}
	return r
}

func codeAndStatus(e *hostapi.Error) string {
	text := string(e.Op) + ": " + string(e.Code)
	if e.Status != 0 {
		text += " (" + strconv.Itoa(e.Status) + ")"
	}
	return text
}

func (j *Journal) entry(title string, color int, fields ...*discordgo.MessageEmbedField) *discordgo.MessageEmbed {
	entry := &discordgo.MessageEmbed{Title: title, Color: color, Fields: fields, Timestamp: time.Now().UTC().Format(time.RFC3339)}
	if j.footer != "" {
		entry.Footer = &discordgo.MessageEmbedFooter{Text: j.footer}
	}
	return entry
}

// field is a field whose name is the text log.field.<key>. Discord refuses one
// without a value.
func (j *Journal) field(key, value string) *discordgo.MessageEmbedField {
	if value == "" || value == " " {
		value = "–"
	}
	return &discordgo.MessageEmbedField{Name: j.t.Text("log.field." + key), Value: value, Inline: true}
}

// people says who asked, and for whom where staff did for a customer.
func (j *Journal) people(r *interaction.Request) []*discordgo.MessageEmbedField {
	fields := []*discordgo.MessageEmbedField{j.field("user", safetext.User(r.UserID))}
	if r.ByStaff() {
		fields = append(fields, j.field("customer", safetext.User(r.CustomerID)))
	}
	return fields
}

func (j *Journal) where(r *interaction.Request) string {
	if r.GuildID == "" {
		return j.t.Text("log.where.dm")
	}
	return "<#" + safetext.Plain(r.ChannelID, nameLimit) + "> " + j.t.Text("log.where.guild") + " " + safetext.Code(r.GuildID, nameLimit)
}
