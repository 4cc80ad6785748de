package hostapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxAnswer bounds what is read of one answer, in bytes.
	maxAnswer = 4 << 20
	// maxArgument bounds the ID of a user or a server, in bytes.
	maxArgument = 1024
)

// call is one call of an operation.
type call struct {
	op       Operation
	userID   string
	serverID string         // empty where the operation is not about one server
	fields   map[string]any // of the body, beside the user's ID
}

// do makes a call and decodes the answer to it. Everything that is sent to the
// service is sent here.
func do[T any](ctx context.Context, c *Client, call call, decode func(answer []byte) (T, error)) (T, error) {
	started, attempts := time.Now(), 0
	value, err := func() (value T, _ *Error) {
		e, err := c.endpoint(call)
		if err != nil {
			return value, err
		}
		answer, tries, err := c.send(ctx, e, call)
		attempts = tries
		if err != nil {
			return value, err
		}
		value, mistake := decode(answer.body)
		if mistake != nil {
			err := c.malformed(e, call.op, answer.status, mistake)
			c.breaker.note(call.userID, err)
			return value, err
		}
		c.breaker.note(call.userID, nil)
		return value, nil
	}()
	took := time.Since(started)
	c.observe(Call{Op: call.op, Code: codeOf(err), Attempts: attempts, Duration: took})
	if err != nil {
		err.Attempts, err.Took = attempts, took
		var zero T
		return zero, err
	}
	return value, nil
}

// tryList asks for an account in one request, whatever the breaker says.
func (c *Client) tryList(ctx context.Context, userID string) *Error {
	started, call := time.Now(), call{op: OpList, userID: userID}
	failure := func() *Error {
		e, err := c.endpoint(call)
		if err != nil {
			return err
		}
		answer, err := c.attempt(ctx, e, call)
		if err != nil {
			return err
		}
		if _, mistake := decodeList(answer.body); mistake != nil {
			return c.malformed(e, call.op, answer.status, mistake)
		}
		return nil
	}()
	c.observe(Call{Op: call.op, Code: codeOf(failure), Attempts: 1, Duration: time.Since(started)})
	return failure
}

// codeOf is CodeOf for an error that may be a nil *Error.
func codeOf(err *Error) Code {
	if err == nil {
		return ""
	}
	return err.Code
}

// endpoint returns where a call goes, or what is wrong with its arguments.
func (c *Client) endpoint(call call) (endpoint, *Error) {
	mistake := func(text string) (endpoint, *Error) {
		return endpoint{}, &Error{Code: CodeInternal, Op: call.op, Detail: text}
	}
	e, ok := c.endpoints[call.op]
	switch {
	case !ok:
		return endpoint{}, &Error{Code: CodeNotOffered, Op: call.op, Detail: "the operation is turned off"}
	case call.userID == "":
		return mistake("the user ID is empty")
	case len(call.userID) > maxArgument:
		return mistake(fmt.Sprintf("the user ID is longer than %d bytes", maxArgument))
	case !utf8.ValidString(call.userID):
		// JSON would carry it as another user's.
		return mistake("the user ID is not text")
	case !e.takesServer():
		return e, nil
	case call.serverID == "":
		return mistake("the server ID is empty")
	case len(call.serverID) > maxArgument:
		return mistake(fmt.Sprintf("the server ID is longer than %d bytes", maxArgument))
	case call.serverID == "." || call.serverID == "..":
		// No escaping keeps these from being taken for a step in the path.
		return mistake(fmt.Sprintf("the server ID is %q", call.serverID))
	}
	return e, nil
}

// answer is a success: a status of 2xx and a body within maxAnswer that does
// not say otherwise.
type answer struct {
	status int
	body   []byte
}

// attempt sends one request and reads the answer.
func (c *Client) attempt(ctx context.Context, e endpoint, call call) (answer, *Error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	traced, way := traceWay(bounded)
	req, err := c.request(traced, e, call)
	if err != nil {
		return answer{}, &Error{Code: CodeInternal, Op: call.op, Detail: c.printable(err.Error())}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.unanswered(ctx, call.op, err, !e.reads && way.mayHaveArrived(err))
	}
	defer func() { _ = res.Body.Close() }()
	// Read to the end, so that the connection can be used again.
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return answer{}, c.refused(e, call.op, res, body)
	case err != nil:
		failure := c.unanswered(ctx, call.op, err, !e.reads)
		failure.Status = res.StatusCode
		return answer{}, failure
	case len(body) > maxAnswer:
		return answer{}, c.malformed(e, call.op, res.StatusCode, fmt.Errorf("longer than %d bytes", maxAnswer))
	case saysNotOK(body):
		return answer{}, c.refused(e, call.op, res, body)
	case res.StatusCode == http.StatusNoContent:
		body = []byte(`{"ok":true}`) // what this status says where there can be no body
	}
	return answer{status: res.StatusCode, body: body}, nil
}

// request builds the request of a call. http.NewRequest makes its body one that
// can be read again; for the methods of actions, net/http makes use of that
// only where nothing of the request was written.
func (c *Client) request(ctx context.Context, e endpoint, call call) (*http.Request, error) {
	u := *c.base
	u.RawPath += strings.Replace(e.path, idSegment, url.PathEscape(call.serverID), 1)
	var err error
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	fields := maps.Clone(call.fields)
	if e.userIn == InQuery {
		u.RawQuery = url.Values{"chatUserId": {call.userID}}.Encode()
	} else {
		if fields == nil {
			fields = make(map[string]any, 1)
		}
		fields["chatUserId"] = call.userID
	}
	var body io.Reader
	if len(fields) > 0 {
		encoded, err := json.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, e.method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.reveal())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// unanswered returns the error of a request to which no whole answer came.
func (c *Client) unanswered(ctx context.Context, op Operation, err error, uncertain bool) *Error {
	if ctx.Err() != nil {
		failure := Interrupted(ctx, op)
		failure.Uncertain = uncertain
		return failure
	}
	failure := &Error{Code: CodeUnavailable, Op: op, Uncertain: uncertain}
	if errors.Is(err, context.DeadlineExceeded) {
		failure.Detail, failure.cause = fmt.Sprintf("no answer within %v", c.timeout), context.DeadlineExceeded
		return failure
	}
	// The address in a url.Error holds the user's ID; what it wraps says enough.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	failure.Detail = c.printable(err.Error())
	return failure
}

// malformed returns the error of an answer of 2xx that makes no sense. An action
// that got one may well have been carried out.
func (c *Client) malformed(e endpoint, op Operation, status int, mistake error) *Error {
	return &Error{
		Code: CodeMalformed, Op: op, Status: status, Uncertain: !e.reads,
		Detail: c.printable("malformed answer: " + mistake.Error()),
	}
}
