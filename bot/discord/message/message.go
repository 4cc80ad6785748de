// Package message keeps a message of ours on Discord true: it is posted, edited, posted anew
// in a place where Discord takes no edit of it, and deleted.
//
// What is known of a message is its State. That is kept in a record by the caller, so that
// another process can go on. What a message shows is drawn by the caller each time.
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
	Hash  string `json:"hash,omitempty"` // of what it shows; "" if that is not known
	Posts int    `json:"posts"`          // how many messages there have been
	// Tried is when the next message was first posted, in Unix ms, if it is not known whether
	// it is there; 0 otherwise.
	Tried int64 `json:"tried,omitempty"`
	// Stale is the message that this one has taken the place of, until it is deleted.
	Stale string `json:"stale,omitempty"`
	// Left are messages that Discord refused to delete, the latest mostLeft of them.
	Left []string `json:"left,omitempty"`
}

// mostLeft bounds State.Left, as each takes a request when all is deleted.
const mostLeft = 5

// Discord is where messages are. Errors are *rest.Error.
type Discord interface {
	CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error)
	EditMessage(ctx context.Context, channelID, messageID string, m interaction.Message) error
	DeleteMessage(ctx context.Context, channelID, messageID string) error
	LatestMessages(ctx context.Context, channelID string, limit int) ([]rest.Posted, error)
}

// Wanted is what a message is to be.
type Wanted struct {
	ChannelID string
	// Name makes the nonce, together with State.Posts: 20 bytes at most, and no other
	// message of the bot has it.
	Name string
	interaction.Message
	// Anew has another message take the place of the one that is there, and notify whoever reads
	// the channel, as an edit does not.
	Anew bool
	// Bare returns what is put in its place if the bot may not embed links. If it is nil,
	// what Discord made of the message stays.
	Bare func() interaction.Message
	// Is reports whether a message of the channel is this one, whatever it shows. If it is
	// nil, that is one with the same buttons or, without buttons, with the same text.
	Is func(rest.Posted) bool
	// Save keeps the state before a message is posted.
	Save func(context.Context, State) error
}

// Hash returns what stands for a message's content. The timestamps of embeds do not count.
func Hash(m interaction.Message) string {
	embeds := make([]discordgo.MessageEmbed, len(m.Embeds))
	for i, e := range m.Embeds {
		embeds[i] = *e
		embeds[i].Timestamp = ""
	}
	text, _ := json.Marshal([]any{m.Content, embeds, m.Components}) // texts and numbers always can be encoded
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Show makes a message be as it is wanted, and returns what is known of it then, with any
// error: a *rest.Error, or that of Save. A message that takes the place of another notifies
// nobody.
//
// If rest.LacksEmbeds holds for the error, the message is there without its embeds.
func Show(ctx context.Context, discord Discord, s State, w Wanted) (State, error) {
	if s.ID != "" && s.Tried == 0 && !w.Anew {
		err := discord.EditMessage(ctx, w.ChannelID, s.ID, w.Message)
		if !takesAnother(err) {
			return shown(ctx, discord, s, w, err)
		}
	}
	return post(ctx, discord, s, w)
}

// post posts the next message, unless it is there already.
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
		m.Silent = s.ID != "" && !w.Anew
		id, err = discord.CreateMessage(ctx, w.ChannelID, w.Name+"-"+strconv.Itoa(s.Posts), m)
		if err != nil && !rest.LacksEmbeds(err) {
			if !tried && refused(err) { // so it is not there, and the old message may be edited by then
				s.Tried = 0
			}
			return s, err
		}
	}
	if tried { // it may show what was wanted then, also if Discord knew its nonce
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

// shown notes how Discord took a message that is there. If it took that without its embeds,
// the message is made bare.
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

// takesAnother reports whether Discord refuses to edit a message, and takes another in the
// same place: the message is too old to be edited now, or it is in a thread that is archived.
// A thread archives itself after 1 h to 7 days without a new message, of which an edit is
// none, and a new one opens it again unless it is locked.
// https://discord.com/developers/docs/topics/threads#active-archived-threads
func takesAnother(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeOldMessageEdits || code == rest.CodeArchivedThread
}

// refused reports whether Discord has not done, and will not do, what it was asked for.
func refused(err error) bool { return err != nil && !rest.VerdictOf(err).Passes() }

// deletePatience is for how long a message is waited for that may not be deleted yet. Of
// those in a channel three a second may be (hata, rate_limit_groups.py), and others may be
// deleted there.
const deletePatience = 5 * time.Second

// Delete deletes messages, of which an empty ID is none, and returns those that Discord
// refuses to delete: in a locked thread, in a channel that the bot does not see any more, or
// where it suspects abuse. An error says that Discord may do so later.
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
