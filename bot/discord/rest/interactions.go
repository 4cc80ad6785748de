package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi/secret"
)

// Callback identifies an interaction to answer. Token is a secret: with it anyone can answer for 15 minutes.
type Callback struct {
	InteractionID string
	ApplicationID string
	Token         secret.Text
	// NewConnection closes idle connections, as they may be dead, and sends the first response over a new one.
	NewConnection bool
}

// Respond sends the first response.
func (c *Client) Respond(ctx context.Context, to Callback, r interaction.Response) error {
	return c.respond(ctx, to, callbackBody(r), r.Message.Files...)
}

// Encode returns a first response as Respond sends it.
func Encode(r interaction.Response) ([]byte, error) { return json.Marshal(callbackBody(r)) }

// Defer sends a first response that promises another: "thinking…" or, with FormUpdate, nothing visible. FormKeep
// is FormUpdate, except that the option selected in a menu can be chosen again.
func (c *Client) Defer(ctx context.Context, to Callback, form interaction.Form) error {
	switch form {
	case interaction.FormKeep:
		return c.respond(ctx, to, callbackBody(interaction.Keep()))
	case interaction.FormUpdate:
		return c.respond(ctx, to, callback{Type: discordgo.InteractionResponseDeferredMessageUpdate})
	}
	return c.respond(ctx, to, callback{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: map[string]any{"flags": discordgo.MessageFlagsEphemeral},
	})
}

func (c *Client) respond(ctx context.Context, to Callback, body callback, files ...interaction.File) error {
	path := "interactions/" + url.PathEscape(to.InteractionID) + "/" + url.PathEscape(to.Token.Reveal()) + "/callback"
	if to.NewConnection {
		c.transport.CloseIdleConnections()
	}
	return c.do(ctx, http.MethodPost, path, withFiles(body, files), nil, to.Token)
}

// EditOriginal edits the message of the first response. If that was an update, it edits the message with the
// component.
func (c *Client) EditOriginal(ctx context.Context, to Callback, m interaction.Message) error {
	return c.EditFollowUp(ctx, to, "@original", m)
}

// EditFollowUp edits a message that FollowUp sent.
func (c *Client) EditFollowUp(ctx context.Context, to Callback, messageID string, m interaction.Message) error {
	return c.do(ctx, http.MethodPatch, webhookPath(to)+"/messages/"+url.PathEscape(messageID), withFiles(messageBody(m, 0), m.Files), nil, to.Token)
}

// FindOriginal returns the text and the embeds of the first response, or an error if there is none.
func (c *Client) FindOriginal(ctx context.Context, to Callback) (m interaction.Message, err error) {
	var shown Posted
	err = c.do(ctx, http.MethodGet, webhookPath(to)+"/messages/@original", nil, &shown, to.Token)
	return interaction.Message{Content: shown.Content, Embeds: shown.Embeds}, err
}

// FollowUp sends a further message that only the caller sees, and returns its ID: "wait is always true for this
// endpoint" (https://docs.discord.com/developers/interactions/receiving-and-responding#create-followup-message).
func (c *Client) FollowUp(ctx context.Context, to Callback, m interaction.Message) (messageID string, err error) {
	var sent taken
	err = c.do(ctx, http.MethodPost, webhookPath(to), withFiles(messageBody(m, discordgo.MessageFlagsEphemeral), m.Files), &sent, to.Token)
	return sent.ID, err
}

func webhookPath(to Callback) string {
	return "webhooks/" + url.PathEscape(to.ApplicationID) + "/" + url.PathEscape(to.Token.Reveal())
}

// Request bodies. discordgo's types send null for what is unset.
type (
	callback struct {
		Type discordgo.InteractionResponseType `json:"type"`
		Data any                               `json:"data,omitempty"`
	}
	message struct {
		Content         string                 `json:"content"`
		Embeds          []embed                `json:"embeds"`
		Components      []any                  `json:"components"`
		Attachments     []attachment           `json:"attachments"`
		Flags           discordgo.MessageFlags `json:"flags,omitempty"`
		AllowedMentions allowedMentions        `json:"allowed_mentions"`
	}
	// allowedMentions names whom a message may ping: nobody, a role or everyone, and only as far as the bot's permissions
	// go (https://discord.com/developers/docs/resources/message#allowed-mentions-object).
	allowedMentions struct {
		Parse []string `json:"parse"`
		Roles []string `json:"roles,omitempty"`
	}
	dialog struct {
		CustomID   string              `json:"custom_id"`
		Title      string              `json:"title"`
		Components []interaction.Field `json:"components"`
	}
)

func callbackBody(r interaction.Response) callback {
	switch r.Form {
	case interaction.FormUpdate:
		return callback{discordgo.InteractionResponseUpdateMessage, messageBody(r.Message, 0)}
	case interaction.FormSuggest:
		return callback{discordgo.InteractionApplicationCommandAutocompleteResult, map[string]any{"choices": append([]interaction.Choice{}, r.Choices...)}} // [] rather than null
	case interaction.FormKeep: // an update without data resets menus (discord-api-docs#3441), a deferral does not (discord.js#10797)
		return callback{Type: discordgo.InteractionResponseUpdateMessage}
	case interaction.FormOpen:
		return callback{discordgo.InteractionResponseModal, dialog{r.Modal.CustomID, r.Modal.Title, r.Modal.Fields}}
	default:
		return callback{discordgo.InteractionResponseChannelMessageWithSource, messageBody(r.Message, discordgo.MessageFlagsEphemeral)}
	}
}

// messageBody encodes every message that is sent. It names all parts, so that an edit also removes what is gone.
func messageBody(m interaction.Message, flags discordgo.MessageFlags) message {
	m = fit(m)
	allowed := allowedMentions{Parse: []string{}}
	switch {
	case m.Silent: // nobody is to be disturbed
	case m.Pings == "@everyone":
		allowed.Parse = []string{"everyone"}
	case m.Pings != "":
		allowed.Roles = []string{strings.Trim(m.Pings, "<@&>")}
	}
	return message{
		Content:         m.Content,
		Embeds:          embeds(m),
		Components:      plain(m.Components),
		Attachments:     attachments(m.Files),
		Flags:           flags,
		AllowedMentions: allowed,
	}
}
