package rest

import (
	"math/rand/v2"
	"sync"
	"time"

	"hostbot/bot/away"
)

const (
	// stalled is after which time without an answer a request counts as failed, though it may still be
	// answered: a leader that Discord does not answer for so long resigns.
	stalled = 5 * time.Second
	// shortOutage is how long requests have to have failed, and none succeeded in between, for the next
	// answer to be news. A request that is lost now and then wakes nobody.
	shortOutage = 2 * time.Second
	// wakeSpread is over which time those are spread whom one answer wakes.
	wakeSpread = time.Second
)

// reach is whether Discord answers, whichever part of the process asks. It is safe for concurrent use.
type reach struct {
	away.Since

	mu    sync.Mutex
	waits map[*func()]struct{} // called when Discord answers again
}

// answered is called after each request that was answered.
func (r *reach) answered() {
	if r.Worked() < shortOutage {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.waits {
		time.AfterFunc(rand.N(wakeSpread), *f)
	}
}

// OnBack has f called, in a goroutine of its own, within a second after Discord answers a request of any
// part of this process after those of two seconds or longer have failed, until stop is called. Status 429
// is no answer here: it asks for a pause.
func (c *Client) OnBack(f func()) (stop func()) {
	r := c.reach
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits[&f] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waits, &f)
	}
}

// Silence returns from when until when Discord has answered no request, or each with a failure of
// its own: until the last one failed, or has had no answer for 5 s. Both are zero if it has answered the
// last one.
func (c *Client) Silence() (from, until time.Time) { return c.reach.Away() }
