// Package stafflog writes what the company's staff read in their log channels:
// what customers did, what failed, and how the bot itself fares. What two
// replicas see of one interaction is written once.
package stafflog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Log writes entries in one language.
type Log struct {
	post   func(logchannel.Entry)
	keep   func(incident.Incident)
	t      *locale.Texts
	footer string // of all entries; empty for none
}

// New returns a staff log. post sees to it that staff will read an entry: when it
// returns, the entry is kept where it outlives the program. keep keeps what is behind a
// reference.
func New(post func(logchannel.Entry), keep func(incident.Incident), texts *locale.Texts) *Log {
	return &Log{post: post, keep: keep, t: texts}
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

// Action writes how an action ended, and whether staff acted for a customer: one that
// went well in a line, and what needs somebody's attention on a card.
func (l *Log) Action(r *interaction.Request, a interaction.Action) {
	entry := logchannel.Entry{Category: logchannel.Actions, DedupKey: "action " + r.ID + " " + a.Name + " " + string(a.Outcome)}
	if a.Outcome == interaction.Done {
		parts := []string{"✅ " + l.t.Text("log.action.title."+a.Name), bot(a), l.t.Text("log.outcome.done"), l.t.Duration(a.Duration)}
		entry.Line = l.line(r, parts...)
	} else {
		entry.Embed, entry.Reference, entry.Customer = l.failedAction(r, a), r.Reference, customer(r)
	}
	l.post(entry)
}

// failedAction is the card of an action that failed, or of which that is not known.
func (l *Log) failedAction(r *interaction.Request, a interaction.Action) *discordgo.MessageEmbed {
	emoji, color := "❌", red
	if a.Outcome == interaction.Unconfirmed {
		emoji, color = "⚠️", orange
	}
	title := emoji + " " + l.t.Text("log.action.title."+a.Name) + " · " + l.t.Text("log.outcome."+string(a.Outcome))
	if a.Interrupted {
		title += " · " + l.t.Text("log.outcome.interrupted")
	}
	if r.ByStaff() {
		title += " · 🛟 " + l.t.Text("log.action.by_staff")
	}
	entry := l.entry(title, color, append(l.people(r),
		l.field("bot", bot(a)),
		l.field("duration", l.t.Duration(a.Duration)),
		l.field("where", l.where(r)),
		l.field("reference", "`"+r.Reference+"`"),
	)...)
	entry.Description = l.t.Text("log.todo." + string(a.Outcome))
	return entry
}

// bot shows a bot by its name and its ID.
func bot(a interaction.Action) string {
	return sanitize.Markdown(a.BotName, nameLimit) + " " + sanitize.Code(a.BotID, nameLimit)
}

func customer(r *interaction.Request) logchannel.Customer {
	return logchannel.Customer{ID: r.CustomerID, Name: sanitize.Plain(r.CustomerName(), nameLimit)}
}

// Audit writes that staff's own commands were used, or that somebody was refused them.
func (l *Log) Audit(r *interaction.Request, a interaction.Audit) {
	title := "👁️ " + l.t.Text("log.audit.used")
	if a.Refused {
		title = "⛔ " + l.t.Text("log.audit.refused")
	}
	parts := []string{title, sanitize.Code(operation(r.Route), nameLimit)}
	if a.Detail != "" {
		parts = append(parts, sanitize.Code(a.Detail, nameLimit))
	}
	l.post(logchannel.Entry{Category: logchannel.Actions, Line: l.line(r, parts...), DedupKey: "audit " + r.ID})
}

// operation is a route as people may read it: without the parameters and what only
// sorts the custom IDs.
func operation(route string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(route, "/"), func(part string) bool {
		return strings.HasPrefix(part, "{") || part == "for" || part+"/" == interaction.ReplyPrefix
	}), " ")
}

