package message

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// Mark returns the time of an embed by which a message is found in its channel: when what it tells of
// happened, with milliseconds that tell messages apart whose events were in one second. The ID is that
// of what the message is about.
func Mark(at time.Time, id string) time.Time {
	sum := sha256.Sum256([]byte(id))
	ms := binary.BigEndian.Uint16(sum[:]) % 1000
	return at.UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond)
}

// HasMark reports whether an embed of a message has a time as its mark.
func HasMark(m rest.Posted, mark time.Time) bool {
	return slices.ContainsFunc(m.Embeds, func(e *discordgo.MessageEmbed) bool {
		at, ok := rest.EmbedTime(e.Timestamp)
		return ok && at.Equal(mark)
	})
}
