// Package interaction says what a Discord interaction is to the rest of the
// program: the Request that a handler is given, the Response that it returns,
// and the Router that finds the handler.
//
// Nothing here talks to Discord. A handler is a function of its request; when
// the response is sent, whether it is deferred first, and what happens to an
// error is the business of package responder. So a handler is tested by calling
// it.
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

// Request is one interaction as a handler sees it.
type Request struct {
	ID   string // snowflake of the interaction
	Kind Kind
	// ApplicationID is the application's, which is ours.
	ApplicationID string
	// Token is a secret with which the interaction is answered. It is for the responder, here or in the
	// process that reports an action in the place of this one. A Request that is kept does not hold it.
	Token secret.Text `json:"-"`

	// Shard is the one over which this came; empty where it came over HTTP.
	Shard string

	// UserID is the caller's, as Discord attested it.
	UserID string
	// UserName is what the caller is called.
	UserName string
	// CustomerID says whose account this is about. It is the caller's, unless
	// staff, whose right to it has been checked, act for a customer.
	CustomerID string
	RoleIDs    []string // the caller's in the guild

	// BotAbsent says that the bot is not in the guild from which this comes: the caller has
	// installed the application for themselves. It can answer there, and do nothing else.
	// AppPermissions are those of the answer then.
	BotAbsent bool

	// InThread says that the channel is a thread, in which other permissions count.
	InThread bool
	// Permissions are what the caller, and AppPermissions what the bot may do in the
	// channel, as Discord's bits; 0 in a direct message.
	Permissions, AppPermissions uint64

	GuildID   string // empty in a direct message
	ChannelID string
	// InBotDM says that the channel is the caller's direct messages with the bot.
	InBotDM bool

	Locale string // the caller's Discord locale, such as "en-US"; may be empty
	// Message stands for the message that this interaction makes or is about:
	// the ID of the interaction that made it or, for a further one of that, its own.
	Message string

	// Name is the full name of a command ("bot list") or the custom ID of a
	// component or modal; of the latter without what OpenedBy adds.
	Name string
	// Route is the pattern that matched Name; set by the router.
	Route string
	// Params holds what a pattern's wildcards matched.
	Params map[string]string

	// TargetID is the user on whom a context menu was opened.
	TargetID string
	// TargetName is what that user, or the one that an option names, is called. Of a
	// component it is the author of its message's embed, which is the bot's to set.
	TargetName string
	// Options holds the options of a command by name, values as text.
	Options map[string]string
	// Focused is the name of the option that is being typed (Autocomplete).
	Focused string
	// Values are the chosen values of a select menu.
	Values []string
	// Fields are the values of a modal's inputs by their custom IDs: what was typed,
	// the value of the option that was chosen, or Ticked.
	Fields map[string]string

	// Running is the latest action that this has started; nil for none. The responder sets it.
	Running *Action
	// Reference is the short code that connects what the caller is told with
	// what staff are told. It follows from ID alone.
	Reference string
	// ReceivedAt is when the program got to know of the interaction, or should
	// have where the connection was lost at that time. Zero: when it is served.
	ReceivedAt time.Time
	// AnswerBy is the moment until which a handler may wait for something
	// better before its response is deferred.
	AnswerBy time.Time
}

// InMessage reports whether the request comes from a message of the bot's: from a
// component, or from a modal that a component opened. Its answer may change
// that message.
func (r *Request) InMessage() bool { return r.Message != r.ID }

// OfMenu reports whether the request comes from a select menu. What was chosen there stands until its
// message is updated, and the same is not sent again by then (discord-api-docs#4801, #3441).
func (r *Request) OfMenu() bool { return r.Kind == Component && len(r.Values) > 0 }

// ByStaff reports whether staff act for a customer.
func (r *Request) ByStaff() bool { return r.CustomerID != r.UserID }

// CustomerName is what the customer is called; empty where Discord did not tell.
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
