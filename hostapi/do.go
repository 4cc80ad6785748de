package hostapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	// maxAnswer bounds the body of an answer, in bytes.
	maxAnswer = 4 << 20
	// byteOrderMark may begin a body. https://www.rfc-editor.org/rfc/rfc8259#section-8.1
	byteOrderMark = "\uFEFF"
	// maxAttempts is how often a request is sent at most. See also Once.
	maxAttempts = 3
	// firstBackoff is the wait before the second attempt, on average; it doubles.
	firstBackoff = 100 * time.Millisecond
	// maxWait bounds how long a call waits in all, before its first request and between its requests.
	maxWait = 10 * time.Second
	// maxSpread bounds the random time that is added to each wait. Without it, all calls that wait for the same pause
	// would be sent at the same moment.
	maxSpread = time.Second
)

// once is the key of contexts that Once returns.
type once struct{}

// Once returns a context for calls that nobody waits for, since they can be made again later. A call with it never waits,
// and its request is sent at most once, or twice if the secret was refused and there is another by now. So the caller
// learns at once what the service answered, such as how long to wait. A 429 to such a call pauses no other call: its
// caller is to make fewer of them.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, once{}, true) }

func isOnce(ctx context.Context) bool { return ctx.Value(once{}) != nil }

// call is one call of an operation.
type call struct {
	op       Operation
	userID   string
	serverID string         // empty if the operation is not about one server
	fields   map[string]any // of the body, beside the user's ID
}

// do makes a call, if its arguments are right and neither the service's limits nor the circuit breaker forbid it. All
// requests to the service are made through it.
func (c *Client) do(ctx context.Context, call call) (got result, err error) {
	started, attempts := time.Now(), 0
	o, failure := c.prepare(call)
	if failure == nil {
		got, attempts, failure = c.guard(ctx, o, call)
	}
	took := time.Since(started)
	if failure != nil {
		failure.Took = took
		c.observe(Call{call.op, failure.Code, attempts, took, failure.Reason()})
		return result{}, failure
	}
	c.observe(Call{call.op, "", attempts, took, ""})
	return got, nil
}

// prepare returns the operation of a call, or the mistake in its arguments.
func (c *Client) prepare(call call) (operation, *Error) {
	o, ok := c.operations[call.op]
	mistake := ""
	switch {
	case !ok:
		return operation{}, &Error{Code: CodeNotOffered, Op: call.op, Detail: "the operation is turned off"}
	case call.userID == "" || !utf8.ValidString(call.userID): // which JSON would carry as another user's
		mistake = "the user ID is empty or no text"
	case !o.takesServer():
	case call.serverID == "" || call.serverID == "." || call.serverID == "..": // a step in the path, however it is escaped
		mistake = "the server ID is empty or a step in the path"
	}
	if mistake != "" {
		return operation{}, &Error{Code: CodeInternal, Op: call.op, Detail: mistake}
	}
	return o, nil
}

// guard makes a call if the limits and the breaker allow it. The breaker is told of every end, also of a panic or
// runtime.Goexit: those tell it nothing about the service, but end its probe.
func (c *Client) guard(ctx context.Context, o operation, call call) (got result, attempts int, failure *Error) {
	patience := maxWait
	if failure = c.await(ctx, call, &patience); failure != nil {
		return result{}, 0, failure
	}
	probe, failure := c.breaker.allow(ctx, call)
	if failure != nil {
		return result{}, 0, failure
	}
	outcome := &Error{Code: CodeInternal, Op: call.op}
	defer func() { c.breaker.record(call.userID, probe, outcome, time.Now()) }()
	got, attempts, outcome = c.send(ctx, o, call, probe, patience)
	return got, attempts, outcome
}

// send makes the request of a call. It makes it again if that is safe, may help, and fits the context's deadline and the
// call's patience.
func (c *Client) send(ctx context.Context, o operation, call call, p *probe, patience time.Duration) (got result, attempts int, failure *Error) {
	most := maxAttempts
	if isOnce(ctx) {
		most = 1
	}
	for backoff := firstBackoff; ; backoff *= 2 {
		attempts++
		used := c.secret.Load()
		got, failure = c.attempt(ctx, o, call)
		if c.renewed(used, failure) { // nothing was carried out, so that an action is sent again as well
			attempts++
			got, failure = c.attempt(ctx, o, call)
		}
		if failure == nil {
			return got, attempts, nil
		}
		failure.Attempts = attempts
		wait := backoff * 2 / 3 // and up to twice that
		if failure.RetryAfter > 0 {
			wait = failure.RetryAfter
		}
		if failure.Code == CodeRateLimited && !isOnce(ctx) {
			c.limits.refused(call.userID, failure.RetryAfter, time.Now())
			c.breaker.giveBack(p)
		}
		if attempts >= most || !repeatable(o, failure) || !c.sleep(ctx, wait, &patience) {
			return result{}, attempts, failure
		}
		if failure = c.await(ctx, call, &patience); failure != nil {
			failure.Attempts = attempts
			return result{}, attempts, failure
		}
	}
}

