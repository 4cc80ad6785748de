package rest

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// GatewayBot returns where the gateway is, how many shards Discord recommends
// and how many sessions may be begun:
// https://discord.com/developers/docs/events/gateway#get-gateway-bot
func (c *Client) GatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	var answer discordgo.GatewayBotResponse
	if err := c.do(ctx, http.MethodGet, "gateway/bot", nil, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// UserAgent is what every request to Discord says of the program.
func (c *Client) UserAgent() string { return userAgent }

// defaultVersion is that of an API whose address names none.
const defaultVersion = 10

// Version is the version of the API that the base address names.
func (c *Client) Version() int {
	match := regexp.MustCompile(`/v(\d+)$`).FindStringSubmatch(c.target.Path)
	if match == nil {
		return defaultVersion
	}
	version, err := strconv.Atoi(match[1])
	if err != nil {
		return defaultVersion
	}
	return version
}

// maxRefusal bounds what is read of a refusal, in bytes.
const maxRefusal = 4 << 10

// Refusal returns what an answer means by which Discord refuses a request that
// was not made with a Client, such as the upgrade to a websocket.
func Refusal(res *http.Response) *Error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return transportError(err)
	}
	refusal := answerError(res, body)
	refusal.Message = clip(refusal.Message)
	return refusal
}
