// Package stafflog writes what the company's staff read in their log channels:
// what customers did, what failed, and how the bot itself fares. What two
// replicas see of one interaction is written once.
package stafflog

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
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
	post func(logchannel.Entry)
	keep Incidents
	t    *locale.Texts
	test bool // all entries are tests, and say so
}

// New returns a staff log. post sees to it that staff will read an entry (logchannel.Delivery.Post).
func New(post func(logchannel.Entry), keep Incidents, texts *locale.Texts) *Log {
	return &Log{post: post, keep: keep, t: texts}
}

// Incidents keep what staff may ask for later.
type Incidents interface {
	// Keep keeps what is behind a reference.
	Keep(incident.Incident)
	// Note keeps what a customer did, or what failed for the customer.
	Note(customerID string, e incident.Event)
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

// Action writes in a line how an action ended, why if it failed, and whether staff acted
// for a customer. The failure is nil if it went well.
func (l *Log) Action(r *interaction.Request, a interaction.Action, failure error) {
	emoji := map[interaction.Outcome]string{interaction.Done: "✅ ", interaction.Refused: "↩️ ", interaction.Unconfirmed: "⚠️ "}[a.Outcome]
	parts := []string{cmp.Or(emoji, "❌ ") + l.t.Text("log.action.title."+a.Name), bot(a), l.outcome(a, failure)}
	if a.Outcome == interaction.Done || a.Duration >= time.Second { // a failure at once took no time
		parts = append(parts, l.t.Duration(a.Duration))
	}
	if a.Outcome != interaction.Done && a.Outcome != interaction.Refused {
		parts = append(parts, "`"+r.Reference+"`")
	}
	entry := logchannel.Entry{
		Category: logchannel.Actions, Line: l.line(l.who(r), parts...), DedupKey: "action " + r.ID + " " + a.Name + " " + string(a.Outcome),
	}
	if l.test {
		l.post(entry)
		return
	}
	l.postAndNote(entry, r.CustomerID, incident.Ended(r, a, failure))
}

// outcome says how an action ended, and why if that is known.
func (l *Log) outcome(a interaction.Action, failure error) string {
	text := l.t.Text("log.outcome." + string(a.Outcome))
	switch {
	case a.Interrupted:
		return text + " · " + l.t.Text("log.outcome.interrupted")
	case failure != nil:
		return text + " · " + l.cause(failure) // which has a colon of its own
	default:
		return text
	}
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
	title, who := "👁️ "+l.t.Text("log.audit.used"), l.who(r)
	switch {
	case a.Refused:
		title = "⛔ " + l.t.Text("log.audit.refused")
	case !r.ByStaff(): // it is about nobody else
		who = sanitize.Mention(r.UserID)
	}
	parts := []string{title, sanitize.Code(operation(r.Route), nameLimit)}
	if a.Detail != "" {
		parts = append(parts, sanitize.Code(a.Detail, detailLimit))
	}
	l.post(logchannel.Entry{Category: logchannel.Staff, Line: l.line(who, parts...), DedupKey: l.mark() + "audit " + r.ID})
}

// operation is a route as people may read it: without the parameters and what only
// sorts the custom IDs.
func operation(route string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(route, "/"), func(part string) bool {
		return strings.HasPrefix(part, "{") || part == "for" || part+"/" == interaction.ReplyPrefix
	}), " ")
}

// who names the customer, with the ID by which one is looked up, and who acted for one: staff, or the program.
func (l *Log) who(r *interaction.Request) string {
	customer := sanitize.User(r.CustomerID)
	if r.ByStaff() {
		return l.t.Format("log.line.for", locale.Args{"Staff": sanitize.Mention(r.UserID), "Customer": customer})
	}
	if r.ByProgram() {
		key := "log.line.program"
		if r.Name == interaction.Schedule {
			key = "log.line.schedule"
		}
		return l.t.Format(key, locale.Args{"Customer": customer})
	}
	return customer
}

// line is an entry in one line: when, who, and what else there is to say.
func (l *Log) line(who string, parts ...string) string {
	return l.now() + who + " · " + strings.Join(parts, " · ")
}

// now begins a line, with the time.
func (l *Log) now() string {
	return message.Time(time.Now(), "T") + " " + l.mark()
}

// mark says of a test that it is one.
func (l *Log) mark() string {
	if !l.test {
		return ""
	}
	return l.t.Text("log.test.mark") + " · "
}

// Failure writes what failed, under the reference that the customer was shown,
// and keeps the incident behind that. Its headline is the cause; failures of one cause are
// counted, whatever was asked for.
func (l *Log) Failure(r *interaction.Request, err error) {
	about := incident.Of(r, err)
	l.keep.Keep(about)
	detail := l.field("detail", sanitize.Markdown(err.Error(), detailLimit))
	detail.Inline = false
	own := about.Fields(l.t, "log.field.user", "log.field.customer", "log.field.bot", "log.field.operation", "log.field.where", "log.field.reference")
	card := l.entry("❗ "+l.cause(err), red, detail)
	card.Description = l.t.Text("log.todo." + about.Cause)
	entry := logchannel.Entry{
		Category: logchannel.Errors, Embed: card, Own: own,
		DedupKey: "failure " + r.ID + " " + err.Error(), GroupKey: groupKey(about, err), Reference: r.Reference, Customer: customer(r),
	}
	if l.test || r.Running != nil { // the end of the action says it
		l.post(entry)
		return
	}
	l.postAndNote(entry, r.CustomerID, incident.Failed(r, err))
}

// postAndNote posts an entry and keeps the event. The customer waits for both, so that neither waits for the other.
func (l *Log) postAndNote(entry logchannel.Entry, customerID string, event incident.Event) {
	var noted sync.WaitGroup
	noted.Go(func() { l.keep.Note(customerID, event) })
	l.post(entry)
	noted.Wait()
}

// cause says in a few words what failed, and with which status.
func (l *Log) cause(err error) string {
	cause, status := incident.HeadlineOf(err)
	return incident.Headline(l.t, cause, status)
}

// groupKey is equal for failures of one cause, whoever met them, and by whatever command.
func groupKey(about incident.Incident, err error) string {
	kind := about.Cause
	var discord *rest.Error
	switch {
	case about.Operation != "":
		kind += fmt.Sprintf(": %d", about.Status)
	case about.Cause == "late": // whose card says what to do about this machine, and not about Discord
	case errors.As(err, &discord):
		kind += fmt.Sprintf(": %d, %d", discord.Status, discord.Code)
	case about.Cause == string(hostapi.CodeInternal): // without the IDs and figures in it
		kind += ": " + sanitize.Plain(regexp.MustCompile(`\d`).ReplaceAllString(err.Error(), "#"), nameLimit)
	}
	return kind
}

func (l *Log) entry(title string, color int, fields ...*discordgo.MessageEmbedField) *discordgo.MessageEmbed {
	entry := &discordgo.MessageEmbed{Title: l.mark() + title, Color: color, Fields: fields, Timestamp: time.Now().UTC().Format(time.RFC3339)}
	if l.test {
		entry.Footer = &discordgo.MessageEmbedFooter{Text: l.t.Text("log.test.footer")}
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
