package message

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

const (
	// latest is how many of a channel's newest messages are searched.
	latest = 50
	// skew is how far the machine's clock may be ahead of Discord's.
	skew = time.Minute
)

// find returns the ID of a message that was sent, but whose answer was lost; "" if it is not there, or if the
// bot may not read the channel. It may then be posted: Discord knows its nonce for a few minutes and would not
// post it twice (https://discord.com/developers/docs/resources/message#create-message).
func find(ctx context.Context, discord Discord, s State, w Wanted) (id string, err error) {
	is := w.Is
	if is == nil {
		is = func(m rest.Posted) bool { return alike(m, w.Message) }
	}
	posted, err := discord.LatestMessages(ctx, w.ChannelID, latest)
	if err != nil && !refused(err) {
		return "", err
	}
	since := time.UnixMilli(s.Tried).Add(-skew)
	if since.After(time.Now()) { // a clock was wrong: search all
		since = time.Time{}
	}
	for _, m := range posted {
		at, err := discordgo.SnowflakeTimestamp(m.ID)
		if err == nil && at.After(since) && m.ID != s.ID && is(m) {
			return m.ID, nil
		}
	}
	return "", nil
}

// alike reports whether a posted message has the same buttons as the one that was sent. If that has no buttons,
// the texts are compared.
func alike(posted rest.Posted, sent interaction.Message) bool {
	wanted := sent.ButtonIDs()
	if len(wanted) == 0 {
		return sent.Content != "" && posted.Content == sent.Content
	}
	return slices.Equal(posted.ButtonIDs(), wanted)
}
