package rest

import (
	"errors"
	"net/http"
)

// Verdict is what an error means for sending the same request again. Only VerdictOf decides that.
type Verdict int

const (
	// Taken means that there is no error.
	Taken Verdict = iota
	// Later means that the same request may succeed later: Discord failed or did not answer (Error.Uncertain),
	// or the error is no *Error.
	Later
	// Limited means that the same request may succeed after RetryAfter. Nothing was done.
	Limited
	// Gone means that the message, its channel or the interaction is not there any more.
	Gone
	// Never means that the content is refused anywhere. Another message may be taken.
	Never
	// Closed means that the user takes no direct messages from the bot, or does not exist.
	Closed
	// Forbidden means that the bot may not do this in the channel or guild until somebody there changes
	// something. It is also the verdict on codes that VerdictOf does not know.
	Forbidden
	// Quarantined means that the bot itself is refused: the same kind of request fails for everybody.
	Quarantined
)

// VerdictOf returns the verdict on an error. The codes are Discord's
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json); what else is known of a code
// stands in its case.
func VerdictOf(err error) Verdict {
	e, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return Taken
	case !ok, e.Status == 0:
		return Later
	case e.Status == http.StatusTooManyRequests:
		return Limited
	case e.Status >= 500, e.Code == CodeOverloaded, // discord-api-docs#986
		e.Status == http.StatusConflict, e.Status == http.StatusLocked: // something else is being done to the same
		return Later
	}
	switch e.Code {
	case CodeUnknownMessage:
		if e.Status == http.StatusForbidden { // Discord suspects abuse (discord-userdoccers, pages/topics/errors.mdx)
			return Quarantined
		}
		return Gone
	case CodeUnknownChannel, CodeAlreadyAcknowledged, CodeUnknownInteraction, CodeUnknownWebhook, CodeInvalidWebhookToken:
		// Of the latter four, the interaction is answered or has expired, or so it seems: see the codes.
		return Gone
	case CodeInvalidForm, CodeEmptyMessage, CodeBlockedMessage, CodeBlockedTitle, CodeHarmfulLink:
		// The latter three: a guild's AutoMod or Discord's link filter refuses it, edits included (change log,
		// June 27, 2024).
		return Never
	case CodeCannotMessageUser, CodeNoWayToUser, CodeUnknownUser, CodeInvalidRecipients:
		// The first: the user has blocked the bot. The second: the user takes no messages from members of a
		// guild, or shares no guild with the bot; before March 2026 this was the first, too
		// (discord-api-docs#8212, #8238, #8244).
		return Closed
	case CodeQuarantined, CodeDMsTooFast, CodeInternalNetwork:
		// The first: until an appeal is granted, the bot may write only to users to whom it has written before
		// (discord-api-docs#2669, tmercswims/tmerc-cogs#111). The second: it opens direct messages too fast
		// (davidhozic/discord-advertisement-framework#82, DasWolke/SnowTransfer#43). The third: Cloudflare refuses
		// the program.
		return Quarantined
	}
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden && e.Code == 0:
		// The bot's token is refused. Or Cloudflare answers, or a proxy (discord-api-docs#5385).
		return Quarantined
	case e.Status == http.StatusRequestEntityTooLarge:
		return Never
	}
	// A permission is missing. Or, with status 400, the channel is a forum (CodeNeedsThread; in a new post of one
	// that passes, as panel.Panel knows), of a wrong type, or an archived or locked thread.
	return Forbidden
}

// Passes reports whether the same request may succeed later although nobody changes anything.
func (v Verdict) Passes() bool { return v == Later || v == Limited }

// IsTemporary reports whether an error is an *Error, and the same request may succeed later.
func IsTemporary(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && VerdictOf(err).Passes()
}

// IsLimited reports whether an error is Discord's rate limit. Nothing was done then.
func IsLimited(err error) bool { return VerdictOf(err) == Limited }

// IsUnknownMessage reports whether Discord does not know the message, or not any more.
func IsUnknownMessage(err error) bool {
	return VerdictOf(err) == Gone && CodeOf(err) == CodeUnknownMessage
}

// IsUnknownUser reports whether the user does not exist.
func IsUnknownUser(err error) bool {
	code := CodeOf(err)
	return code == CodeUnknownUser || code == CodeInvalidRecipients
}

// IsAbsent reports whether the bot is not in the request's guild, or may not have commands there
// (discord.py#8106).
func IsAbsent(err error) bool {
	code := CodeOf(err)
	return code == CodeMissingAccess || code == CodeUnknownGuild
}