// await waits until the service's limits allow a request for the call's account. If the call may not wait for so long,
// it returns an error that says how long that takes.
func (c *Client) await(ctx context.Context, call call, patience *time.Duration) *Error {
	for ctx.Err() == nil {
		left := c.limits.left(call.userID, time.Now())
		if left <= 0 {
			return nil
		}
		if isOnce(ctx) || !c.sleep(ctx, left, patience) {
			return &Error{Code: CodeRateLimited, Op: call.op, RetryAfter: left, Detail: "not sent: the service has had too many requests"}
		}
	}
	return Interrupted(ctx, call.op)
}

// sleep waits for a time and a bit longer, or until ctx is done, and takes the time from the call's patience. If the call
// may not wait for so long, it returns false at once.
func (c *Client) sleep(ctx context.Context, wait time.Duration, patience *time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	spread := wait + rand.N(min(wait, maxSpread))
	if wait > *patience || bounded && spread >= time.Until(deadline) {
		return false
	}
	*patience -= wait
	c.breaker.repeats(time.Now().Add(spread))
	select {
	case <-time.After(spread):
	case <-ctx.Done():
	}
	return true
}

// repeatable reports whether a request that failed may be sent again: the failure may pass, and no action can be carried
// out twice by it. An action that was answered with 429 was not carried out. It is sent again if the service said when.
func repeatable(o operation, failure *Error) bool {
	mayPass := failure.Code == CodeUnavailable && failure.Status/100 != 3 || failure.Code == CodeRateLimited
	neverArrived := failure.Status == 0 && !failure.Uncertain
	toldWhen := failure.Code == CodeRateLimited && failure.RetryAfter > 0
	return mayPass && (o.reads || neverArrived || toldWhen)
}

// attempt sends one request and reads the answer.
func (c *Client) attempt(ctx context.Context, o operation, call call) (result, *Error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var connected atomic.Bool // so that the request may have been written
	traced := httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := c.request(traced, o, call)
	if err != nil {
		return result{}, &Error{Code: CodeInternal, Op: o.name, Detail: c.printable(err.Error())}
	}
	res, err := c.http.Do(req)
	if err != nil {
		failure := c.unanswered(ctx, o, err)
		failure.Uncertain = !o.reads && connected.Load()
		return result{}, failure
	}
	defer func() { _ = res.Body.Close() }()
	// The body is read to its end, so that the connection can be used again.
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return result{}, c.judge(ctx, o, c.refused(o, res, body), body)
	case err != nil:
		failure := c.unanswered(ctx, o, err)
		failure.Uncertain, failure.Status = !o.reads, res.StatusCode
		return result{}, failure
	case len(body) > maxAnswer:
		return result{}, c.malformed(o, res, fmt.Sprintf("longer than %d bytes", maxAnswer))
	case res.StatusCode == http.StatusNoContent:
		body = []byte(`{"ok":true}`) // the status says so, and allows no body, nor a record
	}
	answer, err := parse(body)
	if ok, said := answer.ok(); said && !ok { // whatever the status
		return result{}, c.judge(ctx, o, c.refused(o, res, body), body)
	}
	var got result
	if err == nil {
		got, err = o.decode(answer, call.serverID)
	}
	if err != nil {
		return result{}, c.malformed(o, res, whatIs(res, body, err))
	}
	got.server.StatusMap = c.statusMap
	for i := range got.list.Servers {
		got.list.Servers[i].StatusMap = c.statusMap
	}
	return got, c.judgeEmpty(ctx, o, res, got.list, answer)
}

// request builds the request of a call. As http.NewRequest makes a body that can be read again, net/http may send the
// request again by itself. With the methods of actions it does so only if nothing of the request was written.
func (c *Client) request(ctx context.Context, o operation, call call) (*http.Request, error) {
	u := c.base.JoinPath(strings.Replace(o.path, idSegment, url.PathEscape(call.serverID), 1))
	fields := make(map[string]any)
	maps.Copy(fields, call.fields)
	if o.userIn == InQuery {
		u.RawQuery = url.Values{"chatUserId": {call.userID}}.Encode()
	} else {
		fields["chatUserId"] = call.userID
	}
	var body []byte
	if len(fields) > 0 {
		body, _ = json.Marshal(fields) // texts and numbers can always be encoded
	}
	req, err := http.NewRequestWithContext(ctx, o.method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.secret.Load().text().Reveal())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// unanswered returns the error of a request to which no whole answer came.
func (c *Client) unanswered(ctx context.Context, o operation, err error) *Error {
	switch {
	case ctx.Err() != nil:
		return Interrupted(ctx, o.name)
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeUnavailable, Op: o.name, Detail: fmt.Sprintf("no answer within %v", c.timeout), TimedOut: true}
	}
	// The address in a url.Error holds the user's ID; the error in it says enough.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &Error{Code: CodeUnavailable, Op: o.name, Detail: c.printable(err.Error())}
}

// malformed returns the error of an answer of 2xx that makes no sense. An action
// that got one may well have been carried out.
func (c *Client) malformed(o operation, res *http.Response, mistake string) *Error {
	return &Error{
		Code: CodeMalformed, Op: o.name, Status: res.StatusCode, Uncertain: !o.reads,
		Detail: c.printable("malformed answer: " + mistake),
	}
}
