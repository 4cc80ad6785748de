package rest

import (
	"errors"
	"fmt"
	"time"
)

// Error codes of Discord that callers act upon. VerdictOf says what most of them mean.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
const (
	CodeUnknownChannel = 10003
	CodeUnknownGuild   = 10004
	CodeUnknownMember  = 10007
	CodeUnknownMessage = 10008
	CodeUnknownUser    = 10013
	// CodeUnknownWebhook answers for an interaction's token that Discord does not
	// know, and for some seconds also for one that is good (discord-api-docs#7220).
	CodeUnknownWebhook = 10015
	// CodeUnknownInteraction answers a first response that comes too late. It may
	// stand for CodeAlreadyAcknowledged where another process was faster (JDA,
	// InteractionCallbackImpl.java), and at times for a success: the response is
	// shown (discord-api-docs#5558).
	CodeUnknownInteraction  = 10062
	CodeAlreadyAcknowledged = 40060
	// CodeNeedsThread answers for a forum, which takes messages in its threads alone.
	CodeNeedsThread        = 40058
	CodeMissingAccess      = 50001
	CodeEmptyMessage       = 50006
	CodeCannotMessageUser  = 50007
	CodeNotTextChannel     = 50008
	CodeMissingPermissions = 50013
	// CodeWrongChannelType answers for a channel in which this cannot be done.
	CodeWrongChannelType = 50024
	// CodeInvalidWebhookToken comes with status 401. It is the interaction's token
	// that is not good any more, not the bot's (discord.js#10798).
	CodeInvalidWebhookToken = 50027
	// CodeOldMessageEdits comes with status 429: messages that are more than an hour old
	// are edited too often.
	CodeOldMessageEdits = 30046
	CodeInvalidForm     = 50035
	CodeArchivedThread  = 50083
	CodeNoWayToUser     = 50278
	CodeThreadExists    = 160004 // see StartThread
	CodeLockedThread    = 160005
	CodeOverloaded      = 130000
	CodeBlockedMessage  = 200000
	CodeBlockedTitle    = 200001
	CodeHarmfulLink     = 240000

	CodeQuarantined       = 20026 // by Discord's anti-spam system
	CodeDMsTooFast        = 40003
	CodeInternalNetwork   = 40333
	CodeInvalidRecipients = 50033
)

// Error is a request that did not succeed. It holds neither the request nor
// its address: the one carries the bot's token, the other an interaction's.
type Error struct {
	Status  int    // HTTP status; 0 where no answer came
	Code    int    // Discord's error code; 0 where none was given
	Message string // Discord's words or the transport's, bounded
	// Form has the paths in the request's body to what was refused of it
	// (CodeInvalidForm), such as 0.options.1.name, sorted.
	Form []string
	// RetryAfter is how long to wait, as Discord asks (status 429): five minutes at most.
	RetryAfter time.Duration
	// Global says that Discord asks to wait with all requests, rather than with those
	// for one channel, say.
	Global bool
	// Uncertain says that Discord may have carried the request out.
	Uncertain bool
	// NoEmbeds says that Discord did carry it out, and left out embeds. Code is
	// CodeMissingPermissions then.
	NoEmbeds bool
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0, e.NoEmbeds:
		return "discord: " + e.Message
	case e.Code == 0:
		return fmt.Sprintf("discord: status %d: %s", e.Status, e.Message)
	default:
		return fmt.Sprintf("discord: status %d, code %d: %s", e.Status, e.Code, e.Message)
	}
}

// CodeOf returns Discord's error code in err, or 0.
func CodeOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// StatusOf returns the HTTP status in err, or 0.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// LacksEmbeds reports whether Discord took a message without its embeds, as the bot lacks the
// permission to embed links in the channel.
func LacksEmbeds(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.NoEmbeds
}
