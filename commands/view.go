package commands

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

type args = locale.Args

// view is what all drawings share: their reader, what was asked, and the commands, which know what is turned on.
type view struct {
	t        *locale.Texts
	asked    *interaction.Request
	commands *Commands
	// autoRestarts is how the customer's bots are restarted automatically, by server ID; nil where that is not shown (viewAutoRestarts).
	autoRestarts map[string]alerts.AutoRestart
}

func (c *Commands) view(r *interaction.Request) view {
	return view{t: c.texts.For(r.Locale), asked: r, commands: c}
}

// offers reports whether an operation is turned on.
func (v view) offers(op hostapi.Operation) bool { return v.commands.hosting.Offers(op) }

// draw returns a message of one embed and rows of components: a new one or, where the
// request comes from a message, one that takes its place. subject is as
// interaction.Response has it.
func (v view) draw(subject string, embed *discordgo.MessageEmbed, rows ...discordgo.MessageComponent) interaction.Response {
	if v.asked.ByStaff() {
		v.mark(embed, len(rows) > 0)
	}
	message := interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}, Components: rows}
	response := interaction.Reply(message)
	if v.asked.InMessage() {
		response = interaction.Update(message)
	}
	response.Subject = subject
	return response
}

// drawOf is draw of what is known of an account. It leads to the status page if that is old, as the service fails.
func (v view) drawOf(s accounts.Snapshot, subject string, embed *discordgo.MessageEmbed, rows ...discordgo.MessageComponent) interaction.Response {
	if s.Old && s.Update == nil && v.linkRow(v.toStatus()) != nil {
		rows = withButton(rows, v.toStatus())
	}
	return v.draw(subject, embed, rows...)
}

// Colours of embeds.
const (
	blurple = 0x5865f2
	green   = 0x23a55a
	yellow  = 0xf0b232
	orange  = 0xe67e22
	red     = 0xf23f43
	grey    = 0x80848e
)

// Lengths to which text from the service is cut, in characters. They are well below
// Discord's limits, so that a page of ten bots keeps within an embed.
const (
	nameLimit    = 80
	wordLimit    = 60
	commandLimit = 300
)

// name returns a bot's name to be put into markdown; never empty.
func name(s hostapi.Server) string { return nameWithin(s, nameLimit) }

// nameWithin is name, of so many characters.
func nameWithin(s hostapi.Server, limit int) string {
	if shown := sanitize.Markdown(s.Name, limit); shown != "" {
		return shown
	}
	return orDash(sanitize.Markdown(s.ID, limit))
}

// nameAmong is name where so many bots stand in one message.
func nameAmong(s hostapi.Server, bots int) string {
	if bots > fullNames {
		return nameWithin(s, shortName)
	}
	return name(s)
}

// plainName returns a bot's name for where Discord renders no markdown.
func plainName(s hostapi.Server, limit int) string {
	if shown := sanitize.Plain(s.Name, limit); shown != "" {
		return shown
	}
	return orDash(sanitize.Plain(s.ID, limit))
}

// those returns the items of a list of which something is so.
func those[T any](list []T, so func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !so(item) })
}

// firstOf says the first of a list, so many at most, and behind a mark how many more there are.
func firstOf[T any](v view, list []T, most int, mark string, say func(T) string) []string {
	var said []string
	for _, item := range list[:min(len(list), most)] {
		said = append(said, say(item))
	}
	if more := len(list) - len(said); more > 0 {
		said = append(said, mark+v.t.Number(more))
	}
	return said
}

func orDash(text string) string { return cmp.Or(text, "–") }

// paragraphs joins texts, without those that are empty.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// referenceLine names the code by which staff find what happened.
func (v view) referenceLine() string {
	return v.t.Format("error.reference", args{"Reference": "`" + v.asked.Reference + "`"})
}

func (v view) button(style discordgo.ButtonStyle, key, customID string, disabled bool) discordgo.Button {
	return discordgo.Button{Style: style, Label: v.t.Text(key), CustomID: v.customID(customID), Disabled: disabled}
}

// backRow is a row with the button that leads to the first page of bots.
func (v view) backRow() discordgo.ActionsRow {
	return row(v.button(discordgo.SecondaryButton, "button.back", idListWith, false))
}

// field is a field of an embed with the name that a text gives it.
func (v view) field(key, value string, inline bool) *discordgo.MessageEmbedField {
	return &discordgo.MessageEmbedField{Name: v.t.Text(key), Value: orDash(value), Inline: inline}
}

// customID makes a custom ID one of a staff view, where staff read this.
func (v view) customID(id string) string {
	if v.asked.ByStaff() && !strings.HasPrefix(id, interaction.ReplyPrefix) {
		return onBehalf + v.asked.CustomerID + "/" + id
	}
	return id
}

// menu is a row with a select menu.
func (v view) menu(customID, placeholder string, options []discordgo.SelectMenuOption) discordgo.ActionsRow {
	return row(discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: v.customID(customID), Placeholder: placeholder, Options: options,
	})
}

func row(components ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: components}
}

// relative shows a time as Discord does, ticking: "5 minutes ago".
func relative(t time.Time) string { return message.Time(t, "R") }

// bar draws how much is used. Anything used shows, and only a full bar means full.
func bar(used, total int) string {
	const steps = 10
	filled := 0
	switch {
	case total <= 0 || used <= 0:
	case used >= total:
		filled = steps
	default:
		filled = max(1, min(steps-1, int(int64(used)*steps/int64(total))))
	}
	return strings.Repeat("▰", filled) + strings.Repeat("▱", steps-filled)
}
