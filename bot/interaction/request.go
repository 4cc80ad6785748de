// Package interaction has the types around a handler of Discord interactions: the Request that it is given, the
// Response that it returns, and the Router that finds it.
//
// Nothing here sends anything to Discord. A handler is a function of its request, and is tested by calling it.
// Package responder decides when the response is sent and whether it is deferred first, and handles errors.
package interaction

import (
	"time"

	"hostbot/hostapi/secret"
)

// Kind is the kind of an interaction.
type Kind string

// The kinds of interactions that are served.
const (
	Command      Kind = "command"
	Autocomplete Kind = "autocomplete"
	Component    Kind = "component"
	Modal        Kind = "modal"
)

// Program is the kind of a request that the program makes by itself for a customer. It has no token, and nobody is
// answered.
const Program Kind = "program"

// Schedule is the Name of such a request that a customer has chosen the time of.
const Schedule = "schedule"

// Request is one interaction as a handler sees it.
type Request struct {
	ID   string // snowflake of the interaction
	Kind Kind
	// ApplicationID is the ID of the bot's application.
	ApplicationID string
	// Token is the secret that the responder answers the interaction with. It is not part of a saved Request.
	Token secret.Text `json:"-"`

	// Shard is the shard that the interaction came over; empty if it came over HTTP.
	Shard string

	// UserID is the caller, as Discord attests.
	UserID string
	// UserName is the caller's name.
	UserName string
	// CustomerID is the owner of the account that this is about: the caller, unless authorised staff act for a
	// customer.
	CustomerID string
	RoleIDs    []string // the caller's in the guild

	// BotAbsent says that the bot is not in the guild, as the caller has installed the application only for
	// themselves. The bot can answer there and do nothing else; AppPermissions are those of its answer.
	BotAbsent bool

	// InThread says that the channel is a thread. Other permissions count there.
	InThread bool
	// Permissions are the caller's, and AppPermissions the bot's permissions in the channel, as Discord's
	// bits; 0 in a direct message.
	Permissions, AppPermissions uint64

	GuildID   string // empty in a direct message
	ChannelID string
	// InBotDM says that the channel is the caller's direct messages with the bot.
	InBotDM bool

	Locale string // the caller's Discord locale, such as "en-US"; may be empty
	// Message is a key for the message that this interaction makes or is about: the ID of the interaction that
	// made it, or a follow-up's own ID.
	Message string

	// MessageID is the ID of the message with the component, if its custom ID begins with ReplyPrefix.
	MessageID string

	// Name is the full name of a command ("bot list"), or the custom ID of a component or modal (without what
	// OpenedBy adds).
	Name string
	// Route is the pattern that matched Name; set by the router.
	Route string
	// Params has the values of the pattern's wildcards.
	Params map[string]string

	// TargetID is the user whose context menu was opened.
	TargetID string
	// TargetName is the name of that user, or of the user that an option refers to. For a component it is the
	// author of its message's embed, as the bot has set it.
	TargetName string
	// Options has the options of a command by name, values as text.
	Options map[string]string
	// Focused is the name of the option that is being typed (Autocomplete).
	Focused string
	// Values are the chosen values of a select menu.
	Values []string
	// Mentionable says that the first of them is a role that every member may mention.
	Mentionable bool
	// Fields has the values of a modal's inputs by custom ID: the text, the value of the chosen option, or
	// Ticked.
	Fields map[string]string

	// Running is the latest action that this interaction has started, or nil. The responder sets it.
	Running *Action
	// Reference is the short code that the caller and staff both read. It is derived from ID.
	Reference string
	// ReceivedAt is when the interaction arrived, or an estimate if it was replayed. If it is zero, the
	// responder sets it.
	ReceivedAt time.Time
	// AnswerBy is how long a handler may wait for something better to show at once.
	AnswerBy time.Time
}

// InMessage reports whether the request comes from a message of the bot: from a component, or from a modal that a
// component opened. The response may update that message.
func (r *Request) InMessage() bool { return r.Message != r.ID }

// ByProgram reports whether nobody asked for this but the program itself.
func (r *Request) ByProgram() bool { return r.Kind == Program }

// OfMenu reports whether the request comes from a select menu. A client keeps the selection until the message is
// updated, and does not send the same choice again before (discord-api-docs#4801, #3441).
func (r *Request) OfMenu() bool { return r.Kind == Component && len(r.Values) > 0 }

// ByStaff reports whether staff act for a customer.
func (r *Request) ByStaff() bool { return r.CustomerID != r.UserID }

// CustomerName returns the customer's name; empty if it is not known.
func (r *Request) CustomerName() string {
	if r.ByStaff() {
		return r.TargetName
	}
	return r.UserName
}

// Value returns the first chosen value of a select menu, or "".
func (r *Request) Value() string {
	if len(r.Values) == 0 {
		return ""
	}
	return r.Values[0]
}
