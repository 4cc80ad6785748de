// Package hostapi is the client of the hosting service.
//
// The service hosts customers' applications in containers and calls each a
// server. An account belongs to one user of the chat platform. Every method
// takes that user's ID, and the service answers only about that user's servers.
//
// Every error is an *Error. Its code is the kind of failure. For an action it also says whether the action may have
// been carried out all the same. An action has succeeded only if the answer says "ok": true or is a 204. Any other
// answer of 2xx leaves it open, and so does one to a creation without the new server's ID.
//
// Answers are read tolerantly: see object. An HTML page is not the service's answer: the service is unavailable. Under
// 3xx or 4xx it also means that an action has not reached the service.
//
// Operations that only read are tried up to three times within their context's deadline. Actions are sent again only if
// they certainly did not reach the service, if it refused the secret and another is in use by now, or if it answered 429
// and said when to try again. A call waits for 10 s at most in all.
//
// The client has a circuit breaker. It opens when the calls of five accounts
// have shown the service to be away (no connection, no answer in time, a status
// of 5xx, an answer that makes no sense, a 404 to the question for an account that it has
// listed) and none has succeeded between. While
// it is open, one call at a time is let through, and closes the breaker if the
// service answers it. Others wait for that for a second at most, and fail with
// CodeUnavailable after no attempt. Accounts whose calls failed fail at once, but for
// one call a second.
//
// After a 429 that says when to try again, no request is made for the same account until then, for
// ten minutes at most. If another account meets a 429 before that, within 30 s, none is made for
// any account, for 30 s at most. Calls wait for that as above, or fail with CodeRateLimited after
// no attempt. A 429 neither opens the breaker nor closes it.
package hostapi

import (
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Call describes a call of a Client's method that has ended.
type Call struct {
	Op       Operation
	Code     Code          // empty: it succeeded
	Attempts int           // requests that were made; 0 where the call was refused before
	Duration time.Duration // of the whole call, with its pauses
	Reason   string        // why it failed, as Error.Reason says it; empty if it succeeded
}

// Client calls the hosting service. It is safe for concurrent use.
type Client struct {
	http       *http.Client
	base       *url.URL
	secret     *atomic.Pointer[secretInUse]
	timeout    time.Duration
	userAgent  string
	operations map[Operation]operation
	statusMap  StatusMap
	observe    func(Call)
	limits     *limits
	breaker    *breaker
	renewal    *renewal
}

// New returns a client, or an error that joins the mistakes that Validate finds.
func New(c Config) (*Client, error) {
	var wrong error
	for _, mistake := range c.Validate() {
		wrong = errors.Join(wrong, mistake)
	}
	if wrong != nil {
		return nil, wrong
	}
	base, _ := ParseURL(c.BaseURL, c.AllowHTTP) // which is valid
	operations, _ := operationsWith(c.Operations)
	if c.Transport == nil {
		c.Transport = newTransport(http.ProxyFromEnvironment)
	}
	client := &Client{
		// A redirect is the answer, and so a failure. net/http would turn an action into a
		// GET, and would take the secret along to subdomains and from https to http.
		http: &http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		base:       base,
		secret:     new(atomic.Pointer[secretInUse]),
		timeout:    c.Timeout,
		userAgent:  c.UserAgent,
		operations: operations,
		statusMap:  c.StatusMap,
		observe:    c.Observe,
		limits:     &limits{accounts: make(map[string]time.Time)},
		breaker:    &breaker{onDown: c.OnDown, onUp: c.OnUp, failing: make(map[string]bool)},
		renewal:    &renewal{look: c.OnRefused},
	}
	client.secret.Store(newSecretInUse(c.Secret))
	return client, nil
}

// Offers reports whether an operation is turned on.
func (c *Client) Offers(op Operation) bool {
	_, ok := c.operations[op]
	return ok
}

// DownSince returns since when the circuit breaker is open; zero: it is closed.
func (c *Client) DownSince() time.Time { return c.breaker.downSince() }

// WaitsUntil returns when the client next sends a paused request: a retry, a call for an account whose calls fail or,
// after a 429, one for the account that met it last or for any. It may be in the past.
func (c *Client) WaitsUntil() time.Time { return later(c.breaker.waitsUntil(), c.limits.until()) }

// Close closes connections that are idle. Calls under way are left alone.
func (c *Client) Close() { c.http.CloseIdleConnections() }
