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
	// latest is how many messages of a channel are looked at to find one that may be there.
	latest = 50
	// skew is by how much the machine's clock may be ahead of Discord's.
	skew = time.Minute
)

// find returns the ID of the message that may be there as the answer to its post was lost; ""
// if it is not there, or if the bot may not read the channel. Discord knows a nonce for a few
// minutes and posts nothing then
// (https://discord.com/developers/docs/resources/message#create-message), so who finds no
// message may post it.
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
	if since.After(time.Now()) { // a clock was wrong: it says nothing of which are older
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

// alike reports whether a message in a channel has the same buttons as the one that was sent
// or, if that has no buttons, the same text.
func alike(posted rest.Posted, sent interaction.Message) bool {
	wanted := sent.ButtonIDs()
	if len(wanted) == 0 {
		return sent.Content != "" && posted.Content == sent.Content
	}
	return slices.Equal(posted.ButtonIDs(), wanted)
}
