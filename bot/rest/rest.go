// Package rest reaches Discord's REST API.
//
// It uses discordgo's session for the requests alone and leaves out its rate
// limiter, which keeps a bucket for every interaction token for ever, makes
// the edits of all original responses wait for each other, and sleeps where no
// context reaches it. A request here is sent once, at once, within its context;
// whether to send again, and when, is the caller's to decide from the Error.
package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/configs/secret"
)

// requestLimit bounds one request where its context has no earlier end.
const requestLimit = 15 * time.Second

// Client sends requests to Discord. It is safe for concurrent use.
type Client struct {
	session   *discordgo.Session
	transport *http.Transport
}

// New returns a client for the API at base, version included, such as
// https://discord.com/api/v9.
func New(token secret.Text, base string) (*Client, error) {
	target, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || target.Host == "" {
		return nil, fmt.Errorf("rest: %q is no base address", base)
	}
	session, err := discordgo.New("Bot " + token.Reveal())
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   2 * time.Second,
		ResponseHeaderTimeout: requestLimit,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	session.Client = &http.Client{
		Transport:     &rebased{next: transport, target: target},
		Timeout:       requestLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	session.MaxRestRetries = 0
	session.ShouldRetryOnRateLimit = false
	session.StateEnabled = false
	session.LogLevel = -1 // its lines can hold a token
	return &Client{session: session, transport: transport}, nil
}

// HTTPClient returns the client that reaches the API through discordgo's own
// addresses; the gateway asks with it where to connect.
func (c *Client) HTTPClient() *http.Client { return c.session.Client }

// Close gives up idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// do sends body, unless it is nil, as JSON to a path below the API's base and
// decodes the answer into out, unless that is nil. An error is an *Error.
func (c *Client) do(ctx context.Context, method, path string, body, out any) error {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return &Error{Message: "encode request: " + err.Error()}
		}
	}
	// A limiter of its own for each request: it is dropped with the request
	// (267 ns and 496 B), where the session's keeps every key it ever saw.
	bucket := discordgo.NewRatelimiter().LockBucket("request")
	answer, err := c.session.RequestWithLockedBucket(method, discordgo.EndpointAPI+path, "application/json", payload, bucket, 0,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return newError(err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &Error{Message: "decode answer: " + err.Error(), Uncertain: true}
	}
	return nil
}
