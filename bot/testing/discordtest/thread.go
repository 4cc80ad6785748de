package discordtest

import "time"

// AddThread adds a public thread to the guild or returns the channel of that name. It is
// archived once it was inactive for so long: 1 h, 24 h, 3 days or a week
// (docs:resources/channel#thread-metadata-object, auto_archive_duration). Only a new message
// is activity, or that the thread is opened again; an edit is none
// (docs:topics/threads#active--archived-threads).
func (s *Server) AddThread(name string, archivesAfter time.Duration) *Channel {
	ch := s.AddChannel(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	ch.record.archivesAfter, ch.record.active = archivesAfter, s.clock.Now()
	return ch
}

// thread reports whether the channel is a thread. The server's lock is held.
func (ch *channel) thread() bool { return ch.access.thread() || ch.archivesAfter > 0 }

// age archives a thread that was inactive for too long. The server's lock is held.
func (ch *channel) age(now time.Time) {
	if ch.archivesAfter > 0 && ch.access == FullAccess && now.Sub(ch.active) >= ch.archivesAfter {
		ch.access = Archived
	}
}

// wake opens a thread again in which there is a new message, unless it is locked
// (docs:topics/threads#active--archived-threads). The server's lock is held.
func (ch *channel) wake(now time.Time) {
	ch.active = now
	if ch.access == Archived {
		ch.access = FullAccess
	}
}

// seen is the channel as Discord shows it now. The server's lock is held.
func (ch *channel) seen(now time.Time) map[string]any {
	ch.age(now)
	wire := ch.wire()
	if metadata, ok := wire["thread_metadata"].(map[string]any); ok && ch.archivesAfter > 0 {
		metadata["auto_archive_duration"] = int(ch.archivesAfter.Minutes())
	}
	return wire
}
