package discordtest

import (
	"context"
	"fmt"
)

// profile is a person. Its locale, roles, dm and forms can change; the server's lock
// guards them.
type profile struct {
	id, name    string
	locale      string
	roles       []string // ids
	permissions uint64
	dmsClosed   bool
	blocks      bool              // the bot
	dm          *channel          // made at the first use
	forms       map[string]*Modal // as they were first seen, by custom id
}

// sees returns the form that a person sees who is sent one: on a phone that of the first time its custom
// id was seen, with what stood in its fields then (#7554, freya022/BotCommands#150).
func (p *profile) sees(sent *Modal) *Modal {
	first, seen := p.forms[sent.CustomID]
	if !seen {
		if p.forms == nil {
			p.forms = make(map[string]*Modal)
		}
		sent.Components = numbered(sent.Components)
		first, p.forms[sent.CustomID] = sent, sent
	}
	return first
}

// UserOption says how a new user is to be.
type UserOption func(*profile)

// Locale sets the language of the user's client; en-US otherwise.
func Locale(locale string) UserOption { return func(p *profile) { p.locale = locale } }

// Permissions sets what the user may do in the guild, as Discord's bits.
func Permissions(bits uint64) UserOption { return func(p *profile) { p.permissions = bits } }

// Roles gives the user roles of the guild by their ids.
func Roles(ids ...string) UserOption { return func(p *profile) { p.roles = ids } }

// memberPermissions is what everybody may do: view, send, embed, attach, read
// history, use commands and the like
// (docs:topics/permissions#permissions-bitwise-permission-flags).
const memberPermissions = 2248473465835073

// botPermissions is what the bot may do where a channel says nothing else.
const botPermissions = 0x400 | 0x800 | 0x4000 | 0x8000 | 0x10000 | CreatePublicThreads | permissionSendThreads

// dmPermissions is what the bot may do in the DM with a user: attach files,
// embed links, mention everyone and use external emojis
// (docs:interactions/receiving-and-responding#interaction-object).
const dmPermissions = 1<<15 | 1<<14 | 1<<17 | 1<<18

// User is a person who looks at a channel: a DM with the bot or a channel of
// the guild, "general" to begin with.
type User struct {
	ID, Name string
	Locale   string // as it was when the User was asked for; SetLocale changes it for the server

	server  *Server
	profile *profile
	channel *channel
}

// User returns the user of that name and makes one, with the options, where
// there is none.
func (s *Server) User(name string, options ...UserOption) *User {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.users[name]
	if p == nil {
		p = &profile{id: s.ids.next(), name: name, locale: "en-US", permissions: memberPermissions}
		for _, option := range options {
			option(p)
		}
		s.users[name] = p
	}
	return s.person(p, s.channels[s.channelOrder[0]])
}

// person returns somebody who looks at a channel. The server's lock is held.
func (s *Server) person(p *profile, ch *channel) *User {
	return &User{ID: p.id, Name: p.name, Locale: p.locale, server: s, profile: p, channel: ch}
}

// locale is the language of the user's client now; SetLocale may have changed
// it since Locale was noted.
func (u *User) locale() string {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	return u.profile.locale
}

// SetLocale changes the language of the user's client; what the user does from
// now on says so.
func (u *User) SetLocale(locale string) { u.becomes(Locale(locale)) }

// becomes changes what the user is.
func (u *User) becomes(change UserOption) {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	change(u.profile)
}

// CloseDMs says whether the user takes no direct messages from now on, except from
// friends. Discord has answered that with a code of its own since March 2026
// (discord-api-docs#8212 and #8238).
func (u *User) CloseDMs(closed bool) { u.becomes(func(p *profile) { p.dmsClosed = closed }) }

// Block says whether the user blocks the bot from now on.
func (u *User) Block(blocks bool) { u.becomes(func(p *profile) { p.blocks = blocks }) }

// In returns the user looking at a channel.
func (u *User) In(ch *Channel) *User {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	return u.server.person(u.profile, ch.record)
}

// InDM returns the user looking at the DM with the bot.
func (u *User) InDM() *User {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	return u.server.person(u.profile, u.server.dm(u.profile))
}

// withID returns the person with an id, or nil. The server's lock is held.
func (s *Server) withID(id string) *profile {
	for _, p := range s.users {
		if p.id == id {
			return p
		}
	}
	return nil
}

// dm returns the DM of a user with the bot. The server's lock is held.
func (s *Server) dm(p *profile) *channel {
	if p.dm == nil {
		p.dm = &channel{id: s.ids.next(), owner: p}
		s.channels[p.dm.id] = p.dm
	}
	return p.dm
}

// ChannelID is the channel that the user looks at.
func (u *User) ChannelID() string { return u.channel.id }

// Messages returns what the user sees in the channel, oldest first.
func (u *User) Messages() []View {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	return u.channel.visible(u.ID)
}

// Await waits for a message in the channel, seen by the user, that wanted is content
// with.
func (u *User) Await(ctx context.Context, wanted func(View) bool) (View, error) {
	found, err := awaitOne(ctx, u.server, &u.server.mu, &u.channel.changed, u.Messages, wanted)
	if err != nil {
		return View{}, fmt.Errorf("%s: %w", u.Name, err)
	}
	return found, nil
}

// wire is the user as Discord shows one.
func (p *profile) wire() wireUser {
	name := p.name
	return wireUser{ID: p.id, Username: p.name, Discriminator: "0", GlobalName: &name}
}
