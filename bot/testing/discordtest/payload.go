package discordtest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// attachmentLimit is what a guild without boosts allows, in bytes
// (docs:reference#uploading-files).
const attachmentLimit = 10 << 20

// interactionToken returns a token that nobody guesses. It looks as Discord's do:
// base64 of "interaction:", the id and more, in all 212 characters, none of which
// is special in an address (germanoeich/nirn-proxy bucketpath.go,
// Snazzah/slash-create#334).
func interactionToken(id string) string {
	const length = 159 // which base64 makes 212
	text := "interaction:" + id + ":"
	for len(text) < length {
		text += rand.Text()
	}
	return base64.StdEncoding.EncodeToString([]byte(text[:length]))
}

// newSessionID returns the id of a session at the gateway.
func newSessionID() string { return strings.ToLower(rand.Text()) }

// newBotToken returns a token for the bot with an id. The first of its three parts
// is the id in base64, as in the examples of Discord's documentation
// (docs:reference#authentication). disgo reads the id from there
// (internal/tokenhelper).
func newBotToken(id string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(id)) + "." + rand.Text()[:6] + "." + rand.Text()
}

// payload builds the data of an INTERACTION_CREATE
// (docs:interactions/receiving-and-responding#interaction-object) and of the
// metadata that the answers carry.
func (s *Server) payload(in *interaction, data map[string]any) (json.RawMessage, error) {
	owners, foreign := s.owners(in), s.foreign(in.channel)
	s.mu.Lock()
	locale, member, channel, may := in.user.locale, in.user.member(), in.channel.seen(s.clock.Now()), in.channel.botPermissions()
	s.mu.Unlock()
	if foreign {
		may = in.channel.foreignPermissions()
	}
	event := map[string]any{
		"id": in.id, "application_id": s.app.id, "type": in.kind, "token": in.token, "version": 1,
		"data": data, "channel_id": in.channel.id, "channel": channel,
		"app_permissions": strconv.Itoa(int(may)), "locale": locale,
		"entitlements": []any{}, "authorizing_integration_owners": owners,
		"attachment_size_limit": attachmentLimit, "context": in.channel.context(),
	}
	if in.channel.guildID == "" {
		event["user"] = in.user.wire()
	} else {
		event["guild_id"], event["guild_locale"] = in.channel.guildID, guildLocale
		event["guild"] = map[string]any{"id": in.channel.guildID, "locale": guildLocale, "features": []any{}}
		event["member"] = member
	}
	metadata := map[string]any{
		"id": in.id, "type": in.kind, "user": in.user.wire(), "authorizing_integration_owners": owners,
	}
	if in.target != nil {
		metadata["target_user"] = in.target.wire()
	}
	if in.source != nil {
		s.mu.Lock()
		source := in.source.wire
		s.mu.Unlock()
		event["message"] = source
		metadata["interacted_message_id"] = source.ID
	}
	if in.opener != nil {
		metadata["triggering_interaction_metadata"] = in.opener.metadata
		delete(metadata, "interacted_message_id")
	}
	in.metadata = metadata

	encoded, err := json.Marshal(event)
	if err != nil {
		return nil, fmt.Errorf("discordtest: %w", err)
	}
	if err := s.schemas.checkEvent(encoded); err != nil {
		return nil, fmt.Errorf("discordtest: the event is not as Discord's: %w", err)
	}
	return encoded, nil
}

// member is the user as a member of the guild. The server's lock is held.
func (p *profile) member() map[string]any {
	return map[string]any{
		"user": p.wire(), "roles": append([]string{}, p.roles...), "joined_at": "2024-01-01T00:00:00.000000+00:00",
		"deaf": false, "mute": false, "flags": 0, "pending": false, "permissions": strconv.FormatUint(p.permissions, 10),
		"nick": nil, "avatar": nil, "premium_since": nil, "communication_disabled_until": nil,
	}
}

// wire is the channel as interactions show it. The server's lock is held.
func (ch *channel) wire() map[string]any {
	if ch.group {
		return map[string]any{"id": ch.id, "type": 3, "name": ch.name, "flags": 0, "recipients": []any{}}
	}
	if ch.guildID == "" {
		return map[string]any{"id": ch.id, "type": 1, "name": nil, "flags": 0, "recipients": []any{ch.owner.wire()}}
	}
	if ch.thread() {
		ended, parent := ch.access == Archived || ch.access == Locked, ch.guildID
		if ch.starter != nil {
			parent = ch.starter.channel.id
		}
		return map[string]any{
			"id": ch.id, "type": 11, "name": ch.name, "guild_id": ch.guildID, "parent_id": parent, "flags": 0,
			"permissions": strconv.Itoa(memberPermissions), "rate_limit_per_user": 0, "last_message_id": nil,
			"thread_metadata": map[string]any{
				"archived": ended, "locked": ch.access.locked(), "auto_archive_duration": 1440, "archive_timestamp": "2024-01-01T00:00:00+00:00",
			},
		}
	}
	kind := 0
	if ch.access == Forum {
		kind = 15
	}
	return map[string]any{
		"id": ch.id, "type": kind, "name": ch.name, "guild_id": ch.guildID, "position": ch.position,
		"permissions": strconv.Itoa(memberPermissions), "flags": 0, "nsfw": false, "parent_id": nil,
		"permission_overwrites": ch.overwrites(ch.access), "rate_limit_per_user": 0, "topic": nil, "last_message_id": nil,
	}
}