// line is an entry in one line: when, who, and what else there is to say.
func (l *Log) line(r *interaction.Request, parts ...string) string {
	who := sanitize.User(r.UserID)
	if r.ByStaff() {
		who = l.t.Format("log.line.for", locale.Args{"Staff": who, "Customer": sanitize.User(r.CustomerID)})
	}
	if l.footer != "" {
		parts = append(parts, l.footer)
	}
	return "<t:" + strconv.FormatInt(time.Now().Unix(), 10) + ":T> " + who + " · " + strings.Join(parts, " · ")
}

// Failure writes what failed, under the reference that the customer was shown,
// and keeps the incident behind that.
func (l *Log) Failure(r *interaction.Request, err error) {
	about := incident.Of(r, err)
	l.keep(about)
	fields := []*discordgo.MessageEmbedField{l.field("operation", sanitize.Code(string(r.Kind)+" "+r.Route, nameLimit))}
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		fields = append(fields, l.field("error", sanitize.Code(codeAndStatus(service), nameLimit)))
	}
	detail := l.field("detail", sanitize.Markdown(err.Error(), detailLimit))
	detail.Inline = false
	own := l.people(r)
	if r.Running != nil {
		own = append(own, l.field("bot", bot(*r.Running)))
	}
	own = append(own, l.field("where", l.where(r)), l.field("reference", "`"+r.Reference+"`"))
	entry := l.entry("❗ "+l.t.Text("log.failure.title"), red, append(fields, detail)...)
	entry.Description = l.t.Text("log.todo." + about.Cause)
	l.post(logchannel.Entry{
		Category: logchannel.Errors, Embed: entry, Own: own,
		DedupKey: "failure " + r.ID + " " + err.Error(), GroupKey: groupKey(r, err), Reference: r.Reference, Customer: customer(r),
	})
}

// groupKey is equal for failures of one kind, whoever met them.
func groupKey(r *interaction.Request, err error) string {
	var service *hostapi.Error
	var discord *rest.Error
	var kind string
	switch {
	case errors.As(err, &service):
		kind = codeAndStatus(service)
	case errors.Is(err, interaction.ErrTooLate): // whose card says what to do about this machine, and not about Discord
		kind = "late"
	case errors.As(err, &discord):
		kind = fmt.Sprintf("discord: %d, %d", discord.Status, discord.Code)
	default: // without the IDs and figures in it
		kind = sanitize.Plain(regexp.MustCompile(`\d`).ReplaceAllString(err.Error(), "#"), nameLimit)
	}
	return string(r.Kind) + " " + r.Route + ": " + kind
}

func codeAndStatus(e *hostapi.Error) string {
	text := fmt.Sprintf("%s: %s", e.Op, e.Code)
	if e.Status != 0 {
		text += fmt.Sprintf(" (%d)", e.Status)
	}
	return text
}

func (l *Log) entry(title string, color int, fields ...*discordgo.MessageEmbedField) *discordgo.MessageEmbed {
	entry := &discordgo.MessageEmbed{Title: title, Color: color, Fields: fields, Timestamp: time.Now().UTC().Format(time.RFC3339)}
	if l.footer != "" {
		entry.Footer = &discordgo.MessageEmbedFooter{Text: l.footer}
	}
	return entry
}

// field is a field whose name is the text log.field.<key>. Discord refuses one
// without a value.
func (l *Log) field(key, value string) *discordgo.MessageEmbedField {
	if value == "" || value == " " {
		value = "–"
	}
	return &discordgo.MessageEmbedField{Name: l.t.Text("log.field." + key), Value: value, Inline: true}
}

// people says who asked, and for whom where staff did for a customer.
func (l *Log) people(r *interaction.Request) []*discordgo.MessageEmbedField {
	fields := []*discordgo.MessageEmbedField{l.field("user", sanitize.User(r.UserID))}
	if r.ByStaff() {
		fields = append(fields, l.field("customer", sanitize.User(r.CustomerID)))
	}
	return fields
}

func (l *Log) where(r *interaction.Request) string {
	if r.GuildID == "" {
		return l.t.Text("log.where.dm")
	}
	return l.t.Format("log.where.guild", locale.Args{"Channel": "<#" + sanitize.Plain(r.ChannelID, nameLimit) + ">", "Guild": sanitize.Code(r.GuildID, nameLimit)})
}
