package logchannel

import (
	"slices"
	"sync"
	"time"

	"hostbot/bot/rest"
)

// Status is how a channel fares, as this process knows it.
type Status struct {
	Channel    string // ID
	Categories []Category
	// Waiting is how many entries Discord does not have yet, equal errors of a
	// moment counted as one, and Oldest when the first came; zero without any.
	Waiting int
	Oldest  time.Time
	// InMemory tells that they are kept in memory, as Redis is away.
	InMemory bool
	// Trouble is why Discord does not take any, and TroubleSince since when;
	// empty while it does.
	Trouble      string
	TroubleSince time.Time
	// Forbidden says that the bot lacks a permission in the channel.
	Forbidden bool

	Sent    uint64 // messages and edits that Discord took from this process
	Retried uint64 // requests of this process that failed
	Folded  uint64 // errors of this process that are told by a count alone
}

// Age is for how long the oldest entry has been waiting; 0 without any.
func (s Status) Age(now time.Time) time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Oldest))
}

// figures are what is measured of a channel.
type figures struct {
	mu      sync.Mutex
	waiting int
	oldest  time.Time
	trouble trouble

	sent, retried, folded uint64
}

// seen notes what a queue holds.
func (f *figures) seen(h head) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting, f.oldest = h.waiting, h.oldest
	if !h.held { // another process knows how it fares
		f.trouble = trouble{}
	}
	if h.state.Trouble != nil {
		f.trouble = *h.state.Trouble
	}
}

// took notes that Discord took a request.
func (f *figures) took() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent++
	f.trouble = trouble{}
}

// failed notes that a request failed. To be told to wait is no trouble.
func (f *figures) failed(v verdict, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retried++
	if v == busy {
		return
	}
	if f.trouble.Since.IsZero() {
		f.trouble.Since = time.Now()
	}
	f.trouble.Reason, f.trouble.Code = err.Error(), rest.CodeOf(err)
}

// fold notes errors that no embed shows.
func (f *figures) fold(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.folded += uint64(n)
}

func (f *figures) status(ch *channel) Status {
	since, _ := ch.memory.status()
	f.mu.Lock()
	defer f.mu.Unlock()
	return Status{
		Channel: ch.id, Categories: slices.Clone(ch.categories), InMemory: !since.IsZero(),
		Waiting: f.waiting, Oldest: f.oldest, Trouble: f.trouble.Reason, TroubleSince: f.trouble.Since, Forbidden: forbids(f.trouble.Code),
		Sent: f.sent, Retried: f.retried, Folded: f.folded,
	}
}
