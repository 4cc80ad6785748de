package discordtest

import (
	"cmp"
	"net/http"
)

// channelFlags are those that the server knows of the flags that may be set
// (docs:resources/message#create-message).
const channelFlags = flagSuppressEmbeds | flagSuppressNotifications

func (s *Server) postMessage(c *call) (any, *refusal) {
	body, invalid := s.readMessage(c, channelFlags, "MessageCreateRequest")
	nonce, wrong := readNonce(c)
	return s.locked(func() (any, *refusal) {
		ch, refused := s.writable(c)
		if refused := cmp.Or(refused, invalid, wrong); refused != nil {
			return nil, refused
		}
		earlier, refused := s.nonces.find(nonce, s.clock.Now())
		if refused != nil {
			return nil, refused
		}
		if earlier != nil {
			return created(earlier), nil
		}
		if refused := ch.permitted(body, true); refused != nil {
			return nil, refused
		}
		m := s.newMessage(ch)
		if refused := s.apply(body, m); refused != nil {
			return nil, refused
		}
		m.wire.Flags = body.Flags.value
		m.pings = pings(m.wire.Content, body.AllowedMentions, messageMentions)
		m.nonce = nonce.value
		s.nonces.remember(m)
		switch ch.access {
		case Archived:
			ch.access = FullAccess
		case Locked:
			ch.access = LockedOpen
		}
		s.publish(m)
		return created(m), nil
	})
}

func (s *Server) getMessages(c *call) (any, *refusal) {
	page, refused := readPage(c)
	if refused != nil {
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		ch, refused := s.readable(c)
		if refused != nil {
			return nil, refused
		}
		found := []wireMessage{}
		if ch.access == NoHistory {
			return found, nil
		}
		for _, m := range page.of(ch.messages) {
			found = append(found, s.read(m))
		}
		return found, nil
	})
}

func (s *Server) getMessage(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		m, refused := s.inChannel(c)
		if refused != nil {
			return nil, refused
		}
		if m.channel.access == NoHistory {
			return nil, denied(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
		}
		return s.read(m), nil
	})
}

func (s *Server) patchMessage(c *call) (any, *refusal) {
	body, invalid := s.readMessage(c, anyFlags, "MessageEditRequestPartial")
	return s.locked(func() (any, *refusal) {
		m, refused := s.editable(c)
		if refused := cmp.Or(refused, invalid); refused != nil {
			return nil, refused
		}
		if refused := cmp.Or(s.editLimited(m), m.channel.permitted(body, false)); refused != nil {
			return nil, refused
		}
		refused = s.edit(m, body)
		return m.wire, refused
	})
}

func (s *Server) deleteMessage(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		m, refused := s.changeable(c)
		if refused != nil {
			return nil, refused
		}
		if m.wire.Author.ID != s.app.id {
			return nil, refuse(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
		}
		return nil, s.remove(m)
	})
}
