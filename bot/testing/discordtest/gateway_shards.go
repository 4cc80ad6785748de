package discordtest

import "strconv"

// RecommendShards makes GET /gateway/bot recommend so many shards, which is 1 to begin
// with.
func (s *Server) RecommendShards(n int) {
	s.gateway.becomes(func() { s.gateway.recommended = n })
}

// RequireShards closes with 4011 what identifies from now on for a number of shards
// below n. Discord does so where a shard would serve more than 2,500 guilds
// (docs:topics/opcodes-and-status-codes#gateway-gateway-close-event-codes).
func (s *Server) RequireShards(n int) {
	s.gateway.becomes(func() { s.gateway.required = n })
}

// tooFew reports whether a bot must have more shards than it identifies for.
func (g *gateway) tooFew(shard *[2]int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.required > 1 && (shard == nil || shard[1] < g.required)
}

// Session is a session at the gateway that can be resumed.
type Session struct {
	ID            string
	Shard, Shards int
	Connected     bool
}

// Sessions lists the sessions, oldest first.
func (s *Server) Sessions() []Session {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	s.gateway.sweep()
	list := make([]Session, len(s.gateway.sessions))
	for i, session := range s.gateway.sessions {
		list[i] = Session{session.id, session.shard, session.shards, session.link != nil}
	}
	return list
}

// AddGuilds adds n guilds, each with a channel, which it returns. Of several shards,
// one after the other serves them. A guild knows the global commands alone.
func (s *Server) AddGuilds(n int) []*Channel {
	first, _ := strconv.ParseUint(s.ids.next(), 10, 64)
	channels := make([]*Channel, n)
	for i := range channels {
		guildID := strconv.FormatUint(first+uint64(i)<<22, 10)
		s.Invite(guildID)
		channels[i] = s.AddChannel("guild-" + guildID)
		s.mu.Lock()
		channels[i].record.guildID = guildID
		s.mu.Unlock()
	}
	return channels
}
