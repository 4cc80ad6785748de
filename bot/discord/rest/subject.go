package rest

import (
	"errors"
	"net/http"
)

// Subject is what a request that did not succeed says something about.
type Subject int

const (
	// Temporary says that the same request may succeed later, as it is.
	Temporary Subject = iota
	// AboutMessage is what a message says, or a message that is not there any more.
	AboutMessage
	// AboutRecipient is a user who takes no direct messages from the bot, or does not exist.
	AboutRecipient
	// AboutChannel is a channel in which the bot cannot do this, for whatever reason.
	AboutChannel
	// AboutUs is the bot itself: the same kind of request is refused for everybody.
	AboutUs
)

// About returns the subject of an error. What is no *Error is temporary: no answer of
// Discord's says more.
func About(err error) Subject {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Temporary() {
		return Temporary
	}
	if TakesNoMessages(err) {
		return AboutRecipient
	}
	switch e.Code {
	case CodeQuarantined, CodeDMsTooFast, CodeInternalNetwork:
		return AboutUs
	case CodeUnknownUser, CodeInvalidRecipients:
		return AboutRecipient
	case CodeUnknownChannel, CodeMissingAccess, CodeNotTextChannel, CodeMissingPermissions, CodeArchivedThread:
		return AboutChannel
	}
	switch {
	case e.Status == http.StatusUnauthorized && e.Code != CodeInvalidWebhookToken:
		return AboutUs
	case e.Status == http.StatusForbidden && e.Code == CodeUnknownMessage: // see IsUnknownMessage
		return AboutUs
	case e.Status == http.StatusForbidden && e.Code == 0: // Cloudflare, or a proxy (discord-api-docs#5385)
		return AboutUs
	case IsUnknownMessage(err), RefusesContent(err):
		return AboutMessage
	}
	return AboutChannel
}
