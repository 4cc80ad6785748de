package discordtest

import (
	"net/http"
	"strconv"
)

// The bits of permissions that overwrites name
// (docs:topics/permissions#permissions-bitwise-permission-flags).
const (
	permissionView        = 1 << 10
	permissionSend        = 1 << 11
	permissionHistory     = 1 << 16
	permissionSendThreads = 1 << 38
)

// getChannel answers with a channel (docs:resources/channel#get-channel).
func (s *Server) getChannel(c *call) (any, *refusal) {
	return s.locked(func() (any, *refusal) {
		if c.r.PathValue("channel") == s.guildID {
			return s.threadsParent(), nil
		}
		ch, refused := s.readable(c)
		if refused != nil {
			return nil, refused
		}
		wire := ch.seen(s.clock.Now())
		delete(wire, "permissions") // interactions alone have them
		return wire, nil
	})
}

// threadsParent is the channel of all threads, which have the guild's id for their
// parent's. It says what the bot may do in them. The server's lock is held.
func (s *Server) threadsParent() map[string]any {
	parent := &channel{id: s.guildID, name: "threads", guildID: s.guildID, botID: s.app.id}
	wire := parent.wire()
	delete(wire, "permissions")
	for _, ch := range s.channels {
		if ch.thread() {
			parent.granted |= ch.granted
			parent.denied |= ch.denied
			parent.private = parent.private || ch.private
		}
		if ch.access == MissingThreadPermission {
			parent.access = ch.access
		}
	}
	wire["permission_overwrites"] = parent.overwrites(parent.access)
	return wire
}

// overwrites are those by which a guild's channel lets the bot do what an access
// says (docs:resources/channel#overwrite-object): type 0 is a role's, 1 a member's. The
// bot's own overwrite has the bot's user ID, which is the application's here.
func (ch *channel) overwrites(access Access) []any {
	overwrite := func(id string, kind int, allow, deny Permission) any {
		return map[string]any{"id": id, "type": kind, "allow": strconv.Itoa(int(allow)), "deny": strconv.Itoa(int(deny))}
	}
	list := []any{}
	if ch.private {
		list = append(list, overwrite(ch.guildID, 0, 0, permissionView))
	}
	denied := ch.denied | map[Access]Permission{
		MissingPermissions: permissionSend, NoHistory: permissionHistory, MissingThreadPermission: permissionSendThreads,
	}[access]
	if ch.private || ch.granted|denied != 0 {
		list = append(list, overwrite(ch.botID, 1, permissionView|ch.granted, denied))
	}
	return list
}

// getGuild answers with a guild that the bot is in (docs:resources/guild#get-guild). No
// source says how it refuses others; here as it refuses their commands. Of the guilds
// that AddGuild makes there is no more than the id.
func (s *Server) getGuild(c *call) (any, *refusal) {
	id := c.r.PathValue("guild")
	if refused := s.commands.admit(id); refused != nil {
		refused.innocent = true
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		guild := s.wireGuild()
		if id != s.guildID {
			guild["id"], guild["roles"] = id, []any{}
		}
		return guild, nil
	})
}

// getMember answers with a member (docs:resources/guild#get-guild-member), which needs
// no intent. All users of the server are members of its guild.
func (s *Server) getMember(c *call) (any, *refusal) {
	if _, refused := s.getGuild(c); refused != nil {
		return nil, refused
	}
	return s.locked(func() (any, *refusal) {
		id := c.r.PathValue("user")
		p := s.withID(id)
		switch {
		case id == s.app.id:
			return s.botMember(), nil
		case p == nil || c.r.PathValue("guild") != s.guildID:
			return nil, denied(http.StatusNotFound, CodeUnknownMember, "Unknown Member")
		}
		member := p.member()
		delete(member, "permissions") // interactions alone have them
		return member, nil
	})
}
