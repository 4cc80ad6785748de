package commands

import (
	"context"
	"errors"
	"net/http"

	"hostbot/hostapi"
)

// unsupportedError says that the service does not have an operation.
type unsupportedError struct {
	op    hostapi.Operation
	cause error
}

func (e *unsupportedError) Error() string {
	return "the service does not have " + string(e.op) + ": " + e.cause.Error()
}
func (e *unsupportedError) Unwrap() error { return e.cause }

func isUnsupported(err error) bool {
	var unsupported *unsupportedError
	return errors.As(err, &unsupported)
}

// unsupportedBy turns the error of an operation into an unsupportedError where that
// is what it means. The service's document has no path for most operations, so a
// service may not have them. It then answers 405 or 501, or 404 although the bot
// exists. Where not even the account exists, that is the error. serverID is empty
// where there is no bot yet.
func (c *Commands) unsupportedBy(ctx context.Context, userID, serverID string, op hostapi.Operation, err error) error {
	var e *hostapi.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == hostapi.CodeNotOffered:
	case op == hostapi.OpRestart || op == hostapi.OpReinstall: // which the document has
		return err
	case e.Status == http.StatusMethodNotAllowed, e.Status == http.StatusNotImplemented:
	case e.Status == http.StatusNotFound:
		_, unseen := c.look(ctx, userID, serverID, lookLimit)
		switch {
		case isNoAccount(unseen):
			return unseen
		case serverID != "" && unseen != nil:
			return err
		}
	default:
		return err
	}
	return &unsupportedError{op, err}
}
