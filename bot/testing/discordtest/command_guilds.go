package discordtest

import "net/http"

// AddGuild makes a further guild, for commands alone, and returns its id. The bot
// is not in it until Invite is called.
func (s *Server) AddGuild() string {
	id := s.ids.next()
	s.commands.setMember(id, false)
	return id
}

// Invite adds the bot to a guild, with the scopes bot and applications.commands.
func (s *Server) Invite(guildID string) { s.commands.setMember(guildID, true) }

// Kick removes the bot from a guild, and its commands there. They do not come back when the bot is invited
// again (discordjs/discord.js#10321).
func (s *Server) Kick(guildID string) {
	s.commands.setMember(guildID, false)
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	delete(s.commands.scopes, guildID)
}

func (st *commandStore) setMember(guildID string, member bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.guilds[guildID] = member
}

// admit refuses commands of a guild that the bot is not in (discord.py#8106).
// That is the bot's mistake only where there is no such guild.
func (st *commandStore) admit(guildID string) *refusal {
	st.mu.Lock()
	defer st.mu.Unlock()
	member, known := st.guilds[guildID]
	if guildID == "" || member {
		return nil
	}
	refused := refuse(http.StatusForbidden, CodeMissingAccess, "Missing Access")
	refused.innocent = known
	return refused
}
