package commands

import (
	"context"
	"errors"
	"net/http"

	"hostbot/hostapi"
)

// unsupportedBy gives the error of an operation the code hostapi.CodeNotOffered where
// that is what it means. The service's document has no path for most operations, so a
// service may not have them. It then answers 405 or 501, or 404 although the bot
// exists. Where not even the account exists, that is the error. serverID is empty
// where there is no bot yet.
func (c *Commands) unsupportedBy(ctx context.Context, userID, serverID string, op hostapi.Operation, err error) error {
	var e *hostapi.Error
	documented := op == hostapi.OpRestart || op == hostapi.OpReinstall
	if documented || !errors.As(err, &e) {
		return err
	}
	switch e.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
	case http.StatusNotFound:
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
	notOffered := *e
	notOffered.Code, notOffered.Uncertain = hostapi.CodeNotOffered, false
	return &notOffered
}
