package message

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// Mark returns a timestamp for an embed, by which its message can be found in the channel: the second of the
// event, with milliseconds derived from the event's ID to distinguish events of one second.
func Mark(at time.Time, id string) time.Time {
	sum := sha256.Sum256([]byte(id))
	ms := binary.BigEndian.Uint16(sum[:]) % 1000
	return at.UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond)
}

// HasMark reports whether an embed of a message has a mark as its timestamp.
func HasMark(m rest.Posted, mark time.Time) bool {
	return slices.ContainsFunc(m.Embeds, func(e *discordgo.MessageEmbed) bool {
		at, ok := rest.EmbedTime(e.Timestamp)
		return ok && at.Equal(mark)
	})
}

// Time returns markup that Discord shows as a time in the reader's zone and language. Of the styles, T is
// "16:20:30", t "16:20", F a date and a time, and R "5 minutes ago"
// (https://discord.com/developers/docs/reference#message-formatting-timestamp-styles).
func Time(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}
