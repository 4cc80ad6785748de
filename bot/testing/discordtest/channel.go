package discordtest

import (
	"context"
	"fmt"
	"time"
)

// Access is what the bot may do in a channel. The codes are those of
// docs:topics/opcodes-and-status-codes#json.
type Access int

const (
	// FullAccess lets the bot read and write.
	FullAccess Access = iota
	// MissingAccess hides the channel from the bot, which lacks View Channel:
	// 403, code 50001.
	MissingAccess
	// MissingPermissions lets the bot see but not write, as it lacks Send
	// Messages: 403, code 50013.
	MissingPermissions
	// MissingThreadPermission makes the channel a thread in which the bot may
	// not write, as it lacks Send Messages in Threads: Send Messages has no
	// effect there (docs:topics/threads#permissions): 403, code 50001
	// (PaSympa/discord-mcp#60).
	MissingThreadPermission
	// NoHistory lets the bot write but not read back: it gets an empty list
	// (docs:resources/message#get-channel-messages), and of a single message 403,
	// code 50013.
	NoHistory
	// Archived is a thread that was closed: a message in it cannot be edited
	// (400, code 50083) but deleted, and the next message opens it again
	// (docs:topics/threads#active--archived-threads). Of deleting, reports say
	// the contrary (#2855, cedws/discord-delete#48).
	Archived
	// Locked is a thread that a moderator has closed and locked. From who lacks Manage
	// Threads it also takes no new message, not even in answer to an interaction
	// (400, code 50083: #5517), and none is deleted (docs:topics/threads#locked-threads).
	// With Manage Threads it is as any archived thread.
	Locked
	// LockedOpen is a thread that is locked and not archived, which may be since March
	// 2023. Who lacks Manage Threads may neither write nor edit there, and may delete
	// (docs:topics/threads, #5919, discordjs/discord.js#9216). The documented code for a
	// locked thread is 160005; no report of this one was found, nor of its status.
	LockedOpen
	// Forum makes the channel a forum, which takes messages in its threads alone: code
	// 40058. No source says with which status.
	Forum
	// NewPost is a thread of a forum whose author has not sent the first message yet, such as while a picture
	// is uploaded. It takes none before that: 403, code 40058 (#6340, Pycord-Development/pycord#1637).
	NewPost
	// Gone means that the channel was deleted: 404, code 10003.
	Gone
)

// thread reports whether a channel with the access is a thread.
func (a Access) thread() bool {
	return a == MissingThreadPermission || a == Archived || a == NewPost || a.locked()
}

func (a Access) locked() bool { return a == Locked || a == LockedOpen }

// channel is a text channel, or a DM where guildID is empty. The server's lock
// guards all but the ids and names.
type channel struct {
	id, name string
	guildID  string
	botID    string   // whom overwrites of its own concern
	owner    *profile // of a DM
	opened   bool     // a DM, by the bot
	position int

	group         bool          // a group DM without the bot
	starter       *message      // the message from which a thread was started, which is in the channel around it; nil where there is none
	archivesAfter time.Duration // of a thread; 0 where time does not archive it
	active        time.Time     // when it was last

	access   Access
	granted  Permission // what the bot may do beside what it may everywhere
	denied   Permission
	private  bool // hidden from all members but the bot
	messages []*message
	deleted  map[string]bool // IDs of messages that somebody else than the bot has deleted
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
			return ch.shown(s)
		}
	}
	ch := &channel{
		id: s.ids.next(), name: name, guildID: s.guildID, botID: s.app.id, position: len(s.channelOrder), deleted: make(map[string]bool),
	}
	s.channels[ch.id] = ch
	s.channelOrder = append(s.channelOrder, ch.id)
	return ch.shown(s)
}

func (ch *channel) shown(s *Server) *Channel { return &Channel{ch.id, ch.name, s, ch} }

// Channels returns the guild's text channels in the order they were added.
func (s *Server) Channels() []*Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Channel, len(s.channelOrder))
	for i, id := range s.channelOrder {
		list[i] = s.channels[id].shown(s)
	}
	return list
}

// Allow sets what the bot may do in the channel from now on.
func (ch *Channel) Allow(access Access) {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	ch.record.access, ch.record.active = access, ch.server.clock.Now()
}

// Hide hides the channel from all members of the guild but the bot, as a channel for
// staff is. Users of the server see it all the same.
func (ch *Channel) Hide() {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	ch.record.private = true
}

// Messages returns what everybody in the channel sees, oldest first.
func (ch *Channel) Messages() []View {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	return ch.record.visible("")
}

// Embeds returns the embeds of the messages that everybody in the channel sees,
// oldest first.
func (ch *Channel) Embeds() []Embed {
	list := []Embed{}
	for _, v := range ch.Messages() {
		list = append(list, v.Embeds...)
	}
	return list
}

// Await waits for a message, seen by all, that wanted is content with.
func (ch *Channel) Await(ctx context.Context, wanted func(View) bool) (View, error) {
	found, err := awaitOne(ctx, ch.server, &ch.server.mu, &ch.record.changed, ch.Messages, wanted)
	if err != nil {
		return View{}, fmt.Errorf("#%s: %w", ch.Name, err)
	}
	return found, nil
}

// Delete deletes a message that everybody sees, as a moderator can.
func (ch *Channel) Delete(messageID string) error {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	m := ch.server.messages[messageID]
	if m == nil || m.channel != ch.record || m.visibleTo != "" {
		return fmt.Errorf("#%s: there is no message %s", ch.Name, messageID)
	}
	_ = ch.server.remove(m) // not deleted yet, as it was found
	ch.record.deleted[messageID] = true
	return nil
}

// visible returns what a user sees, or what all see where userID is empty.
func (ch *channel) visible(userID string) []View {
	views := []View{}
	if ch.starter != nil && !ch.starter.deleted { // it stands at the head of the thread as well
		views = append(views, ch.starter.view())
	}
	for _, m := range ch.messages {
		if m.visibleTo == "" || m.visibleTo == userID {
			views = append(views, m.view())
		}
	}
	return views
}
