package discordtest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// Access is what the bot may do in a channel.
type Access int

const (
	// FullAccess lets the bot read and write.
	FullAccess Access = iota
	// MissingAccess hides the channel from the bot: 403, code 50001.
	MissingAccess
	// MissingPermissions lets the bot see but not write: 403, code 50013.
	MissingPermissions
	// Gone means that the channel was deleted: 404, code 10003.
	Gone
)

// channel is a text channel, or a DM where guildID is empty. The server's lock
// guards all but the ids and names.
type channel struct {
	id, name string
	guildID  string
	owner    *profile // of a DM
	position int

	access   Access
	messages []*message
	changed  notifier
}

// Channel is a text channel of the guild.
type Channel struct {
	ID, Name string

	server *Server
	record *channel
}

// AddChannel adds a text channel to the guild or returns the one of that name.
func (s *Server) AddChannel(name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.channelOrder {
		if ch := s.channels[id]; ch.name == name {
			return &Channel{ch.id, ch.name, s, ch}
		}
	}
	ch := &channel{id: s.ids.next(), name: name, guildID: s.guildID, position: len(s.channelOrder)}
	s.channels[ch.id] = ch
	s.channelOrder = append(s.channelOrder, ch.id)
	return &Channel{ch.id, ch.name, s, ch}
}

// Channels returns the guild's text channels in the order they were added.
func (s *Server) Channels() []*Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Channel, len(s.channelOrder))
	for i, id := range s.channelOrder {
		ch := s.channels[id]
		list[i] = &Channel{ch.id, ch.name, s, ch}
	}
	return list
}

// Allow sets what the bot may do in the channel from now on.
func (ch *Channel) Allow(access Access) {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	ch.record.access = access
}

// Messages returns what everybody in the channel sees, oldest first.
func (ch *Channel) Messages() []View {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	return ch.record.visible("")
}

// Await waits for a message, seen by all, that wanted is content with.
func (ch *Channel) Await(ctx context.Context, wanted func(View) bool) (View, error) {
	for {
		ch.server.mu.Lock()
		views, changed := ch.record.visible(""), ch.record.changed.next()
		ch.server.mu.Unlock()
		for _, v := range views {
			if wanted(v) {
				return v, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return View{}, fmt.Errorf("#%s: %w", ch.Name, ctx.Err())
		case <-ch.server.done:
			return View{}, errClosed
		}
	}
}

// visible returns what a user sees, or what all see where userID is empty.
func (ch *channel) visible(userID string) []View {
	views := []View{}
	for _, m := range ch.messages {
		if m.visibleTo == "" || m.visibleTo == userID {
			views = append(views, m.view())
		}
	}
	return views
}

// writable returns the channel of a call in which the bot wants to write.
func (s *Server) writable(c *call) (*channel, *refusal) {
	ch, refused := s.readable(c)
	if refused == nil && ch.access == MissingPermissions {
		refused = refuse(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
		refused.innocent = true
	}
	return ch, refused
}

func (s *Server) readable(c *call) (*channel, *refusal) {
	ch := s.channels[c.r.PathValue("channel")]
	if ch == nil || ch.access == Gone {
		refused := refuse(http.StatusNotFound, CodeUnknownChannel, "Unknown Channel")
		refused.innocent = ch != nil
		return nil, refused
	}
	if ch.access == MissingAccess {
		refused := refuse(http.StatusForbidden, CodeMissingAccess, "Missing Access")
		refused.innocent = true
		return nil, refused
	}
	return ch, nil
}

// inChannel returns the message that a call names. Ephemeral messages are out
// of its reach.
func (s *Server) inChannel(c *call) (*message, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	m := s.messages[c.r.PathValue("message")]
	if m == nil || m.channel != ch || m.visibleTo != "" {
		return nil, unknownMessage()
	}
	return m, nil
}

// postDM opens the DM with a user.
func (s *Server) postDM(c *call) (any, *refusal) {
	var body struct {
		RecipientID string `json:"recipient_id"`
	}
	if refused := c.decode(&body); refused != nil {
		return nil, refused
	}
	p := &problems{}
	if body.RecipientID == "" {
		p.required("recipient_id")
	}
	if refused := s.check(c, p, "CreatePrivateChannelRequest"); refused != nil {
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		if user := s.withID(body.RecipientID); user != nil {
			return s.dm(user).wire(), nil
		}
		return nil, refuse(http.StatusNotFound, CodeUnknownUser, "Unknown User")
	})
}

// readMessage reads a message, which may have these flags, and checks it by the
// rules and against a component of Discord's description.
func (s *Server) readMessage(c *call, flags int, schema string) (*messageBody, *refusal) {
	body := &messageBody{}
	if refused := c.decode(body); refused != nil {
		return nil, refused
	}
	p := &problems{}
	body.validate(p, "", flags)
	return body, s.check(c, p, schema)
}

const channelFlags = flagSuppressEmbeds | flagSuppressNotifications

func (s *Server) postMessage(c *call) (any, *refusal) {
	if _, refused := s.locked(func() (any, *refusal) { _, refused := s.writable(c); return nil, refused }); refused != nil {
		return nil, refused
	}
	body, refused := s.readMessage(c, channelFlags, "MessageCreateRequest")
	if refused != nil {
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		ch, refused := s.writable(c)
		if refused != nil {
			return nil, refused
		}
		m := s.newMessage(ch)
		if refused := body.applyTo(&m.wire); refused != nil {
			return nil, refused
		}
		m.wire.Flags = body.Flags.value
		m.pings = pings(m.wire.Content, body.AllowedMentions)
		s.publish(m)
		return m.wire, nil
	})
}

func (s *Server) getMessages(c *call) (any, *refusal) {
	limit := 50
	if text := c.r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			p := &problems{}
			p.add("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
			return nil, p.refusal()
		}
		limit = n
	}
	return s.locked(func() (any, *refusal) {
		ch, refused := s.readable(c)
		if refused != nil {
			return nil, refused
		}
		newest := []wireMessage{}
		for _, m := range slices.Backward(ch.messages) {
			if m.visibleTo == "" && len(newest) < limit {
				newest = append(newest, m.wire)
			}
		}
		return newest, nil
	})
}

func (s *Server) getMessage(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		m, refused := s.inChannel(c)
		if refused != nil {
			return nil, refused
		}
		return m.wire, nil
	})
}

func (s *Server) patchMessage(c *call) (any, *refusal) {
	if _, refused := s.getMessage(c); refused != nil {
		return nil, refused
	}
	body, refused := s.readMessage(c, channelFlags, "MessageEditRequestPartial")
	if refused != nil {
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		m, refused := s.inChannel(c)
		if refused != nil {
			return nil, refused
		}
		if refused := s.editLimited(m); refused != nil {
			return nil, refused
		}
		if refused := s.edit(m, body); refused != nil {
			return nil, refused
		}
		return m.wire, nil
	})
}

func (s *Server) deleteMessage(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		m, refused := s.inChannel(c)
		if refused != nil {
			return nil, refused
		}
		return nil, s.remove(m)
	})
}
