package commands

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"hostbot/hostapi"
)

// lackingError says that the service does not offer an operation.
type lackingError struct {
	op    hostapi.Operation
	cause error
}

func (e *lackingError) Error() string {
	return "the service lacks " + string(e.op) + ": " + e.cause.Error()
}
func (e *lackingError) Unwrap() error { return e.cause }

func isLacking(err error) bool {
	var lacking *lackingError
	return errors.As(err, &lacking)
}

// missing turns the error of an operation into a lackingError where that is what
// it means. The paths of most operations are not in the service's document, so a
// service may not have them: it then says 405 or 501, or 404 although the bot is
// there; where not even the account is, that is the error. serverID is empty where
// there is no bot yet.
func (c *Commands) missing(ctx context.Context, userID, serverID string, op hostapi.Operation, err error) error {
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
	return &lackingError{op, err}
}

// lacks remembers which operations the service was found to lack, so that staff
// are told of each once and not of every customer who tries.
type lacks struct {
	mu   sync.Mutex
	told map[hostapi.Operation]bool
}

// again tells whether err says of an operation what was said of it before.
func (l *lacks) again(err error) bool {
	var lacking *lackingError
	if !errors.As(err, &lacking) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told[lacking.op] {
		return true
	}
	if l.told == nil {
		l.told = make(map[hostapi.Operation]bool)
	}
	l.told[lacking.op] = true
	return false
}
