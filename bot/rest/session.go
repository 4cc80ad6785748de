package rest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

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
	client := c.HTTPClient()
	client.Transport = &successes{client: c, next: client.Transport}
	return &discordgo.Session{
		Token:       "Bot " + c.token.Reveal(),
		UserAgent:   userAgent,
		Client:      client,
		Ratelimiter: discordgo.NewRatelimiter(),
	}
}

// SessionError returns what a session answered with as an *Error, wherever it
// tells of the request: discordgo's own words repeat an address that was not
// the one in use.
func SessionError(err error) error {
	var e *Error
	var u *url.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &u): // the client's time limit
		return transportError(u.Err)
	default:
		return err
	}
}

// successes lets through successful answers alone. The others are errors.
type successes struct {
	client *Client
	next   http.RoundTripper
}

// RoundTrip sends a request.
func (t *successes) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := time.Now()
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, unanswered(t.client.transport, time.Since(sent), err)
	}
	limited := io.LimitReader(res.Body, maxAnswer)
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		for name := range res.Header {
			if strings.HasPrefix(name, "X-Ratelimit-") {
				res.Header.Del(name)
			}
		}
		res.Body = struct {
			io.Reader
			io.Closer
		}{limited, res.Body}
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(limited)
	if err != nil {
		return nil, unanswered(t.client.transport, time.Since(sent), err)
	}
	e := answerError(res, body)
	e.Message = clip(strings.ReplaceAll(e.Message, t.client.token.Reveal(), t.client.token.String()))
	return nil, e
}
