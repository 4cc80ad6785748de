package logchannel

import (
	"context"
	"sync"
	"time"
)

// Status is how a channel fares, as this process knows it.
type Status struct {
	Channel    string // ID
	Categories []Category
	// Waiting is how many entries Discord does not have yet. Equal errors of one second count as one entry. Oldest is
	// when the first entry came; zero if there is none.
	Waiting int
	Oldest  time.Time
	// Trouble is why Discord takes no entries; empty while it takes them.
	Trouble string
	// Forbidden says that the bot lacks a permission in the channel.
	Forbidden bool
	// Passing says that the trouble passes by itself, as Discord fails.
	Passing bool

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

// Status returns how each channel fares. It asks Redis, unless it has done so within Timing.Flush.
func (d *Delivery) Status() []Status {
	list := make([]Status, len(d.all))
	var asking sync.WaitGroup
	for i, ch := range d.all {
		asking.Go(func() {
			ch.mu.Lock()
			list[i] = ch.status
			known := time.Since(ch.asked) < d.config.Timing.Flush
			ch.mu.Unlock()
			if !known {
				list[i] = ch.current()
			}
		})
	}
	asking.Wait()
	return list
}

// current returns the channel's status as of now. While Redis is away, it counts only what is in this process's memory.
func (ch *channel) current() Status {
	ctx, cancel := context.WithTimeout(context.Background(), ch.config.Timing.Record)
	defer cancel()
	r, err := ch.stream.look(ctx)
	if err == nil {
		ch.noteTrouble(r.state.Trouble)
	}
	waiting, oldest := ch.buffer.waiting()
	if first := r.oldest(); !first.IsZero() && (oldest.IsZero() || first.Before(oldest)) {
		oldest = first
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.status.Waiting, ch.status.Oldest, ch.asked = r.waiting+waiting, oldest, time.Now()
	return ch.status
}

func (ch *channel) noteTrouble(t *trouble) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	s := &ch.status
	if s.Trouble, s.Forbidden, s.Passing = "", false, false; t != nil {
		s.Trouble, s.Forbidden, s.Passing = t.Reason, t.Forbidden, t.Passing
	}
}

// noteSent notes an answer of Discord's.
func (ch *channel) noteSent(taken bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if taken {
		ch.status.Sent++
	} else {
		ch.status.Retried++
	}
}
