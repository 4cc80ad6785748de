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

	// Subject says what the message is about. What the work returns takes the
	// message's place only while that is about the same: who has moved on to
	// something else in the meantime is not pulled back.
	Subject string

	// Then is work that goes on after Discord accepted this response; nil for none.
	Then *Work
	// Ended are the actions of a Batch that have ended since the response before.
	Ended []Ended

	// Action is told to staff, if it is set.
	Action *Action
	// Failure is told to staff, where it is set and Action was not Refused; what the caller is to
	// know of it is in Message already.
	Failure error
	// Audit is told to staff, where it is set, also beside an error.
	Audit *Audit
}

// Act returns the action that Then carries out; zero if it carries out none, or several.
func (r Response) Act() (act Act) {
	if r.Then != nil {
		act, _ = r.Then.Does.(Act)
	}
	return act
}

// Changes reports whether what the response promises changes anything.
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
	// Run is called at most once, and not at all where Discord did not accept the response that promised
	// the work: an action happens only for a caller who was told of it. What it returns takes that
	// response's place in the same message, and so does the explanation of an error.
	Run func(context.Context) (Response, error)
}

// Doing is what work does: Redraw, Change, Act or Batch.
type Doing interface{ doing() }

type (
	// Redraw changes nothing. It is run however often Discord delivers the event, and in whichever
	// processes.
	Redraw struct{}
	// Change changes something, and is run once for an interaction.
	Change struct{}
	// Act carries out an action on a bot. It is run also if the caller has moved on to something else,
	// if it follows another one.
	Act struct {
		Action *Action
		Lock   Lock // the right to it
	}
	// Batch carries out actions on several bots at the same time. It returns more within seconds. So the
	// response is sent once, and the work is run also if Discord does not take it. The caller is told of
	// the actions whatever the message shows by then.
	Batch struct {
		Locks []Lock // the rights to actions that have begun since the response before
	}
)

func (Redraw) doing() {}
func (Change) doing() {}
func (Act) doing()    {}
func (Batch) doing()  {}

// Ended is one of several actions that one interaction has started.
type Ended struct {
	// Request is that interaction, with an ID of the action's own: staff are told of each.
	Request *Request
	Action  Action
	Failure error // as Response has it
	Lock    Lock
}

// Lock is the right to carry out an action on a bot. While it is held, the action is recorded: if
// the process dies, another one reports the action.
type Lock interface {
	// Shared reports whether all other processes are kept from acting on the bot, and for the
	// same interaction.
	Shared() bool
	// Told is called when staff know how the action ended. Others may act on the bot from then on.
	Told()
	// Close is called when the caller knows, too, or if the action was not carried out.
	Close()
}

// ReplyPrefix begins the custom IDs of components that are answered with a message of their
// own. They stand in messages that others read as well.
const ReplyPrefix = "aside/"

// Form is how a response appears.
type Form int

// The forms of a response.
const (
	FormReply   Form = iota + 1 // a new message
	FormUpdate                  // the message that holds the component is changed
	FormSuggest                 // choices for the option that is being typed
	FormOpen                    // a modal
	FormKeep                    // everything stays as it is, and nothing is selected in a menu any more
	FormDefer                   // what the work returns, which is still to come
)

// Message is the body of a message. All messages are visible to the caller
// alone, and no text in them can mention anyone.
type Message struct {
	Content    string
	Embeds     []*discordgo.MessageEmbed
	Components []discordgo.MessageComponent
	// Files are shown by embeds that name them: attachment://name.
	Files []File
	// Silent has a message in a channel notify nobody.
	Silent bool
}

// WithoutFiles returns the message without its files, and without the pictures that these are.
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

// File is a file that a message brings along.
type File struct {
	Name string // of letters, digits and what else needs no escaping
	Type string // such as image/png
	Data []byte
	// Description is read to who does not see it, in plain text of at most 1024 characters.
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
	Refused     Outcome = "refused"     // for what was entered: the caller's to mend, and no failure
	Unconfirmed Outcome = "unconfirmed" // it may have happened
)

// Action is what was done to a hosted bot on the caller's behalf.
type Action struct {
	Name    string // such as "restart"
	BotID   string
	BotName string
	Outcome Outcome
	// Interrupted says that Outcome is Unconfirmed, or Failed as nothing was done, because the process died.
	Interrupted bool
	Duration    time.Duration
}

// Audit is a use of staff's own commands that was no action on a bot.
type Audit struct {
	Detail  string // what was asked for, where the route and the customer do not say
	Refused bool   // the caller may not
}

// Reply answers with a new message.
func Reply(m Message) Response { return Response{Form: FormReply, Message: m} }

// Update changes the message that holds the pressed component.
func Update(m Message) Response { return Response{Form: FormUpdate, Message: m} }

// Suggest offers choices, 25 at most, for the option that is being typed.
func Suggest(choices []Choice) Response { return Response{Form: FormSuggest, Choices: choices} }

// Open shows a modal. It must be returned in time: a deferred interaction can
// not open one any more.
func Open(d *Dialog) Response { return Response{Form: FormOpen, Modal: d} }

// Keep takes note of the use of a component and changes nothing.
func Keep() Response { return Response{Form: FormKeep} }

// Defer answers with what then returns, which is called once Discord has accepted that an
// answer will follow. Whatever a handler changes is changed there: before that the
// interaction may be another process's. subject is that of what then returns.
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
