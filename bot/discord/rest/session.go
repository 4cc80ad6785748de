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

// Session returns a session of discordgo's for what is not on an interaction's
// way, such as registering commands. It sends a request once, and within the
// context that discordgo.WithContext names. SessionError says why a request did
// not succeed.
//
// The library has ways of its own to deal with refusals. It sleeps until a rate
// limit ends, where no context reaches it; it forgets the status of a 429 whose
// body is not JSON; and its RESTError holds the request, which carries the bot's
// token. So it is shown neither a refusal nor the headers of a rate limit.
func (c *Client) Session() *discordgo.Session {
	return &discordgo.Session{
		Token:       "Bot " + c.token.Reveal(),
		UserAgent:   UserAgent,
		Client:      &http.Client{Transport: sessionTransport{c}},
		Ratelimiter: discordgo.NewRatelimiter(),
	}
}

// SessionError returns what a session answered with as an *Error: the words
// around it repeat an address that was not the one in use.
func SessionError(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return err
}

// sessionTransport sends what discordgo addresses to its own constant base to the
// client's. discordgo's addresses are package-level variables that all sessions
// share, so they are left alone.
type sessionTransport struct{ client *Client }

// RoundTrip sends a request. An answer that is no success is an *Error.
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
