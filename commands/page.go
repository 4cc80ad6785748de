package commands

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/bot/turns"
	"hostbot/hostapi"
	"hostbot/locale"
)

type args = locale.Args

// page is what drawing a message takes beside the account: who reads it, in
// which language, and what to say above everything else.
type page struct {
	t       *locale.Texts
	request *interaction.Request
	running func(serverID string) (turns.Turn, bool)
	offers  func(hostapi.Operation) bool
	header  string // whose account it is, where staff look at it
	notice  string // what was done or is being done
	stale   string // how old the account is, where it is older than it should be
	color   int    // 0: what fits the content
	subject string // what was drawn
}

func (c *Commands) page(r *interaction.Request) *page {
	p := &page{
		t:       c.texts.For(r.Locale),
		request: r,
		offers:  c.hosting.Offers,
		running: func(serverID string) (turns.Turn, bool) { return c.turns.Current(r.CustomerID, serverID) },
	}
	if r.ByStaff() {
		p.header = p.t.Format("staff.view", args{"User": safetext.User(r.CustomerID)})
	}
	return p
}

// respond puts what was drawn in a new message or, where the request comes from
// one, in that.
func (p *page) respond(m interaction.Message) interaction.Response {
	response := interaction.Reply(m)
	if p.request.InMessage() {
		response = interaction.Update(m)
	}
	response.Subject = p.subject
	return response
}

// now returns a server as it is at this moment: an action that is running on it
// is newer than what the service said last.
func (p *page) now(s hostapi.Server) hostapi.Server {
	if turn, busy := p.running(s.ID); busy && meanwhile(turn.Action) != "" {
		s.Status = meanwhile(turn.Action)
	}
	return s
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

// Lengths to which text from the service is cut, well below Discord's limits,
// so that a page of ten bots keeps within an embed.
const (
	nameLimit    = 80
	wordLimit    = 60
	commandLimit = 300
)

// name returns a bot's name to be put into markdown; never empty.
func name(s hostapi.Server) string {
	if n := safetext.Markdown(s.Name, nameLimit); n != "" {
		return n
	}
	return orDash(safetext.Markdown(s.ID, nameLimit))
}

// plainName returns a bot's name for where markdown does not count.
func plainName(s hostapi.Server, limit int) string {
	if n := safetext.Plain(s.Name, limit); n != "" {
		return n
	}
	return orDash(safetext.Plain(s.ID, limit))
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// reference returns the line that names the code by which staff find what
// happened.
func (p *page) reference() string {
	return p.t.Format("error.reference", args{"Reference": "`" + p.request.Reference + "`"})
}

// noticed puts above a text what is to be said first.
func (p *page) noticed(text string) string {
	var parts []string
	for _, part := range []string{p.header, p.notice, p.stale, text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (p *page) button(style discordgo.ButtonStyle, key, customID string, disabled bool) discordgo.Button {
	return discordgo.Button{Style: style, Label: p.t.Text(key), CustomID: p.customID(customID), Disabled: disabled}
}

// customID makes a custom ID one of a staff view, where this is one.
func (p *page) customID(id string) string {
	if p.request.ByStaff() {
		return onBehalf + p.request.CustomerID + "/" + id
	}
	return id
}

func row(components ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: components}
}
