package discordtest

import "net/http"

// Permission is something that the bot may do in a channel, beside what an Access says. The
// bits are those of docs:topics/permissions#permissions-bitwise-permission-flags.
type Permission int

// The permissions that the server heeds one by one. The bot has the first three everywhere
// unless a channel takes them away, and the last one where a channel grants it.
const (
	EmbedLinks          Permission = 1 << 14
	AttachFiles         Permission = 1 << 15
	CreatePublicThreads Permission = 1 << 35
	ManageThreads       Permission = 1 << 34
)

// Grant gives the bot permissions in the channel, by an overwrite of its own.
func (ch *Channel) Grant(p Permission) {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	ch.record.granted |= p
	ch.record.denied &^= p
}

// Deny takes permissions from the bot in the channel, by an overwrite of its own.
func (ch *Channel) Deny(p Permission) {
	ch.server.mu.Lock()
	defer ch.server.mu.Unlock()
	ch.record.denied |= p
	ch.record.granted &^= p
}

// botPermissions are those of the bot in the channel, as an interaction from there names
// them. In a DM it always may embed links and attach files
// (docs:interactions/receiving-and-responding#interaction-object).
func (ch *channel) botPermissions() Permission {
	if ch.guildID == "" {
		return dmPermissions
	}
	may := (botPermissions | ch.granted) &^ ch.denied
	if ch.access == MissingThreadPermission {
		may &^= permissionSendThreads
	}
	return may
}

func (ch *channel) may(p Permission) bool { return ch.botPermissions()&p == p }

// permitted refuses a message, or takes from it, what the bot may not show in the channel.
//
// Without Embed Links a new message of nothing but embeds is refused. One that has text or
// components is taken, and its embeds are dropped without a word; so it is with any edit
// (#2601, alike #5648 and #8108). No source says how it is with a message of embeds and
// files; it is taken here. An edit that leaves nothing is refused as an empty message
// (#5648), which apply does.
//
// Without Attach Files a message with files is refused (ahmadrosid/nakama#205). No source
// says how it is with an edit; it is refused here as well.
//
// This holds for what is sent with the bot's token. Responses to interactions show embeds and
// files all the same (docs:change-log#calculated-permissions-in-interaction-payloads; a
// report of an embed that went through there alone is discordjs/discord.js#7544).
func (ch *channel) permitted(b *messageBody, created bool) *refusal {
	if len(b.files) > 0 && !ch.may(AttachFiles) {
		return denied(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
	}
	if len(b.Embeds.value) == 0 || ch.may(EmbedLinks) {
		return nil
	}
	if created && b.Content.value == "" && len(b.Components.value) == 0 && len(b.files) == 0 {
		return denied(http.StatusForbidden, CodeMissingPermissions, "Missing Permissions")
	}
	b.Embeds.value = nil
	return nil
}
