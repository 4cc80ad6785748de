// Package rest is a client for Discord's REST API.
//
// It does not use discordgo's client: the rate limiter there keeps a bucket for every interaction token for
// ever, makes the edits of all original responses wait for each other, and sleeps regardless of the context.
// Here a request is sent once, within its context. The caller decides from the Error whether and when to send
// again; Retry helps.
//
// Only this package knows Discord's limits on all requests together. Answers to interactions are sent at once,
// all other requests as soon as there is room. If a limit of a channel holds requests back, their errors say when
// to come, one after another.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"

	"hostbot/bot/store/lease"
	"hostbot/hostapi/secret"
)

const (
	// requestLimit bounds one request.
	requestLimit = 15 * time.Second
	// maxAnswer bounds what is read of one answer, in bytes.
	maxAnswer = 4 << 20
	// defaultVersion is the API's version if its address names none.
	defaultVersion = 10
	// maxMessage bounds Error.Message, in bytes.
	maxMessage = 500
	// scopeHeader says whose limit a request has reached
	// (https://discord.com/developers/docs/topics/rate-limits#header-format). It is in http.Header's canonical
	// form, so that a look-up need not convert it.
	scopeHeader = "X-Ratelimit-Scope"
	// UserAgent names the library in the form that Discord asks for, and then the program. Requests without it
	// may be refused. https://discord.com/developers/docs/reference#user-agent
	UserAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") hostbot"
)

// Client sends requests to Discord. It is safe for concurrent use. The exported fields may be set before For is
// called; New makes the functions do nothing.
type Client struct {
	// Observe is called after each request. route is the first part of its path ("interactions", "channels",
	// …), status is 0 if there was no answer, and failure says in a few words how Discord or the network
	// failed; it is "" if neither did.
	Observe func(route string, status int, failure string)
	// OnInvalid is called when the invalid requests of the last ten minutes reach FewerFrom or
	// AnswersOnlyFrom, with their number.
	OnInvalid func(invalid int)
	// OnPause is called when Discord asks all requests to wait, with how long.
	OnPause func(wait time.Duration)

	// Log takes a line at the level debug for each request that failed or was slow.
	Log zerolog.Logger

	purpose Purpose
	limits  *limits
	reach   *reach

	token     secret.Text
	base      string      // of all addresses, with a slash at its end
	path      string      // of base
	headers   http.Header // of all requests
	transport *http.Transport
}

// New returns a client for the API at base, an address with its version, such as
// https://discord.com/api/v10.
func New(token secret.Text, base string) *Client {
	// HTTP/2 sends all requests over one connection, and goes on using it when it is dead: nothing would reach
	// Discord for minutes.
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	base = strings.TrimRight(base, "/") + "/"
	_, path, _ := strings.Cut(base, "://")
	return &Client{
		Observe: func(string, int, string) {}, OnInvalid: func(int) {}, OnPause: func(time.Duration) {},
		limits:  newLimits(),
		reach:   &reach{waits: make(map[*func()]struct{})},
		token:   token,
		base:    base,
		path:    path[strings.Index(path, "/"):],
		headers: http.Header{"User-Agent": {UserAgent}},
		transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 2 * time.Second,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     90 * time.Second,
			Protocols:           http1,
			WriteBufferSize:     8 << 10, // sends a list of ten bots in one write: 4 KiB would take two
		},
	}
}

// For returns a client that sends requests for a purpose. Both share connections and limits.
func (c *Client) For(purpose Purpose) *Client {
	other := *c
	other.purpose = purpose
	return &other
}

// Invalid returns how many requests Discord answered in the last ten minutes, and how many
// of these count towards a ban of the machine's address.
func (c *Client) Invalid() (answered, invalid int) { return c.limits.answered.Sum(time.Now()) }

// PausedUntil returns until when Discord has asked all requests to wait; it may be in the past.
func (c *Client) PausedUntil() time.Time {
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	return c.limits.pausedUntil
}

// Close gives up idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Version returns the API's version, as the base address names it.
func (c *Client) Version() int {
	version, err := strconv.Atoi(strings.TrimPrefix(path.Base(c.base), "v"))
	if err != nil {
		return defaultVersion
	}
	return version
}

// GatewayBot returns where the gateway is, how many shards Discord recommends
// and how many sessions may be begun:
// https://discord.com/developers/docs/events/gateway#get-gateway-bot
func (c *Client) GatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	var answer discordgo.GatewayBotResponse
	if err := c.For(forGateway).do(ctx, http.MethodGet, "gateway/bot", nil, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Get decodes the answer at a path below the API's base into out.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, nil, out)
}

// do sends a request to a path below the API's base and decodes the answer into out. The body is sent as JSON,
// or as multipart with files. body and out may be nil. The error is an *Error without the request's secrets.
func (c *Client) do(ctx context.Context, method, path string, body, out any, secrets ...secret.Text) error {
	payload, contentType, err := encodeBody(body)
	if err != nil {
		return &Error{Message: "encode request: " + err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return &Error{Message: "not an address"} // err contains the token
	}
	maps.Copy(req.Header, c.headers)
	if payload != nil { // Discord refuses a DELETE with a type and no body (DasWolke/SnowTransfer#49)
		req.Header.Set("Content-Type", contentType)
	}
	if !answersInteraction(path) {
		// The address authenticates answers to interactions. With the token they would count towards the
		// limit on all requests (discord-api-docs#4142, discord.js#7022).
		req.Header.Set("Authorization", "Bot "+c.token.Reveal())
	}
	answer, err := c.exchange(req, secrets...)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &Error{Message: "decode answer: " + err.Error(), Uncertain: true}
	}
	return nil
}

