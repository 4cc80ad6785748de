// Package hostapi is the client of the hosting service.
//
// The service hosts customers' applications in containers and calls each a
// server. An account belongs to one user of the chat platform. Every method
// takes that user's ID, and the service answers only about that user's servers.
//
// Every error is an *Error. Its code is the kind of failure. If an action fails, the error also says whether the service
// may have carried it out all the same. An action has succeeded only if the answer says "ok": true or is a 204. After any
// other answer of 2xx nobody knows whether it has, nor after an answer to a creation that lacks the new server's ID.
//
// Answers are read tolerantly: see object. An HTML page is not the service's answer, so the service counts as
// unavailable. A page with a status of 3xx or 4xx also means that an action has not reached the service.
//
// An operation that only reads is tried up to three times within its context's deadline. An action is sent again only in
// three cases: it certainly did not reach the service; the service refused the secret, and another is in use by now; the
// service answered 429 and said when to try again. In all, a call waits for at most 10 s.
//
// The client has a circuit breaker. It opens when calls for five accounts have shown that the service is away, and none
// has succeeded in between. What shows it is no connection, no answer in time, a status of 5xx, an answer that makes no
// sense, or a 404 for an account that the service has listed before. While the breaker is open, one call at a time is let
// through. If the service answers it, the breaker closes. Other calls wait for that call for at most a second, and then
// fail with CodeUnavailable without an attempt. Calls for an account whose last call failed do not wait: they fail at
// once, but one call a second for these accounts is let through.
//
// If the service answers 429 and says when to try again, no request is made for the same account until then, for at most
// ten minutes. If it answers 429 for another account meanwhile, within 30 s, no request is made for any account, for at
// most 30 s. A call waits until the pause is over, as above, or fails with CodeRateLimited without an attempt. A 429
// neither opens the breaker nor closes it.
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
	Attempts int           // requests that were made; 0 if none was, as the call was refused before
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

// WaitsUntil returns when the client next sends a request that waits: the latest retry, a call for an account whose calls
// fail, or a call that was paused by the latest 429. The time may be in the past.
func (c *Client) WaitsUntil() time.Time { return later(c.breaker.waitsUntil(), c.limits.until()) }

// Close closes idle connections. Calls under way go on.
func (c *Client) Close() { c.http.CloseIdleConnections() }
