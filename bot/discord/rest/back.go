package rest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// shortOutage is how long requests have to have failed, and none succeeded in between, for the next
// answer to be news. A request that is lost now and then wakes nobody.
const shortOutage = 2 * time.Second

// wakeSpread is over which time those are spread whom one answer wakes.
const wakeSpread = time.Second

// outages notices when Discord answers again. It is safe for concurrent use.
type outages struct {
	mu    sync.Mutex
	since time.Time            // when the first request failed after the last answer; zero if none has
	until time.Time            // when the last one did
	waits map[*func()]struct{} // called when Discord answers again
}

// ended is called after each request that was not limited.
func (o *outages) ended(became outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch became {
	case unanswered:
		o.until = time.Now()
		if o.since.IsZero() {
			o.since = o.until
		}
	case answered:
		over := o.until.Sub(o.since) >= shortOutage
		o.since, o.until = time.Time{}, time.Time{}
		if !over {
			return
		}
		for f := range o.waits {
			time.AfterFunc(rand.N(wakeSpread), *f)
		}
	}
}

// OnBack has f called, in a goroutine of its own, within a second after Discord answers a request of any
// part of this process after those of two seconds or longer have failed, until stop is called. Status 429
// is no answer here: it asks for a pause.
func (c *Client) OnBack(f func()) (stop func()) {
	o := c.outages
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waits[&f] = struct{}{}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.waits, &f)
	}
}
