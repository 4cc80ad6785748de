package discordtest

import "slices"

// AddForeignChannel adds a channel of a guild in which the bot is not, with that guild. The
// application is there for those alone who have installed it for themselves: they use its
// global commands, and it answers them; but the bot's token has no access (#5316: "when the
// bot is not in the guild"; 403, code 50001). Invite adds the bot to the guild.
func (s *Server) AddForeignChannel(name string) *Channel {
	guildID := s.AddGuild()
	return s.addElsewhere(&channel{name: name, guildID: guildID})
}

// AddPrivateChannel adds a group DM between people, in which the application is by
// installations of users alone. The bot's token has no access.
// (docs:interactions/receiving-and-responding#interaction-object-interaction-context-types).
func (s *Server) AddPrivateChannel(name string) *Channel {
	return s.addElsewhere(&channel{name: name, group: true})
}

func (s *Server) addElsewhere(ch *channel) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch.id, ch.botID, ch.deleted = s.ids.next(), s.app.id, make(map[string]bool)
	s.channels[ch.id] = ch
	return ch.shown(s)
}

// foreign reports whether the bot is not where the channel is.
func (s *Server) foreign(ch *channel) bool { return ch.group || !s.commands.isMember(ch.guildID) }

func (st *commandStore) isMember(guildID string) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return guildID == "" || st.guilds[guildID]
}

// Contexts of an interaction
// (docs:interactions/receiving-and-responding#interaction-object-interaction-context-types).
const (
	contextGuild   = 0
	contextBotDM   = 1
	contextPrivate = 2
)

func (ch *channel) context() int {
	switch {
	case ch.guildID != "":
		return contextGuild
	case ch.group:
		return contextPrivate
	}
	return contextBotDM
}

// foreignPermissions are what the response to an interaction may do where the bot is not: in
// a guild what everybody may, and embed links and attach files in any case (#5316); between
// people these two and mention everyone
// (docs:interactions/receiving-and-responding#interaction-object).
func (ch *channel) foreignPermissions() Permission {
	if ch.group {
		return EmbedLinks | AttachFiles | permissionMentionEveryone
	}
	return memberPermissions | EmbedLinks | AttachFiles
}

const permissionMentionEveryone Permission = 1 << 17

// owners says who has installed the application where somebody uses it
// (docs:interactions/receiving-and-responding#interaction-object-authorizing-integration-owners-object):
// "0" is the guild, or "0" in the DM with the bot, and "1" the user. Here a user has done so
// only where that is the one way.
func (s *Server) owners(in *interaction) map[string]any {
	switch {
	case s.foreign(in.channel):
		return map[string]any{"1": in.user.id}
	case in.channel.guildID == "":
		return map[string]any{"0": "0"}
	}
	return map[string]any{"0": in.channel.guildID}
}

// forUsers reports whether a command comes with the installation by a user
// (docs:interactions/application-commands#installation-context).
func (st *commandStore) forUsers(c *Command) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	installs := c.IntegrationTypes
	if installs == nil {
		installs = st.defaultInstalls(c.GuildID)
	}
	return slices.Contains(installs, UserInstall)
}

// GuildID is the guild of the channel; empty for one between people.
func (ch *Channel) GuildID() string { return ch.record.guildID }
