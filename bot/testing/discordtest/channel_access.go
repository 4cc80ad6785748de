package discordtest

import "net/http"

// readable returns the channel of a call in which the bot wants to read.
func (s *Server) readable(c *call) (*channel, *refusal) {
	ch := s.channels[c.r.PathValue("channel")]
	if ch == nil {
		return nil, refuse(http.StatusNotFound, CodeUnknownChannel, "Unknown Channel")
	}
	ch.age(s.clock.Now())
	switch {
	case s.foreign(ch):
		return nil, denied(http.StatusForbidden, CodeMissingAccess, "Missing Access")
	case ch.access == Gone:
		return nil, denied(http.StatusNotFound, CodeUnknownChannel, "Unknown Channel")
	case ch.access == MissingAccess:
		return nil, denied(http.StatusForbidden, CodeMissingAccess, "Missing Access")
	}
	return ch, nil
}

// writable returns the channel of a call in which the bot wants to write.
func (s *Server) writable(c *call) (*channel, *refusal) {
	ch, refused := s.readable(c)
	switch {
	case refused != nil:
		return nil, refused
	case ch.access == MissingThreadPermission:
		return nil, denied(http.StatusForbidden, CodeMissingAccess, "Missing Access")
	case ch.access == MissingPermissions:
		return nil, denied(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
	case ch.access == Forum:
		return nil, denied(http.StatusBadRequest, CodeNeedsThread, "Only thread posts can be created in this channel")
	case ch.access == NewPost:
		return nil, denied(http.StatusForbidden, CodeNeedsThread, "Cannot message this thread until after the post author has sent an initial message")
	case ch.closed():
		return nil, ch.threadClosed()
	case ch.owner != nil && ch.owner.dmsClosed: // discord-api-docs#8238
		return nil, denied(http.StatusForbidden, CodeNoWayToUser, "Cannot send messages to this user")
	case ch.owner != nil && ch.owner.blocks: // the same
		return nil, denied(http.StatusForbidden, CodeCannotMessageUser, "Cannot send messages to this user")
	case ch.owner != nil && s.quarantines(ch):
		return nil, quarantinedRefusal()
	}
	return ch, nil
}

// inChannel returns the message that a call names.
func (s *Server) inChannel(c *call) (*message, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	m := s.messages[c.r.PathValue("message")]
	if m == nil || m.channel != ch {
		missing := unknownMessage()
		missing.innocent = ch.deleted[c.r.PathValue("message")]
		return nil, missing
	}
	return m, nil
}

// changeable returns the message that a call is to change or delete. An
// ephemeral one can be read here but not changed (#3090, #6007, #6253).
func (s *Server) changeable(c *call) (*message, *refusal) {
	m, refused := s.inChannel(c)
	switch {
	case refused != nil:
		return nil, refused
	case m.visibleTo != "":
		return nil, unknownMessage()
	case m.channel.access == Locked && m.channel.closed():
		return nil, threadArchived()
	}
	return m, nil
}

// editable returns the message of the bot's own that a call is to change.
func (s *Server) editable(c *call) (*message, *refusal) {
	m, refused := s.changeable(c)
	if refused == nil && (m.channel.access == Archived || m.channel.access == Locked || m.channel.closed()) {
		return nil, m.channel.threadClosed()
	}
	if refused == nil && m.wire.Author.ID != s.app.id {
		return nil, refuse(http.StatusForbidden, CodeNotTheAuthor, "Cannot edit a message authored by another user")
	}
	return m, refused
}

// denied is a refusal because of a channel's state, of which the bot could not know.
func denied(status, code int, message string) *refusal {
	r := refuse(status, code, message)
	r.innocent = true
	return r
}

// closed reports whether the channel is a locked thread and the bot may not manage threads.
func (ch *channel) closed() bool { return ch.access.locked() && !ch.may(ManageThreads) }

// threadClosed refuses what a thread does not take now.
func (ch *channel) threadClosed() *refusal {
	if ch.access == LockedOpen {
		return denied(http.StatusBadRequest, CodeThreadLocked, "This thread is locked")
	}
	return threadArchived()
}

func threadArchived() *refusal {
	return denied(http.StatusBadRequest, CodeThreadArchived, "Thread is archived")
}
