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
	// Trouble is why Discord does not take any; empty while it does.
	Trouble string
	// Forbidden says that the bot lacks a permission in the channel.
	Forbidden bool

	Sent    uint64 // messages and edits that Discord took from this process
	Retried uint64 // requests of this process that failed
	Grouped uint64 // errors that this process told of by a count alone
}

// Age is for how long the oldest entry has been waiting; 0 without any.
func (s Status) Age(now time.Time) time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Oldest))
}

// figures are the status of a channel while it changes.
type figures struct {
	mu     sync.Mutex
	status Status
}

func (f *figures) get() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	s.Categories = slices.Clone(s.Categories)
	return s
}

func (f *figures) set(change func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}

// saw notes the beginning of a queue.
func (f *figures) saw(h head) {
	f.set(func(s *Status) {
		s.Waiting, s.Oldest = h.waiting, time.Time{}
		if len(h.records) > 0 {
			s.Oldest = h.records[0].Tally.Since
		}
		if !h.held { // another process knows how it fares
			s.Trouble, s.Forbidden = "", false
		}
		if t := h.state.Trouble; t != nil {
			s.Trouble, s.Forbidden = t.Reason, forbids(t.Code)
		}
	})
}

// took notes that Discord took a request, which told of so many errors by a
// count alone.
func (f *figures) took(grouped int) {
	f.set(func(s *Status) {
		s.Sent++
		s.Grouped += uint64(grouped)
		s.Trouble, s.Forbidden = "", false
	})
}

// failed notes that a request failed. To be told to wait is no trouble.
func (f *figures) failed(v verdict, err error) {
	f.set(func(s *Status) {
		s.Retried++
		if v != busy {
			s.Trouble, s.Forbidden = err.Error(), forbids(rest.CodeOf(err))
		}
	})
}
