package rest

import (
	"errors"
	"net/http"
	"time"
)

// Verdict is what an error of a request says about sending the same again. It is made in one place, VerdictOf.
type Verdict int

const (
	// Taken says that there is no error.
	Taken Verdict = iota
	// Later says that the same request may succeed later: Discord fails, or has not answered
	// (Error.Uncertain). So does what is no *Error, as Discord has said nothing then.
	Later
	// Limited says that the same request may succeed once RetryAfter is over. Nothing was done.
	Limited
	// Gone says that the message is not there any more, or its channel, or the interaction.
	Gone
	// Never says that the content is refused, wherever it is sent. Another message may be taken.
	Never
	// Closed says that a user takes no direct messages from the bot, or does not exist.
	Closed
	// Forbidden says that the bot may not do this in this channel or guild, until somebody there
	// changes something. So does whatever the table does not know.
	Forbidden
	// Quarantined says that the bot itself is refused, and so is the same kind of request for
	// everybody.
	Quarantined
)

// VerdictOf returns what an error says. Codes are Discord's
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json); what is known of them beside
// that stands in their row.
func VerdictOf(err error) Verdict {
	e, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return Taken
	case !ok, e.Status == 0:
		return Later
	case e.Status == http.StatusTooManyRequests:
		return Limited
	case e.Status >= 500, e.Code == CodeOverloaded: // discord-api-docs#986
		return Later
	case e.Status == http.StatusConflict, e.Status == http.StatusLocked: // something else is being done to the same
		return Later
	}
	switch e.Code {
	case CodeUnknownMessage:
		if e.Status == http.StatusForbidden { // Discord suspects abuse (discord-userdoccers, pages/topics/errors.mdx)
			return Quarantined
		}
		return Gone
	case CodeUnknownChannel:
		return Gone
	case CodeAlreadyAcknowledged, CodeUnknownInteraction, CodeUnknownWebhook, CodeInvalidWebhookToken:
		// The interaction is answered, or its time is over, or so it seems: see the codes.
		return Gone
	case CodeInvalidForm, CodeEmptyMessage:
		return Never
	case CodeBlockedMessage, CodeBlockedTitle, CodeHarmfulLink:
		// A guild's AutoMod or Discord's filter of links, also of an edit (change log, June 27, 2024).
		return Never
	case CodeCannotMessageUser, CodeNoWayToUser:
		// The first: the user has blocked the bot. The second, since March 2026: the user takes none from
		// members of a server, or shares none with the bot (discord-api-docs#8212, #8238, #8244). Before,
		// the first stood for all of these.
		return Closed
	case CodeUnknownUser, CodeInvalidRecipients:
		return Closed
	case CodeQuarantined:
		// Until an appeal is granted the bot may write to nobody to whom it has not written before
		// (discord-api-docs#2669, tmercswims/tmerc-cogs#111).
		return Quarantined
	case CodeDMsTooFast:
		// It opens direct messages too fast (davidhozic/discord-advertisement-framework#82, DasWolke/SnowTransfer#43).
		return Quarantined
	case CodeInternalNetwork:
		// Cloudflare turns the program away.
		return Quarantined
	}
	switch {
	case e.Status == http.StatusUnauthorized:
		// The bot's token is refused.
		return Quarantined
	case e.Status == http.StatusForbidden && e.Code == 0:
		// Cloudflare answers, or a proxy (discord-api-docs#5385).
		return Quarantined
	case e.Status == http.StatusRequestEntityTooLarge:
		return Never
	}
	// A permission is missing. So are those with status 400 about the channel: a forum, which takes messages in its
	// threads alone (CodeNeedsThread), a wrong type, a thread that is archived or locked.
	return Forbidden
}

// Passes reports whether the same request may succeed later, though nobody changes anything.
func (v Verdict) Passes() bool { return v == Later || v == Limited }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool { return VerdictOf(e).Passes() }

// IsTemporary reports whether an error is Discord's, and the same request may succeed later.
func IsTemporary(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && VerdictOf(err).Passes()
}

// RetryAfter returns how long Discord asks to wait before the same request; 0 if it does not.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// IsLimited reports whether an error says that Discord limits requests. Nothing was done then.
func IsLimited(err error) bool { return VerdictOf(err) == Limited }

// IsUnknownMessage reports whether Discord knows no such message, or not any more.
func IsUnknownMessage(err error) bool {
	return VerdictOf(err) == Gone && CodeOf(err) == CodeUnknownMessage
}

// IsUnknownUser reports whether Discord says that a user does not exist.
func IsUnknownUser(err error) bool {
	code := CodeOf(err)
	return code == CodeUnknownUser || code == CodeInvalidRecipients
}

// IsAbsent reports whether the bot is not in the guild that a request is about, or has no commands there
// (discord.py#8106).
func IsAbsent(err error) bool {
	code := CodeOf(err)
	return code == CodeMissingAccess || code == CodeUnknownGuild
}
