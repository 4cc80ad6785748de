// Package hostapi is the client of the hosting service.
//
// The service hosts customers' applications in containers and calls each a
// server. An account belongs to one user of the chat platform; every method
// takes that user's ID, and the service answers only about that user's servers.
//
// Failures are of type *Error, which carries a code that says what kind of
// failure it was, and, for an action, whether it may have been carried out all
// the same. An action has succeeded only where the answer says "ok": true, or
// is a 204, which can say nothing; an answer without that word leaves it open.
//
// Operations that only read are tried again while their context's deadline
// allows; actions are sent again only where they certainly did not reach the
// service.
//
// After ten requests in a row that show the service to be away (no connection,
// no answer in time, a status of 5xx, nonsense), calls are refused at once with
// CodeUnavailable and Error.NotSent. The client then asks for an account after
// 1 s, 2 s and so on, every 30 s at last, and lets calls through again as soon as
// that is answered. After a 429 that says when to try again, calls are refused
// with CodeRateLimited and Error.NotSent until then, for 30 s at most.
package hostapi

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hostbot/configs/secret"
)

const (
	defaultTimeout   = 10 * time.Second
	defaultUserAgent = "hostbot"
	// maxSecret bounds the shared secret, in bytes. It keeps the header within
	// what servers accept, and the secret findable in what they send back.
	maxSecret = 1024
)

// Config is what a Client needs. BaseURL and Secret are required.
type Config struct {
	// BaseURL is the address of the service that all paths are relative to.
	BaseURL string
	// Secret is the bearer token shared with the service.
	Secret secret.Text
	// Timeout bounds one request, from connecting to the last byte of the
	// answer; 0 means 10 s. A call may take several requests.
	Timeout time.Duration
	// AllowHTTP permits a BaseURL with plain http to another machine.
	AllowHTTP bool
	// UserAgent is sent with every request, in printable ASCII; empty means
	// "hostbot".
	UserAgent string
	// Operations turns operations off or changes how they are called.
	Operations map[Operation]Override
	// Proxy chooses the proxy for a request over TLS, of which it sees the host
	// and port; nil means the environment's. Requests in plain http go to none.
	Proxy func(*http.Request) (*url.URL, error)
	// Transport sends the requests; nil means a pool of connections of the
	// client's own, which alone heeds Proxy.
	Transport http.RoundTripper
	// Observe, if set, is told of every call when it has ended.
	Observe func(Call)
	// OnDown, if set, is told when the service is taken to be away, with the
	// failure that decided it, and OnUp when it is back, and after how long.
	OnDown func(reason error)
	OnUp   func(after time.Duration)
}

// Call is what there is to observe of a call of a Client's method.
type Call struct {
	Op       Operation
	Code     Code          // empty: it succeeded
	Attempts int           // requests that were made; 0 where the call was refused before
	Duration time.Duration // of the whole call, with its pauses
}

// Client calls the hosting service. It is safe for concurrent use.
type Client struct {
	http *http.Client
	base *url.URL
	// The secret is behind functions, because fmt does not ask a field that is
	// not exported how it wants to be printed.
	reveal    func() string
	mask      func(text string) string
	timeout   time.Duration
	userAgent string
	endpoints map[Operation]endpoint
	observe   func(Call)
	breaker   *breaker
}

// New returns a client, or an error that joins every mistake in c.
func New(c Config) (*Client, error) {
	base, errBase := parseBase(c.BaseURL, c.AllowHTTP)
	errSecret := validateSecret(c.Secret)
	var errTimeout error
	if c.Timeout < 0 {
		errTimeout = errors.New("timeout: is negative")
	}
	var errUserAgent error
	if strings.ContainsFunc(c.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		errUserAgent = errors.New("user agent: holds a character that is not printable ASCII")
	}
	endpoints, errOperations := endpointsWith(c.Operations)
	if err := errors.Join(errBase, errSecret, errTimeout, errUserAgent, errOperations); err != nil {
		return nil, err
	}

	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = defaultUserAgent
	}
	if c.Proxy == nil {
		c.Proxy = http.ProxyFromEnvironment
	}
	if c.Transport == nil {
		c.Transport = newTransport(c.Proxy)
	}
	if c.Observe == nil {
		c.Observe = func(Call) {}
	}
	if c.OnDown == nil {
		c.OnDown = func(error) {}
	}
	if c.OnUp == nil {
		c.OnUp = func(time.Duration) {}
	}
	client := &Client{
		http:      &http.Client{Transport: c.Transport, CheckRedirect: checkRedirect},
		base:      base,
		reveal:    c.Secret.Reveal,
		mask:      masking(c.Secret),
		timeout:   c.Timeout,
		userAgent: c.UserAgent,
		endpoints: endpoints,
		observe:   c.Observe,
	}
	client.breaker = newBreaker(client.tryList, c.OnDown, c.OnUp)
	return client, nil
}

// Offers tells whether an operation is turned on.
func (c *Client) Offers(op Operation) bool {
	_, ok := c.endpoints[op]
	return ok
}

// Health returns what is known of the service as a whole, without asking it.
func (c *Client) Health() Health { return c.breaker.state(time.Now()) }

// Close ends the probing of a service that is away, and closes connections that
// are idle. Calls under way are left alone.
func (c *Client) Close() {
	c.breaker.close()
	c.http.CloseIdleConnections()
}

// parseBase does not repeat the address in its errors: it may hold a password.
func parseBase(address string, allowHTTP bool) (*url.URL, error) {
	if address == "" {
		return nil, errors.New("base URL: is missing")
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("base URL: is not an absolute http or https address")
	}
	switch {
	case u.User != nil:
		return nil, errors.New("base URL: must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("base URL: must end with its path")
	case u.Scheme == "http" && !allowHTTP && !isLoopback(u.Hostname()):
		return nil, errors.New("base URL: plain http to another machine would show the secret to everyone between; use https, or allow it explicitly")
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, fmt.Errorf("base URL: path: %w", err)
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// validateSecret refuses what a header can not hold. What it lets through can
// be found again in any text that the service sends back.
func validateSecret(s secret.Text) error {
	value := s.Reveal()
	switch {
	case value == "":
		return errors.New("secret: is missing")
	case len(value) > maxSecret:
		return fmt.Errorf("secret: is longer than %d bytes", maxSecret)
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("secret: holds a space or a character that is not printable ASCII")
	}
	return nil
}
