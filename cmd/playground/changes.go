package main

import (
	"fmt"
	"net/http"
	"sync"
)

// changes tells pages that something they show may have changed. What they are
// told carries nothing, so that one who is behind misses nothing.
type changes struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next change
}

func newChanges() *changes {
	return &changes{next: make(chan struct{})}
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.next)
	c.next = make(chan struct{})
}

// serve sends a server-sent event for each change.
func (c *changes) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	for {
		c.mu.Lock()
		next := c.next
		c.mu.Unlock()
		if _, err := fmt.Fprint(w, "data: change\n\n"); err != nil || stream.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}
