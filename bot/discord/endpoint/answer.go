package endpoint

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// answer answers a request once. It is the Inline of an event.
type answer struct {
	w      http.ResponseWriter
	client context.Context // done when the client has hung up
	once   sync.Once
	done   chan struct{} // closed after the answer
}

// Respond answers with a first response.
func (a *answer) Respond(response []byte) error {
	err := errors.New("the request was answered already")
	a.once.Do(func() {
		defer close(a.done)
		if err = a.client.Err(); err == nil {
			err = writeJSON(a.w, response)
		}
	})
	return err
}

// Leave answers without a body, unless the request was answered before.
func (a *answer) Leave() { a.give(http.StatusAccepted) }

// Decline answers with 503, unless the request was answered before. A proxy may send a request with that answer
// to another replica.
func (a *answer) Decline() { a.give(http.StatusServiceUnavailable) }

// give answers with a status alone.
func (a *answer) give(status int) {
	a.once.Do(func() {
		defer close(a.done)
		a.w.WriteHeader(status)
	})
}

// wait returns once the request is answered. At the deadline it calls Leave.
func (a *answer) wait(deadline time.Time) {
	select {
	case <-a.done:
	case <-time.After(time.Until(deadline)):
		a.Leave()
	}
}

// writeJSON sends an answer and flushes it.
func writeJSON(w http.ResponseWriter, body []byte) error {
	connection := http.NewResponseController(w)
	_ = connection.SetWriteDeadline(time.Now().Add(writeLimit)) // if that fails, so does Write
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if _, err := w.Write(body); err != nil {
		return err
	}
	return connection.Flush()
}
