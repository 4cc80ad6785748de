package rest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// Posted is a message as a channel has it.
type Posted struct {
	ID      string                    `json:"id"`
	Content string                    `json:"content"`
	Embeds  []*discordgo.MessageEmbed `json:"embeds"`
}

// channelMessage is the body of a message that is no answer to an interaction.
type channelMessage struct {
	message
	Nonce        string `json:"nonce,omitempty"`
	EnforceNonce bool   `json:"enforce_nonce,omitempty"`
}

// CreateMessage posts a message to a channel and returns its ID. A nonce has 25
// characters at most. Where the bot posted a message with the same one in the past
// few minutes, Discord posts nothing and returns that message or, where that was
// deleted since, CodeUnknownMessage (discord-api-docs#6647).
func (c *Client) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	var flags discordgo.MessageFlags
	if m.Silent {
		flags = discordgo.MessageFlagsSuppressNotifications
	}
	body := channelMessage{message: messageBody(m, flags), Nonce: nonce, EnforceNonce: true}
	var posted Posted
	err := c.do(ctx, http.MethodPost, messages(channelID), withFiles(body, m.Files), &posted)
	return posted.ID, err
}

// OpenDM returns the ID of the DM channel with a user, also where that one takes no
// messages. https://discord.com/developers/docs/resources/user#create-dm
func (c *Client) OpenDM(ctx context.Context, userID string) (string, error) {
	var channel struct {
		ID string `json:"id"`
	}
	body := map[string]string{"recipient_id": userID}
	err := c.do(ctx, http.MethodPost, "users/@me/channels", body, &channel)
	return channel.ID, err
}

// EditMessage replaces all of a message of the bot.
func (c *Client) EditMessage(ctx context.Context, channelID, messageID string, m interaction.Message) error {
	return c.do(ctx, http.MethodPatch, messages(channelID)+"/"+url.PathEscape(messageID), withFiles(messageBody(m, 0), m.Files), nil)
}

// DeleteMessage deletes a message of the bot.
func (c *Client) DeleteMessage(ctx context.Context, channelID, messageID string) error {
	return c.do(ctx, http.MethodDelete, messages(channelID)+"/"+url.PathEscape(messageID), nil, nil)
}

// LatestMessages returns the newest messages of a channel, newest first; limit
// is 1 to 100. Without the permission to read the message history Discord returns
// none.
func (c *Client) LatestMessages(ctx context.Context, channelID string, limit int) ([]Posted, error) {
	var latest []Posted
	err := c.do(ctx, http.MethodGet, messages(channelID)+"?limit="+strconv.Itoa(limit), nil, &latest)
	return latest, err
}

func messages(channelID string) string { return "channels/" + url.PathEscape(channelID) + "/messages" }
