package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// Posted is a message as a channel has it.
type Posted struct {
	ID      string                    `json:"id"`
	Content string                    `json:"content"`
	Embeds  []*discordgo.MessageEmbed `json:"embeds"`
	Rows    []PostedRow               `json:"components"`
}

// PostedRow is a row of buttons of a message.
type PostedRow struct {
	Buttons []struct {
		CustomID string `json:"custom_id"`
	} `json:"components"`
}

// ButtonIDs returns the custom IDs of a message's buttons. A link has none.
func (p Posted) ButtonIDs() (ids []string) {
	for _, row := range p.Rows {
		for _, button := range row.Buttons {
			if button.CustomID != "" {
				ids = append(ids, button.CustomID)
			}
		}
	}
	return ids
}

// channelMessage is the body of a message that is no answer to an interaction.
type channelMessage struct {
	message
	Nonce        string `json:"nonce,omitempty"`
	EnforceNonce bool   `json:"enforce_nonce,omitempty"`
}

// CreateMessage posts a message to a channel and returns its ID. A nonce has at most 25 characters. If the bot
// posted a message with the same nonce in the past few minutes, Discord posts nothing and returns that message.
// If it was deleted since, Discord returns CodeUnknownMessage (discord-api-docs#6647).
//
// If LacksEmbeds holds for the error, the message was posted without its embeds and has the returned ID. Once
// the bot may embed links, EditMessage completes it.
func (c *Client) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	var flags discordgo.MessageFlags
	if m.Silent {
		flags = discordgo.MessageFlagsSuppressNotifications
	}
	body := channelMessage{message: messageBody(m, flags), Nonce: nonce, EnforceNonce: true}
	var posted taken
	if err := c.do(ctx, http.MethodPost, messages(channelID), withFiles(body, m.Files), &posted); err != nil {
		return "", err
	}
	return posted.ID, posted.embedsOf(m)
}

// OpenDM returns the ID of the DM channel with a user, even if the user takes no messages.
// https://discord.com/developers/docs/resources/user#create-dm
func (c *Client) OpenDM(ctx context.Context, userID string) (string, error) {
	var channel struct {
		ID string `json:"id"`
	}
	body := map[string]string{"recipient_id": userID}
	err := c.do(ctx, http.MethodPost, "users/@me/channels", body, &channel)
	return channel.ID, err
}

// EditMessage replaces the whole content of a message of the bot. If LacksEmbeds holds for the error, the
// content was replaced and has no embeds.
func (c *Client) EditMessage(ctx context.Context, channelID, messageID string, m interaction.Message) error {
	var edited taken
	err := c.do(ctx, http.MethodPatch, messages(channelID)+"/"+url.PathEscape(messageID), withFiles(messageBody(m, 0), m.Files), &edited)
	if err != nil {
		return err
	}
	return edited.embedsOf(m)
}

// taken is Discord's answer to a message that it took.
type taken struct {
	ID     string                 `json:"id"`
	Embeds []struct{}             `json:"embeds"`
	Flags  discordgo.MessageFlags `json:"flags"`
}

// embedsOf returns an error if Discord has left out embeds of the sent message. It does so silently if the bot
// lacks Embed Links (discord-api-docs#2601, #5648 and #8108). Embeds that somebody has hidden
// (SUPPRESS_EMBEDS, docs "Message Flags") are not missed.
func (t taken) embedsOf(sent interaction.Message) error {
	if len(t.Embeds) >= len(sent.Embeds) || t.Flags&discordgo.MessageFlagsSuppressEmbeds != 0 {
		return nil
	}
	return &Error{
		Status: http.StatusOK, Code: CodeMissingPermissions, NoEmbeds: true, // the code that a message of embeds alone is refused with
		Message: fmt.Sprintf("the message has %d of its %d embeds: the bot lacks the permission Embed Links", len(t.Embeds), len(sent.Embeds)),
	}
}

// DeleteMessage deletes a message of the bot.
func (c *Client) DeleteMessage(ctx context.Context, channelID, messageID string) error {
	return c.do(ctx, http.MethodDelete, messages(channelID)+"/"+url.PathEscape(messageID), nil, nil)
}

// LatestMessages returns the newest messages of a channel, newest first; limit is 1 to 100. Without Read Message
// History Discord returns none.
func (c *Client) LatestMessages(ctx context.Context, channelID string, limit int) ([]Posted, error) {
	var latest []Posted
	err := c.do(ctx, http.MethodGet, messages(channelID)+"?limit="+strconv.Itoa(limit), nil, &latest)
	return latest, err
}

func messages(channelID string) string { return "channels/" + url.PathEscape(channelID) + "/messages" }

// EmbedTime parses the timestamp of an embed as Discord returns it, and reports whether there is one. Discord
// does not return it as it was sent: microseconds may be missing, and in 2017 the zone was at times, for UTC
// (discord-api-docs#291).
func EmbedTime(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text) // fractions of seconds are accepted as well
	}
	return at, err == nil
}
