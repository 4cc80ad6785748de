// Package message keeps one of the bot's messages up to date: it posts and edits it, reposts it if Discord takes
// no edit, and deletes it.
//
// The caller draws the content each time, and keeps the message's State in a record, so that another process can
// go on.
package message

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// State is what is known of a message.
type State struct {
	ID    string `json:"id,omitempty"`   // "" until it is posted
	Hash  string `json:"hash,omitempty"` // of its content; "" if that is not known
	Posts int    `json:"posts"`          // how often it was posted
	// Tried is when a post was first tried whose outcome is not known, in Unix ms; 0 otherwise.
	Tried int64 `json:"tried,omitempty"`
	// Stale is the ID of the message that this one replaces, until that is deleted.
	Stale string `json:"stale,omitempty"`
	// Left are the IDs of the last mostLeft messages that Discord refused to delete.
	Left []string `json:"left,omitempty"`
}

// mostLeft bounds State.Left, as the caller's final deletion takes a request for each.
const mostLeft = 5

// Discord is the part of rest.Client that messages need. Errors are *rest.Error.
type Discord interface {
	CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error)
	EditMessage(ctx context.Context, channelID, messageID string, m interaction.Message) error
	DeleteMessage(ctx context.Context, channelID, messageID string) error
	LatestMessages(ctx context.Context, channelID string, limit int) ([]rest.Posted, error)
}

// Wanted is what a message should become.
type Wanted struct {
	ChannelID string
	// Name is unique among the bot's messages, and 20 bytes at most. With State.Posts it makes the nonce.
	Name string
	interaction.Message
	// Repost replaces the message by a new one: unlike an edit, that notifies the channel's readers, unless the
	// message is silent.
	Repost bool
	// Bare returns the content if the bot may not embed links. If it is nil, the message stays as Discord made
	// it.
	Bare func() interaction.Message
	// Is reports whether a message of the channel is this one, whatever its content. If it is nil, a message
	// with the same buttons is, or one with the same text if this one has no buttons.
	Is func(rest.Posted) bool
	// Save saves the state before a message is posted.
	Save func(context.Context, State) error
}

// Hash returns a hash of a message's content, without the timestamps of embeds.
func Hash(m interaction.Message) string {
	embeds := make([]discordgo.MessageEmbed, len(m.Embeds))
	for i, e := range m.Embeds {
		embeds[i] = *e
		embeds[i].Timestamp = ""
	}
	text, _ := json.Marshal([]any{m.Content, embeds, m.Components}) // texts and numbers can always be encoded
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Show posts, edits or reposts a message, and returns its new state, also with an error: a *rest.Error, or that
// of Save. Without Wanted.Repost, a message that replaces another notifies nobody.
//
// If rest.LacksEmbeds holds for the error, the message is there without its embeds.
func Show(ctx context.Context, discord Discord, s State, w Wanted) (State, error) {
	if s.ID != "" && s.Tried == 0 && !w.Repost {
		err := discord.EditMessage(ctx, w.ChannelID, s.ID, w.Message)
		if !takesAnother(err) {
			return shown(ctx, discord, s, w, err)
		}
	}
	return post(ctx, discord, s, w)
}

// post posts the next message, unless an earlier try has done so.
func post(ctx context.Context, discord Discord, s State, w Wanted) (State, error) {
	tried, id, err := s.Tried != 0, "", error(nil)
	if tried {
		id, err = find(ctx, discord, s, w)
	} else {
		s.Tried = time.Now().UnixMilli()
		err = w.Save(ctx, s)
	}
	if err != nil {
		return s, err
	}
	if id == "" {
		m := w.Message
		m.Silent = m.Silent || s.ID != "" && !w.Repost
		id, err = discord.CreateMessage(ctx, w.ChannelID, w.Name+"-"+strconv.Itoa(s.Posts), m)
		if err != nil && !rest.LacksEmbeds(err) {
			if !tried && (refused(err) || rest.IsLimited(err)) { // so it is not there, and the old message may be edited by then
				s.Tried = 0
			}
			return s, err
		}
	}
	if tried { // it may have the content of the earlier try
		err = discord.EditMessage(ctx, w.ChannelID, id, w.Message)
		if takesAnother(err) && s.ID == "" {
			s.ID, s.Posts, s.Tried = id, s.Posts+1, 0
			return post(ctx, discord, s, w)
		}
		if err != nil && !rest.LacksEmbeds(err) {
			return s, err
		}
	}
	s.ID, s.Stale, s.Posts, s.Tried = id, s.ID, s.Posts+1, 0
	return shown(ctx, discord, s, w, err)
}

// shown returns the state of a message that Discord has taken, and deletes the one that it replaces. If Discord
// took it without its embeds, it is edited to Wanted.Bare.
func shown(ctx context.Context, discord Discord, s State, w Wanted, taken error) (State, error) {
	lacks := rest.LacksEmbeds(taken)
	switch {
	case lacks:
		s.Hash = ""
	case taken != nil:
		return s, taken
	default:
		s.Hash = Hash(w.Message)
	}
	stay, err := Delete(ctx, discord, w.ChannelID, s.Stale)
	if err != nil {
		return s, err
	}
	s.Left = append(s.Left, stay...)
	s.Left = s.Left[max(0, len(s.Left)-mostLeft):]
	s.Stale = ""
	if lacks && w.Bare != nil {
		if err := discord.EditMessage(ctx, w.ChannelID, s.ID, w.Bare()); err != nil {
			return s, err
		}
	}
	return s, taken
}

// takesAnother reports whether Discord refuses an edit but would take a new message: old messages are edited too
// often, or the thread is archived. A thread archives itself after 1 h to 7 days without a new message. A new
// message, but not an edit, opens it again unless it is locked.
// https://discord.com/developers/docs/topics/threads#active-archived-threads
func takesAnother(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeOldMessageEdits || code == rest.CodeArchivedThread
}

// refused reports whether Discord has refused a request for good.
func refused(err error) bool { return err != nil && !rest.VerdictOf(err).Passes() }

// deletePatience is how long one deletion is retried while Discord limits it. It allows three a second in a
// channel (hata, rate_limit_groups.py), those of others included.
const deletePatience = 5 * time.Second

// Delete deletes messages; it skips empty IDs. It returns those that Discord refuses to delete: in a locked
// thread, in a channel that the bot does not see any more, or because it suspects abuse. If it fails, Discord
// may delete the others later.
func Delete(ctx context.Context, discord Discord, channelID string, ids ...string) (stay []string, failed error) {
	for _, id := range ids {
		if id == "" {
			continue
		}
		err := rest.Retry(ctx, rest.Retries{Limit: deletePatience, Again: rest.IsLimited}, func(ctx context.Context) error {
			return discord.DeleteMessage(ctx, channelID, id)
		})
		switch v := rest.VerdictOf(err); {
		case v == rest.Taken, v == rest.Gone:
		case v.Passes(), rest.StatusOf(err) == http.StatusUnauthorized: // a token that is refused says nothing of the message
			failed = err
		default:
			stay = append(stay, id)
		}
	}
	return stay, failed
}
