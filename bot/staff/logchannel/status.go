package logchannel

import "time"

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
}

// Age is for how long the oldest entry has been waiting; 0 without any.
func (s Status) Age(now time.Time) time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Oldest))
}

// updateStatus changes the status. It is called by one goroutine.
func (ch *channel) updateStatus(change func(*Status)) {
	s := *ch.status.Load()
	change(&s)
	ch.status.Store(&s)
}

// note notes the beginning of a queue.
func (h head) note(s *Status) {
	s.Waiting, s.Oldest, s.Trouble, s.Forbidden = h.waiting, time.Time{}, "", false
	if len(h.records) > 0 {
		s.Oldest = h.records[0].Tally.Since
	}
	if t := h.state.Trouble; t != nil {
		s.Trouble, s.Forbidden = t.Reason, t.Forbidden
	}
}
