package discordtest

import (
	"cmp"
	"net/http"
	"time"
)

// Limits of a new thread (docs:resources/channel#start-thread-from-message).
const (
	maxThreadName = 100 // characters
	// defaultArchive is that of a thread whose request names none, whatever the channel says (#3660).
	defaultArchive = 24 * time.Hour
)

// threadBody is the body of a request that starts a thread.
type threadBody struct {
	Name         optional[string] `json:"name"`
	ArchiveAfter optional[int]    `json:"auto_archive_duration"` // minutes
	Slowmode     optional[int]    `json:"rate_limit_per_user"`   // seconds
}

// readThread reads what a thread is to be.
func (s *Server) readThread(c *call) (threadBody, *refusal) {
	var body threadBody
	if refused := c.decode(&body); refused != nil {
		return body, refused
	}
	p := &problems{}
	switch n := length(body.Name.value); {
	case !body.Name.set || body.Name.null:
		p.required("name")
	case n < 1 || n > maxThreadName:
		p.add("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxThreadName)
	}
	if body.ArchiveAfter.set && !body.ArchiveAfter.null {
		switch body.ArchiveAfter.value {
		case 60, 1440, 4320, 10080:
		default:
			p.add("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of {60, 1440, 4320, 10080}.")
		}
	}
	if n := body.Slowmode.value; n < 0 || n > 21600 {
		p.add("rate_limit_per_user", "NUMBER_TYPE_MAX", "Must be between 0 and 21600.")
	}
	return body, s.check(c, p, "CreateTextThreadWithMessageRequest")
}

// postThread starts a thread from a message. It has the message's ID, so a message has one
// thread (docs:resources/channel#start-thread-from-message). Create Public Threads is needed
// for it (docs:topics/threads#permissions). A forum takes no such thread, and no source says how it and other
// channels refuse one; here with 50024, "Cannot execute action on this channel type". 160004 is documented
// without its status, which is 400 in the reports.
func (s *Server) postThread(c *call) (any, *refusal) {
	body, invalid := s.readThread(c)
	return s.locked(func() (any, *refusal) {
		ch, refused := s.readable(c)
		switch {
		case refused != nil:
			return nil, refused
		case ch.guildID == "", ch.thread(), ch.access == Forum:
			return nil, denied(http.StatusBadRequest, CodeWrongChannelType, "Cannot execute action on this channel type")
		case !ch.may(CreatePublicThreads):
			return nil, denied(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
		}
		m, refused := s.inChannel(c)
		if refused := cmp.Or(refused, invalid); refused != nil {
			return nil, refused
		}
		if m.thread != nil { // which a bot cannot know whose answer was lost
			return nil, denied(http.StatusBadRequest, CodeThreadThere, "A thread has already been created for this message")
		}
		if !s.cfg.NoRateLimits {
			if refused := s.limits.takeThread(ch.guildID); refused != nil {
				return nil, refused
			}
		}
		c.creates = true
		return s.startThread(m, body).seen(s.clock.Now()), nil
	})
}

// startThread starts a thread from a message. Who does not see the channel does not see the thread
// (docs:topics/threads#permissions). The server's lock is held.
func (s *Server) startThread(m *message, body threadBody) *channel {
	parent := m.channel
	m.thread = &channel{
		id: m.wire.ID, name: body.Name.value, guildID: parent.guildID, botID: parent.botID, position: parent.position, private: parent.private,
		starter: m, active: s.clock.Now(), deleted: make(map[string]bool),
		archivesAfter: cmp.Or(time.Duration(body.ArchiveAfter.value)*time.Minute, defaultArchive),
	}
	s.channels[m.thread.id] = m.thread
	s.channelOrder = append(s.channelOrder, m.thread.id)
	s.touch(m)
	return m.thread
}

// Parent returns the channel of the message from which a thread was started; nil for any other
// channel.
func (ch *Channel) Parent() *Channel {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	if ch.record.starter == nil {
		return nil
	}
	return ch.record.starter.channel.shown(ch.server)
}
