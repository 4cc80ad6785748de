package discordtest

import (
	"cmp"
	"maps"
)

// replyFlags are those that the server knows of the flags that may be set
// (docs:interactions/receiving-and-responding#interaction-response-object).
const replyFlags = flagSuppressEmbeds | flagEphemeral | flagSuppressNotifications

// postFollowUp takes a further message for an interaction.
func (s *Server) postFollowUp(c *call) (any, *refusal) {
	body, invalid := s.readMessage(c, replyFlags, "IncomingWebhookInteractionRequest")
	return s.locked(func() (any, *refusal) {
		in, refused := s.underway(c)
		if refused := cmp.Or(refused, invalid); refused != nil {
			return nil, refused
		}
		m, refused := s.followUp(in, body)
		if refused != nil {
			return nil, refused
		}
		return m.wire, nil
	})
}

// locked runs f under the server's lock.
func (s *Server) locked(f func() (any, *refusal)) (any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

// followUp adds a message; the first after a deferred response takes its place
// and keeps it ephemeral or not
// (docs:interactions/receiving-and-responding#create-followup-message).
func (s *Server) followUp(in *interaction, body *messageBody) (*message, *refusal) {
	if in.thinking && !in.original.deleted {
		if refused := s.fill(in, body); refused != nil {
			return nil, refused
		}
		return in.original, nil
	}
	if !s.cfg.NoRateLimits {
		if refused := s.limits.takeFollowUp(in.channel.id); refused != nil {
			return nil, refused
		}
	}
	m, refused := s.newReply(in, body)
	if refused != nil {
		return nil, refused
	}
	metadata := maps.Clone(in.metadata)
	metadata["original_response_message_id"] = in.original.wire.ID
	m.wire.InteractionMetadata = metadata
	in.followUps = append(in.followUps, m)
	in.changed.notify()
	return m, nil
}

// fill ends the thinking.
func (s *Server) fill(in *interaction, body *messageBody) *refusal {
	if refused := s.edit(in.original, body); refused != nil {
		return refused
	}
	in.original.pings = pings(in.original.wire.Content, body.AllowedMentions, replyMentions)
	in.thinking = false
	in.changed.notify()
	return nil
}

// addressed returns the message that a call means: @original or one of the
// interaction's own by its id.
func (s *Server) addressed(c *call) (*interaction, *message, *refusal) {
	in, refused := s.underway(c)
	if refused != nil {
		return nil, nil, refused
	}
	candidates := append([]*message{in.original}, in.followUps...)
	id := c.r.PathValue("message")
	if c.route == RouteOriginal {
		candidates, id = candidates[:1], ""
	}
	for _, m := range candidates {
		if m != nil && !m.deleted && (id == "" || m.wire.ID == id) {
			return in, m, nil
		}
	}
	missing := unknownMessage()
	// Who dismisses a message makes the bot meet this without its fault.
	missing.innocent = in.original != nil
	return nil, nil, missing
}

func (s *Server) getReply(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		_, m, refused := s.addressed(c)
		if refused != nil {
			return nil, refused
		}
		return m.wire, nil
	})
}

func (s *Server) patchReply(c *call) (any, *refusal) {
	body, invalid := s.readMessage(c, anyFlags, "IncomingWebhookUpdateRequestPartial")
	return s.locked(func() (any, *refusal) {
		in, m, refused := s.addressed(c)
		if refused := cmp.Or(refused, invalid); refused != nil {
			return nil, refused
		}
		if in.thinking && m == in.original {
			refused = s.fill(in, body)
		} else {
			refused = s.edit(m, body)
		}
		if refused != nil {
			return nil, refused
		}
		return m.wire, nil
	})
}

func (s *Server) deleteReply(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		in, m, refused := s.addressed(c)
		if refused != nil {
			return nil, refused
		}
		if m == in.original {
			in.thinking = false
		}
		return nil, s.remove(m)
	})
}
