package discordtest

import (
	"encoding/json"
	"slices"
	"time"
)

// maxReplay bounds the events that a session keeps. A RESUME from before them gets
// op 9. Discord has such a bound as well (userdoccers:gateway/using-gateway#resuming);
// no source knows the figure.
const maxReplay = 10_000

// session is what the gateway keeps of a bot from IDENTIFY on. The gateway's
// lock guards it.
type session struct {
	gateway       *gateway
	id            string
	version       int  // of the protocol
	sharded       bool // the bot has named a shard
	shard, shards int
	link          *link     // nil while the bot is away
	leftAt        time.Time // when the bot went
	sequence      int64     // of the newest event
	sent          int64     // of the newest event that was sent over link
	dropped       int64     // of the newest event that is not kept any more
	events        []frame   // all after dropped, in order
}

// append adds an event and sends it where somebody listens.
func (s *session) append(name string, data json.RawMessage) {
	s.sequence++
	s.events = append(s.events, dispatchFrame(name, s.sequence, data))
	if len(s.events) > maxReplay {
		s.drop(maxReplay / 10)
	}
	s.gateway.server.recorder.note(func() Event {
		return Event{Dispatch: &Dispatch{At: s.gateway.server.clock.Now(), Name: name, SessionID: s.id, Sequence: s.sequence, Data: data}}
	})
	s.flush()
}

// flush sends, in order, what was not sent yet.
func (s *session) flush() {
	if s.link == nil || s.gateway.silent {
		return
	}
	s.sent = max(s.sent, s.dropped)
	for _, event := range s.events[s.sent-s.dropped:] {
		s.sent = *event.Sequence
		s.link.send(event)
	}
}

// holds reports whether all events after sequence are still kept.
func (s *session) holds(sequence int64) bool {
	return sequence >= s.dropped && sequence <= s.sequence
}

// acknowledge drops events that a heartbeat says were received.
func (s *session) acknowledge(sequence int64) {
	if received := min(sequence, s.sent); received > s.dropped {
		s.drop(int(received - s.dropped))
	}
}

// drop forgets the oldest n events.
func (s *session) drop(n int) {
	s.events = slices.Delete(s.events, 0, n)
	s.dropped += int64(n)
}
