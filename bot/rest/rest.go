// Package rest reaches Discord's REST API.
//
// It leaves discordgo's way of doing so alone, whose rate limiter keeps a bucket
// for every interaction token for ever, makes the edits of all original
// responses wait for each other, and sleeps where no context reaches it. A
// request here is sent once, at once, within its context; whether to send
// again, and when, is the caller's to decide from the Error.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/hostapi/secret"
)

const (
	// requestLimit bounds one request where its context has no end.
	requestLimit = 15 * time.Second
	// maxAnswer bounds what is read of one answer, in bytes.
	maxAnswer = 4 << 20
	// userAgent names the library in the form that Discord asks for, and the
	// program after that, where Discord allows anything. Requests without it may be
	// refused. https://discord.com/developers/docs/reference#user-agent
	userAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") hostbot"
)

// Client sends requests to Discord. It is safe for concurrent use.
type Client struct {
	token     secret.Text
	target    *url.URL
	base      string // of all addresses, with a slash at its end
	headers   http.Header
	transport *http.Transport
	unpooled  *http.Transport // has a connection for each request
}

// New returns a client for the API at base, version included, such as
// https://discord.com/api/v10.
func New(token secret.Text, base string) (*Client, error) {
	target, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || target.Host == "" {
		return nil, fmt.Errorf("rest: %q is no base address", base)
	}
	pooled := newTransport()
	unpooled := pooled.Clone()
	unpooled.DisableKeepAlives = true
	return &Client{
		token:  token,
		target: target,
		base:   target.String() + "/",
		headers: http.Header{
			"Authorization": {"Bot " + token.Reveal()},
			"Content-Type":  {"application/json"},
			"User-Agent":    {userAgent},
		},
		transport: pooled,
		unpooled:  unpooled,
	}, nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   2 * time.Second,
		ResponseHeaderTimeout: requestLimit,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		Protocols:             oneAtATime(),
		WriteBufferSize:       16 << 10, // a list of ten bots in one piece: 4 KiB would take two
	}
}

// oneAtATime is HTTP/1.1 alone. HTTP/2 has one connection for all requests, and
// goes on with it when it is dead: nothing would reach Discord for minutes.
func oneAtATime() *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP1(true)
	return p
}

// Close gives up idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// do sends body, unless it is nil, as JSON to a path below the API's base and
// decodes the answer into out, unless that is nil. An error is an *Error; it
// tells neither the bot's token nor the secrets of this request, though whoever
// answers in Discord's place may have repeated them.
func (c *Client) do(ctx context.Context, method, path string, body, out any, secrets ...secret.Text) error {
	return c.doOver(ctx, c.transport, method, path, body, out, secrets...)
}

// doOver is do over a transport of the client's.
func (c *Client) doOver(ctx context.Context, over *http.Transport, method, path string, body, out any, secrets ...secret.Text) error {
	err := c.send(ctx, over, method, path, body, out)
	var e *Error
	if errors.As(err, &e) {
		for _, s := range append(secrets, c.token) {
			e.Message = strings.ReplaceAll(e.Message, s.Reveal(), s.String())
		}
		e.Message = clip(e.Message)
	}
	return err
}

func (c *Client) send(ctx context.Context, over *http.Transport, method, path string, body, out any) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestLimit)
		defer cancel()
	}
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	sent := time.Now()
	// Not through an http.Client, which follows redirects.
	res, err := over.RoundTrip(req)
	if err != nil {
		return unanswered(over, time.Since(sent), err)
	}
	defer func() { _ = res.Body.Close() }()
	succeeded := res.StatusCode >= 200 && res.StatusCode <= 299
	if succeeded && out == nil {
		// What was not read would cost the connection.
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
		if !isDiscords(res) {
			return &Error{Message: "the answer is not Discord's", Uncertain: true}
		}
		return nil
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return unanswered(over, time.Since(sent), err)
	case !succeeded:
		return answerError(res, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &Error{Message: "decode answer: " + err.Error(), Uncertain: true}
	}
	return nil
}

// isDiscords tells whether a success was answered by Discord. A proxy or a sign-in
// page that answers in its place may not have passed the request on. Discord's 204
// has the type text/html although it has no body (discord-api-docs#5887,
// discord.js#9218); all else that Discord answers is JSON.
func isDiscords(res *http.Response) bool {
	kind := res.Header.Get("Content-Type")
	return res.StatusCode == http.StatusNoContent || kind == "" || strings.HasPrefix(kind, "application/json")
}

// silence is how long a request goes without an answer before its connection is
// taken for dead once nobody waits for it any more.
const silence = 500 * time.Millisecond

// unanswered says what became of a request to which no answer came. After one
// that timed out, or was given up after a silence, no connection is used that was
// there before: whatever has cut this one off without a word may have cut off all.
func unanswered(over *http.Transport, waited time.Duration, err error) *Error {
	e := transportError(err)
	if errors.Is(e, context.DeadlineExceeded) || errors.Is(e, context.Canceled) && waited >= silence {
		over.CloseIdleConnections()
	}
	return e
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, &Error{Message: "encode request: " + err.Error()}
		}
		payload = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return nil, &Error{Message: "not an address"} // which holds a token
	}
	req.Header = c.headers // which a transport leaves as they are
	return req, nil
}
