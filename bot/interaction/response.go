package interaction

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Response is what a handler wants the caller to see. Make one with Reply,
// Update, Suggest, Open, Keep or Defer.
type Response struct {
	Form    Form
	Message Message  // Reply and Update
	Choices []Choice // Suggest
	Modal   *Dialog  // Open

	// Subject is what the message is about. The result of Then replaces the message only while the message is
	// still about the same: a user who has moved on is not pulled back.
	Subject string

	// Then is work that begins once Discord has taken this response, or nil.
	Then *Work
	// Ended are the actions of a Batch that have ended since the previous response.
	Ended []Ended

	// Action is logged for staff, if it is set.
	Action *Action
	// Failure is logged for staff, if it is set and Action is not Refused. Message already says what the caller
	// should know of it.
	Failure error
	// Audit is logged for staff, if it is set, even beside an error.
	Audit *Audit
}

// Act returns the action that Then carries out; zero if it carries out none, or several.
func (r Response) Act() (act Act) {
	if r.Then != nil {
		act, _ = r.Then.Does.(Act)
	}
	return act
}

// Changes reports whether the promised work changes anything.
func (r Response) Changes() bool {
	if r.Then == nil {
		return false
	}
	_, redraws := r.Then.Does.(Redraw)
	return !redraws
}

// Work is what a response promises.
type Work struct {
	// Does says what the work does.
	Does Doing
	// Run is called at most once, and only if Discord has taken the response that promised the work: an action
	// happens only if its caller sees that it begins. Its result, or the explanation of its error, replaces that
	// response in the message.
	Run func(context.Context) (Response, error)
}

// Doing is what work does: Redraw, Change, Act or Batch.
type Doing interface{ doing() }

type (
	// Redraw changes nothing. It runs whenever and wherever Discord delivers the event.
	Redraw struct{}
	// Change changes something other than a bot. It runs once for an interaction.
	Change struct{}
	// Act carries out an action on a bot. One that follows another runs even if the caller has moved on.
	Act struct {
		Action *Action
		Lock   Lock // for the action
	}
	// Batch carries out actions on several bots concurrently. Its next response follows within seconds, so this
	// one is sent once, and the work goes on even if Discord does not take it. The caller reads the outcomes
	// whatever the message shows by then.
	Batch struct {
		Locks []Lock // for the actions that have begun since the previous response
	}
)

func (Redraw) doing() {}
func (Change) doing() {}
func (Act) doing()    {}
func (Batch) doing()  {}

// Ended is one of several actions that one interaction has started.
type Ended struct {
	// Request is that interaction with an ID of its own for the action, as each is logged for staff.
	Request *Request
	Action  Action
	Failure error // see Response
	Lock    Lock
}

// Lock is the right to carry out an action on a bot. Until Close the action has a record: if the process dies,
// another one reports it.
type Lock interface {
	// Shared reports whether the lock keeps all other processes from acting on the bot and for the interaction.
	Shared() bool
	// Logged is called once the outcome is logged for staff. Others may act on the bot from then on.
	Logged()
	// Close is called once the caller has the outcome, or if the action was not carried out.
	Close()
}

// ReplyPrefix begins the custom IDs of components in public messages. They are answered with a new message.
const ReplyPrefix = "aside/"

// Form is how a response appears.
type Form int

// The forms of a response.
const (
	FormReply   Form = iota + 1 // a new message
	FormUpdate                  // the message with the component is updated
	FormSuggest                 // choices for the option that is being typed
	FormOpen                    // a modal
	FormKeep                    // nothing changes, except that a menu's selection is reset
	FormDefer                   // the result of the work, later
)

// Message is the body of a message. Its texts can mention nobody but whom Pings names.
type Message struct {
	Content string
	// Pings is the one mention in the content that notifies somebody: of a role, or @everyone; "" for none.
	Pings      string
	Embeds     []*discordgo.MessageEmbed
	Components []discordgo.MessageComponent
	// Files are shown by embeds that refer to them: attachment://name.
	Files []File
	// Silent suppresses the notifications of a message in a channel.
	Silent bool
}

// WithoutFiles returns the message without its files and the pictures made of them.
func (m Message) WithoutFiles() Message {
	embeds := make([]*discordgo.MessageEmbed, len(m.Embeds))
	for i, e := range m.Embeds {
		bare := *e
		if bare.Image != nil && strings.HasPrefix(bare.Image.URL, "attachment://") {
			bare.Image = nil
		}
		embeds[i] = &bare
	}
	m.Embeds, m.Files = embeds, nil
	return m
}

// File is an attachment of a message.
type File struct {
	Name string // without characters that need escaping
	Type string // such as image/png
	Data []byte
	// Description is the alternative text, of at most 1024 characters.
	Description string
}

// Choice is a suggestion for an option.
type Choice struct {
	Name  string `json:"name"`  // shown; 1 to 100 characters
	Value string `json:"value"` // sent back; 1 to 100 characters
}

// Outcome is how an action ended.
type Outcome string

// The outcomes of an action.
const (
	Done        Outcome = "done"
	Failed      Outcome = "failed"
	Refused     Outcome = "refused"     // for the caller's input: no failure
	Unconfirmed Outcome = "unconfirmed" // it may have happened
)

// Action is what was done to a hosted bot on the caller's behalf.
type Action struct {
	Name    string // such as "restart"
	BotID   string
	BotName string
	Outcome Outcome
	// Interrupted says that the process died: Outcome is Unconfirmed, or Failed if nothing was done.
	Interrupted bool
	Duration    time.Duration
}

// Audit is a use of a staff command that is not an action on a bot.
type Audit struct {
	Detail  string // what was asked for, if the route and the customer do not say it
	Refused bool   // the caller is not authorised
}

// Reply answers with a new message.
func Reply(m Message) Response { return Response{Form: FormReply, Message: m} }

// Update changes the message with the component that was used.
func Update(m Message) Response { return Response{Form: FormUpdate, Message: m} }

// Suggest offers choices, 25 at most, for the option that is being typed.
func Suggest(choices []Choice) Response { return Response{Form: FormSuggest, Choices: choices} }

// Open shows a modal. It must be returned before the interaction is deferred.
func Open(d *Dialog) Response { return Response{Form: FormOpen, Modal: d} }

// Keep acknowledges the use of a component and changes nothing.
func Keep() Response { return Response{Form: FormKeep} }

// Defer defers the interaction, and answers with the result of then. All changes are made in then, as before
// Discord has taken the deferral another process may answer the interaction. subject is that of the result.
func Defer(subject string, then func(context.Context) (Response, error)) Response {
	return Response{Form: FormDefer, Subject: subject, Then: &Work{Does: Change{}, Run: then}}
}

// ButtonIDs returns the custom IDs of the message's buttons. A link has none.
func (m Message) ButtonIDs() (ids []string) {
	for _, component := range m.Components {
		row, _ := component.(discordgo.ActionsRow)
		for _, c := range row.Components {
			if button, ok := c.(discordgo.Button); ok && button.CustomID != "" {
				ids = append(ids, button.CustomID)
			}
		}
	}
	return ids
}
