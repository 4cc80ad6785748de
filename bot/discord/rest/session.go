package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Session returns a discordgo session for what is not urgent, such as registering commands. It sends a request
// once, within the context of discordgo.WithContext. SessionError extracts why a request failed.
//
// discordgo sees neither refusals nor the headers of rate limits here: it would sleep until a rate limit ends,
// regardless of the context, lose the status of a 429 whose body is not JSON, and return a RESTError with the
// request and the bot's token in it.
func (c *Client) Session() *discordgo.Session {
	return &discordgo.Session{
		Token:       "Bot " + c.token.Reveal(),
		UserAgent:   UserAgent,
		Client:      &http.Client{Transport: sessionTransport{c}},
		Ratelimiter: discordgo.NewRatelimiter(),
	}
}

// SessionError returns the *Error in a session's error. The text around it names an address that was not used.
func SessionError(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return err
}

// sessionTransport redirects requests from discordgo's base address to the client's. discordgo's own addresses
// are package-level variables that all sessions share.
type sessionTransport struct{ client *Client }

// RoundTrip sends a request. It returns an *Error for an answer that is no success.
func (t sessionTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	target, err := url.Parse(t.client.base + strings.TrimPrefix(req.URL.String(), discordgo.EndpointAPI))
	if err != nil {
		return nil, err
	}
	sent := req.Clone(req.Context())
	sent.URL, sent.Host = target, target.Host
	body, err := t.client.exchange(sent)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}, nil
}
