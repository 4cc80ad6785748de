package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxChannelMessages bounds what a channel keeps; older messages are forgotten.
const maxChannelMessages = 1000

// message is a message in a channel. The server's lock guards it.
type message struct {
	wire      wireMessage
	channel   *channel
	visibleTo string // the one user who sees it; empty if all do
	created   time.Time
	deleted   bool
	nonce     json.RawMessage // empty where the bot sent none
	version   int
	history   []View
	pings     []string
	files     []*file
	chosen    map[string][]string // the values that stand in select menus, by whose client it is and which menu
	thread    *channel            // that was started from it; nil where there is none
	changed   notifier
}

// newMessage makes an empty message of the bot.
func (s *Server) newMessage(ch *channel) *message { return s.newMessageBy(s.app.user, ch) }

// newMessageBy makes an empty message.
func (s *Server) newMessageBy(author wireUser, ch *channel) *message {
	now := s.clock.Now()
	return &message{
		channel: ch,
		created: now,
		wire: wireMessage{
			ID: s.ids.next(), ChannelID: ch.id, Author: author, Timestamp: timestamp(now),
			Mentions: []wireUser{}, MentionRoles: []string{}, Attachments: []any{},
			Embeds: []Embed{}, Components: []Component{},
		},
	}
}

// newReply makes the message of a first response or a follow-up.
func (s *Server) newReply(in *interaction, body *messageBody) (*message, *refusal) {
	m := s.newMessage(in.channel)
	if refused := s.apply(body, m); refused != nil {
		return nil, refused
	}
	s.ownReply(in, m, body.Flags.value)
	m.pings = pings(m.wire.Content, body.AllowedMentions, replyMentions)
	s.publish(m)
	return m, nil
}

// newThinking makes the message that says that the bot is thinking: the answer to a
// callback of type 5.
func (s *Server) newThinking(in *interaction, ephemeral bool) *message {
	m := s.newMessage(in.channel)
	flags := flagLoading
	if ephemeral {
		flags |= flagEphemeral
	}
	s.ownReply(in, m, flags)
	s.publish(m)
	return m
}

// ownReply marks a message as an answer to an interaction
// (docs:resources/message#message-object).
func (s *Server) ownReply(in *interaction, m *message, flags int) {
	m.wire.Flags = flags
	m.wire.ApplicationID, m.wire.WebhookID = s.app.id, s.app.id
	m.wire.InteractionMetadata = in.metadata
	switch {
	// docs:resources/message#message-object-message-types
	case in.target != nil:
		m.wire.Type = 23 // CONTEXT_MENU_COMMAND
	case in.kind == kindCommand:
		m.wire.Type = 20 // CHAT_INPUT_COMMAND
	}
	if in.kind == kindCommand && in.answered == 0 {
		m.wire.Interaction = in.invocation()
	}
	if flags&flagEphemeral != 0 {
		m.visibleTo = in.user.id
	}
}

// invocation is what the message that answers a command says of it. Discord
// deprecates it and sends it still
// (docs:interactions/receiving-and-responding#message-interaction-object).
// discord.py finds the handlers of the message's components by it
// (discord/ui/view.py).
func (in *interaction) invocation() map[string]any {
	return map[string]any{"id": in.id, "type": in.kind, "name": strings.TrimPrefix(in.name, "/"), "user": in.user.wire()}
}

// publish puts a new message where it is seen.
func (s *Server) publish(m *message) {
	s.messages[m.wire.ID] = m
	list := append(m.channel.messages, m)
	if len(list) > maxChannelMessages {
		delete(s.messages, list[0].wire.ID)
		list = slices.Delete(list, 0, 1)
	}
	m.channel.messages = list
	if m.visibleTo == "" { // no source says whether one that a single user sees counts
		m.channel.wake(m.created)
	}
	s.touch(m)
}