// encodeBody returns a request's body and its content type; both are empty if there is none.
func encodeBody(body any) (payload io.Reader, contentType string, err error) {
	switch body := body.(type) {
	case nil:
		return nil, "", nil
	case upload:
		return body.encode()
	default:
		encoded, err := json.Marshal(body)
		return bytes.NewReader(encoded), "application/json", err
	}
}

// exchange sends a request and returns the body of Discord's answer. The error is an *Error without the bot's
// token and these secrets, as an answer may repeat them.
func (c *Client) exchange(req *http.Request, secrets ...secret.Text) ([]byte, error) {
	began := time.Now()
	body, err := c.roundTrip(req)
	if err == nil {
		c.trace(req, began, nil)
		return body, nil
	}
	for _, s := range append(secrets, c.token) {
		err.Message = strings.ReplaceAll(err.Message, s.Reveal(), s.String())
		for i, path := range err.Form {
			err.Form[i] = strings.ReplaceAll(path, s.Reveal(), s.String())
		}
	}
	if len(err.Message) > maxMessage {
		err.Message = err.Message[:maxMessage] + "…"
	}
	c.trace(req, began, err)
	return nil, err
}

// roundTrip sends a request and returns the body of Discord's answer.
func (c *Client) roundTrip(req *http.Request) ([]byte, *Error) {
	path := strings.TrimPrefix(req.URL.Path, c.path)
	answers, in := answersInteraction(path), lineOf(req.Method, path)
	if !answers {
		if err := c.limits.admit(req.Context(), c.purpose, in); err != nil {
			return nil, err
		}
	}
	// A process that was suspended may come here after another one was elected.
	if err := lease.Check(req.Context()); err != nil {
		return nil, &Error{Message: "not sent: " + err.Error()}
	}
	bounded := req
	if by, ok := req.Context().Deadline(); !ok || time.Until(by) > requestLimit {
		ctx, cancel := context.WithTimeout(req.Context(), requestLimit)
		defer cancel()
		bounded = req.WithContext(ctx)
	}
	sent := time.Now()
	waiting := time.AfterFunc(stalled, func() { c.reach.Failed(sent) })
	// An http.Client would follow redirects.
	res, err := c.transport.RoundTrip(bounded)
	waiting.Stop()
	route, _, _ := strings.Cut(path, "/")
	c.observe(req.Context(), route, sent, res, err)
	if err != nil {
		return nil, c.unanswered(err)
	}
	defer func() { _ = res.Body.Close() }()
	var body []byte
	if res.Body != http.NoBody { // a body that is not read costs the connection
		body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		refused := refusal(res, body) // even if the body could not be read to its end
		pause := refused.RetryAfter
		if !refused.Global || answers { // answers are limited by the machine's address (discord-api-docs#5806)
			pause = 0
		}
		c.note(res, pause)
		if pause == 0 && in != "" && VerdictOf(refused) == Limited && refused.Code != CodeOldMessageEdits { // which newer ones do not meet
			refused.RetryAfter = c.limits.refuse(in, refused.RetryAfter)
		}
		return nil, refused
	}
	c.note(res, 0)
	switch {
	case isDiscords(res): // even if its body could not be read to its end
		return body, nil
	case err != nil:
		return nil, c.unanswered(err)
	case !json.Valid(body):
		return nil, &Error{Message: "the answer is not Discord's", Uncertain: true}
	}
	return body, nil
}

// observe notes what became of a request; err says why there was no answer.
func (c *Client) observe(ctx context.Context, route string, sent time.Time, res *http.Response, err error) {
	status, failure := 0, ""
	if err == nil {
		status = res.StatusCode
	}
	switch {
	case status == http.StatusTooManyRequests: // it asks for a pause
	case err == nil && status < 500:
		c.reach.answered()
	case errors.Is(ctx.Err(), context.Canceled): // by the caller: that says nothing about Discord
		status = 0
	case err == nil:
		failure = strconv.Itoa(status)
		c.reach.Failed(sent)
	default:
		failure = lastWords(err)
		c.reach.Failed(sent)
	}
	c.Observe(route, status, failure)
}

// note counts an answer. pause is for how long it asks all requests to wait; 0 if it does not.
func (c *Client) note(res *http.Response, pause time.Duration) {
	news := c.limits.note(res.StatusCode, pause, res.Header.Get(scopeHeader))
	if news.threshold > 0 {
		c.OnInvalid(news.invalid)
	}
	if news.pause > 0 {
		c.OnPause(news.pause)
	}
}

// lastWords returns the innermost message of a network error.
func lastWords(err error) string {
	if isTimeout(err) {
		return "no answer in time"
	}
	text := err.Error()
	return text[strings.LastIndex(": "+text, ": "):]
}

func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

// unanswered returns the error of a request without an answer. After a timeout it closes the idle connections:
// whatever has silently cut off this one may have cut off all.
func (c *Client) unanswered(err error) *Error {
	if isTimeout(err) {
		c.transport.CloseIdleConnections()
	}
	return &Error{Message: err.Error(), Uncertain: true}
}

// isDiscords reports whether a success came from Discord, and not from a proxy or sign-in page that may not have
// passed the request on. Discord answers in JSON, except that a 204 has the type text/html and no body
// (discord-api-docs#5887, discord.js#9218).
func isDiscords(res *http.Response) bool {
	kind := res.Header.Get("Content-Type")
	return res.StatusCode == http.StatusNoContent || kind == "" || strings.HasPrefix(kind, "application/json")
}
