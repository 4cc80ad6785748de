package rest

import (
	"math/rand/v2"
	"sync"
	"time"

	"hostbot/bot/away"
)

const (
	// stalled is how long a request waits for an answer until it counts as failed, though the answer may
	// still come. A leader resigns after such a silence.
	stalled = 5 * time.Second
	// shortOutage is how long requests must have failed, without one answer in between, for OnBack. A single
	// lost request wakes nobody.
	shortOutage = 2 * time.Second
	// wakeSpread is the time over which the functions of OnBack are spread.
	wakeSpread = time.Second
)

// reach tracks whether Discord answers any part of the process. It is safe for concurrent use.
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

// OnBack registers f until stop is called. After an outage of two seconds or more, f is called in its own
// goroutine within a second after Discord's first answer to this process. Status 429 does not count as an
// answer: it asks for a pause.
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

// Silence returns the time over which Discord has answered no request, or only with status 5xx. It is until the
// last one failed or had no answer for 5 s. Both are zero if the last one was answered.
func (c *Client) Silence() (from, until time.Time) { return c.reach.Away() }
