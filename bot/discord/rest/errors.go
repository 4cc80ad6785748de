package rest

import (
	"errors"
	"fmt"
	"time"
)

// Discord's error codes that callers act upon. VerdictOf says what most of them mean.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
const (
	CodeUnknownChannel = 10003
	CodeUnknownGuild   = 10004
	CodeUnknownMember  = 10007
	CodeUnknownMessage = 10008
	CodeUnknownUser    = 10013
	// CodeUnknownWebhook means that Discord does not know an interaction's token. For some seconds it may
	// answer so for a valid one (discord-api-docs#7220).
	CodeUnknownWebhook = 10015
	// CodeUnknownInteraction means that a first response came too late. Discord may send it in place of
	// CodeAlreadyAcknowledged if another process was faster (JDA, InteractionCallbackImpl.java), and at times
	// although it shows the response (discord-api-docs#5558).
	CodeUnknownInteraction  = 10062
	CodeAlreadyAcknowledged = 40060
	// CodeNeedsThread means that the channel is a forum: it takes messages only in its threads. A new post there
	// takes none before its author has sent the first (discord-api-docs#6340).
	CodeNeedsThread        = 40058
	CodeMissingAccess      = 50001
	CodeEmptyMessage       = 50006
	CodeCannotMessageUser  = 50007
	CodeNotTextChannel     = 50008
	CodeMissingPermissions = 50013
	// CodeWrongChannelType means that this cannot be done in a channel of this type.
	CodeWrongChannelType = 50024
	// CodeInvalidWebhookToken comes with status 401. The interaction's token has expired; the bot's is good
	// (discord.js#10798).
	CodeInvalidWebhookToken = 50027
	// CodeOldMessageEdits comes with status 429: messages older than an hour are edited too often.
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

// Error is a request that failed. It has neither the request nor its address: the one carries the bot's token,
// the other an interaction's.
type Error struct {
	Status  int    // HTTP status; 0 if no answer came
	Code    int    // Discord's error code; 0 if none was given
	Message string // Discord's words or the transport's, bounded
	// Form has the paths of the fields that were refused (CodeInvalidForm), such as 0.options.1.name, sorted.
	Form []string
	// RetryAfter is how long to wait, as Discord asks (status 429): five minutes at most, and a second more for
	// each request that waits for the same limit.
	RetryAfter time.Duration
	// Global says that Discord asks to wait with all requests, and not just with those of one route.
	Global bool
	// Uncertain says that Discord may have carried the request out.
	Uncertain bool
	// NoEmbeds says that Discord carried the request out without its embeds. Code is CodeMissingPermissions.
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

// errorIn returns the Error in err; a zero one if there is none.
func errorIn(err error) Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return *e
	}
	return Error{}
}

// CodeOf returns Discord's error code in err, or 0.
func CodeOf(err error) int { return errorIn(err).Code }

// StatusOf returns the HTTP status in err, or 0.
func StatusOf(err error) int { return errorIn(err).Status }

// RetryAfter returns how long Discord asks to wait before the same request; 0 if it does not ask.
func RetryAfter(err error) time.Duration { return errorIn(err).RetryAfter }

// IsUncertain reports whether Discord may have carried out a request that failed.
func IsUncertain(err error) bool { return errorIn(err).Uncertain }

// LacksEmbeds reports whether Discord took a message without its embeds, as the bot lacks Embed Links in the
// channel.
func LacksEmbeds(err error) bool { return errorIn(err).NoEmbeds }
