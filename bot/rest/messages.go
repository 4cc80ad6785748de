package rest

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// CreateMessage posts embeds, ten at most, to a channel.
func (c *Client) CreateMessage(ctx context.Context, channelID string, embeds []*discordgo.MessageEmbed) error {
	body := struct {
		Embeds          []*discordgo.MessageEmbed `json:"embeds"`
		AllowedMentions allowedMentions           `json:"allowed_mentions"`
	}{Embeds: embeds}
	return c.do(ctx, http.MethodPost, "channels/"+url.PathEscape(channelID)+"/messages", body, nil)
}