// edit changes a message. It notifies nobody (#1419).
func (s *Server) edit(m *message, body *messageBody) *refusal {
	if m.deleted {
		return unknownMessage()
	}
	if refused := s.apply(body, m); refused != nil {
		return refused
	}
	m.wire.Flags = m.wire.Flags&^(flagLoading|flagSuppressEmbeds) | body.Flags.value&flagSuppressEmbeds
	m.chosen = nil // #3441 (staff)
	edited := timestamp(s.clock.Now())
	m.wire.EditedTimestamp = &edited
	s.touch(m)
	return nil
}

// resetMenus has clients forget what was chosen in a message, of which nothing else changes.
func (s *Server) resetMenus(m *message) *refusal {
	if m.deleted {
		return unknownMessage()
	}
	m.chosen = nil // #3441 (staff)
	s.note(m)
	return nil
}

// editLimited refuses edits of old messages beyond Discord's tighter limit, by
// the channel's routes. No source says whether it counts by a webhook's, where it
// is not enforced.
func (s *Server) editLimited(m *message) *refusal {
	if s.cfg.NoRateLimits || s.clock.Now().Sub(m.created) <= time.Hour {
		return nil
	}
	return s.limits.takeEdit(m.channel.id)
}

// remove deletes a message.
func (s *Server) remove(m *message) *refusal {
	if m.deleted {
		return unknownMessage()
	}
	m.deleted = true
	delete(s.messages, m.wire.ID)
	m.channel.messages = slices.DeleteFunc(m.channel.messages, func(other *message) bool { return other == m })
	s.touch(m)
	return nil
}

// touch notes a new version of a message and tells those that wait for one.
func (s *Server) touch(m *message) {
	m.version++
	if !s.cfg.Lean {
		m.history = append(m.history, m.view())
	}
	s.note(m)
}

// note tells those that wait for a change of a message.
func (s *Server) note(m *message) {
	m.changed.notify()
	m.channel.changed.notify()
	s.recorder.note(func() Event {
		return Event{Message: &MessageChange{Message: m.view(), VisibleTo: m.visibleTo}}
	})
}

// view is what a person sees of the message.
func (m *message) view() View {
	v := View{
		ID: m.wire.ID, ChannelID: m.channel.id, AuthorID: m.wire.Author.ID, State: Shown, Ephemeral: m.visibleTo != "",
		Content: m.wire.Content, Embeds: m.wire.Embeds, Components: m.wire.Components,
		Pings: m.pings, Version: m.version,
	}
	if m.thread != nil {
		v.ThreadID = m.thread.id
	}
	for _, f := range m.files {
		v.Attachments = append(v.Attachments, f.Attachment)
	}
	switch {
	case m.deleted:
		v.State = Deleted
	case m.wire.Flags&flagLoading != 0:
		v.State = Thinking
	}
	return v
}

// mention matches what can ping in a message's content
// (docs:reference#message-formatting).
var mention = regexp.MustCompile(`@everyone|@here|<@!?(\d+)>|<@&(\d+)>`)

// What pings where allowed_mentions says nothing: in messages all kinds, in
// answers to interactions users alone (docs:resources/message#allowed-mentions-object).
var (
	messageMentions = []string{"users", "roles", "everyone"}
	replyMentions   = []string{"users"}
)

// pings lists the mentions that notify somebody. Those in embeds never do. An
// empty list of ids counts as none, and null as nothing said.
func pings(content string, allowed optional[allowedMentions], unsaid []string) []string {
	parse := allowed.value.Parse
	if !allowed.set || allowed.null {
		parse = unsaid
	}
	var found []string
	for _, match := range mention.FindAllStringSubmatch(content, -1) {
		kind, ids, id := "everyone", []sentID(nil), ""
		switch {
		case match[1] != "":
			kind, ids, id = "users", allowed.value.Users, match[1]
		case match[2] != "":
			kind, ids, id = "roles", allowed.value.Roles, match[2]
		}
		if slices.Contains(parse, kind) || slices.Contains(ids, sentID(id)) {
			found = append(found, match[0])
		}
	}
	return found
}
