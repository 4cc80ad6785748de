package rest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// Posted is a message as a channel has it.
type Posted struct {
	ID     string                    `json:"id"`
	Embeds []*discordgo.MessageEmbed `json:"embeds"`
}

// embedsOnly is the body of a message that is embeds alone.
type embedsOnly struct {
	Embeds          []*discordgo.MessageEmbed `json:"embeds"`
	AllowedMentions allowedMentions           `json:"allowed_mentions"`
	Nonce           string                    `json:"nonce,omitempty"`
	EnforceNonce    bool                      `json:"enforce_nonce,omitempty"`
}

// CreateMessage posts embeds, ten at most, to a channel and returns the ID of
// the message. A nonce has 25 characters at most. Where the bot posted a message
// with the same one in the past few minutes, Discord posts nothing and returns
// that message or, where that was deleted since, CodeUnknownMessage
// (discord-api-docs#6647).
func (c *Client) CreateMessage(ctx context.Context, channelID, nonce string, embeds []*discordgo.MessageEmbed) (string, error) {
	body := embedsOnly{Embeds: embeds, Nonce: nonce, EnforceNonce: true}
	var posted Posted
	err := c.do(ctx, http.MethodPost, messages(channelID), body, &posted)
	return posted.ID, err
}

// EditMessage replaces the embeds of a message of the bot.
func (c *Client) EditMessage(ctx context.Context, channelID, messageID string, embeds []*discordgo.MessageEmbed) error {
	return c.do(ctx, http.MethodPatch, messages(channelID)+"/"+url.PathEscape(messageID), embedsOnly{Embeds: embeds}, nil)
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
