package discordtest

import (
	"encoding/json"
	"maps"
	"strconv"
)

// intentGuilds asks for the events about guilds.
const intentGuilds = 1 << 0

// guildCreate is the data of GUILD_CREATE: the guild that READY named as
// unavailable, with its channels and roles. Without the intent for presences the
// bot is the only member in it (docs:events/gateway-events#guild-create).
func (s *Server) guildCreate() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	guild := s.wireGuild()
	maps.Copy(guild, map[string]any{
		"channels": s.wireChannels(), "members": []any{s.botMember()},
		"joined_at": timestamp(s.clock.Now()), "large": false, "unavailable": false, "member_count": len(s.users) + 1,
	})
	for _, empty := range []string{"threads", "presences", "voice_states", "stage_instances", "guild_scheduled_events", "soundboard_sounds"} {
		guild[empty] = []any{}
	}
	return encode(guild)
}

// wireGuild is the guild with the members that Discord's description requires of a
// GuildResponse. The server's lock is held.
func (s *Server) wireGuild() map[string]any {
	guild := map[string]any{
		"id": s.guildID, "name": "Guild", "owner_id": s.app.owner.ID, "preferred_locale": guildLocale,
		"roles": s.wireRoles(), "features": []any{}, "emojis": []any{}, "stickers": []any{},
		"verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw": false, "nsfw_level": 0, "premium_tier": 0, "premium_subscription_count": 0, "premium_progress_bar_enabled": false,
		"afk_timeout": 300, "system_channel_flags": 0, "widget_enabled": false, "region": "deprecated",
		"max_members": 500_000, "max_video_channel_users": 25, "max_stage_video_channel_users": 50,
	}
	for _, none := range []string{
		"icon", "description", "home_header", "splash", "discovery_splash", "banner", "application_id", "vanity_url_code", "max_presences",
		"afk_channel_id", "system_channel_id", "widget_channel_id", "rules_channel_id", "safety_alerts_channel_id",
		"public_updates_channel_id", "incidents_data",
	} {
		guild[none] = nil
	}
	return guild
}

// wireRoles lists the guild's roles, of which the first is everybody's and has the
// guild's id. The server's lock is held.
func (s *Server) wireRoles() []map[string]any {
	everyone := s.wireRole(&Role{ID: s.guildID, Name: "@everyone"})
	everyone["position"], everyone["permissions"] = 0, strconv.Itoa(memberPermissions)
	list := []map[string]any{everyone}
	for _, role := range s.roles {
		list = append(list, s.wireRole(role))
	}
	return list
}

// wireChannels lists the guild's channels, also those that the bot cannot read.
// The server's lock is held.
func (s *Server) wireChannels() []map[string]any {
	list := []map[string]any{}
	for _, id := range s.channelOrder {
		ch := s.channels[id]
		if ch.access == Gone {
			continue
		}
		wire := ch.wire()
		delete(wire, "permissions") // interactions alone have them
		list = append(list, wire)
	}
	return list
}

// botMember is the bot as a member of the guild.
func (s *Server) botMember() map[string]any {
	return map[string]any{
		"user": s.app.user, "roles": []string{}, "joined_at": timestamp(s.clock.Now()), "deaf": false, "mute": false,
		"flags": 0, "pending": false, "nick": nil, "avatar": nil, "premium_since": nil, "communication_disabled_until": nil,
	}
}
