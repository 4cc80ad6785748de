package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Blip is for how long nobody believes the service if it no longer lists an account, or a server, that it listed before.
const Blip = 10 * time.Minute

// Several is how many accounts must fail, or be no longer found, before that counts as an outage of the service.
const Several = openAfter

// A 404 may come from a gateway that does not find the service. The body of such an answer is a page, plain text, nothing
// at all, or JSON about a route (Kong, Spring, FastAPI, Express). So a 404 is the service's own word about an account or
// a server only if its body is JSON that speaks of one. A 404 without that is taken to say that the service is away, if it
// answers an action or the question for an account that was listed before. A 404 for an account of which nothing was
// known is believed, unless the circuit breaker is open.

// listing is the key of contexts that AsListed returns.
type listing struct{}

// Listing is how the service listed an account before.
type Listing struct {
	At      time.Time // the last time
	Servers int       // how many it had then
}

// AsListed returns a context for asking for an account that the service has listed before. If the service then does not
// find the account, or lists no servers of it, the error has Doubted set, unless the service says so in its own words.
func AsListed(ctx context.Context, l Listing) context.Context {
	return context.WithValue(ctx, listing{}, l)
}

// judge decides whether an answer is believed if it says that there is no such account or server.
func (c *Client) judge(ctx context.Context, o operation, failure *Error, body []byte) *Error {
	if failure.Code != CodeNotFound {
		return failure
	}
	failure.OwnWord = failure.Status/100 == 2 || speaksOf(o, body) // a service that refuses in the body was there
	known, listed := ctx.Value(listing{}).(Listing)
	switch {
	case failure.OwnWord, o.name == OpGet: // the service may not have Get: the list tells
	case o.name != OpList, !listed && !c.breaker.downSince().IsZero():
		failure.Code = CodeUnavailable
	case listed:
		return c.doubt(failure, known, failure.Detail)
	}
	return failure
}

// judgeEmpty decides whether a list without servers is believed. It returns nil if so.
func (c *Client) judgeEmpty(ctx context.Context, o operation, res *http.Response, l List, answer object) *Error {
	known, _ := ctx.Value(listing{}).(Listing)
	// The count may say expressly that the account has no servers.
	count := scalar(answer.object("account").member("serverCount"))
	if o.name != OpList || len(l.Servers) > 0 || known.Servers == 0 || count == "0" || count == "0.0" {
		return nil
	}
	return c.doubt(&Error{Op: o.name, Status: res.StatusCode}, known, "an empty list")
}

// doubt returns the error of an answer that is not believed about an account that was listed before.
func (c *Client) doubt(failure *Error, known Listing, answer string) *Error {
	failure.Code, failure.Doubted = CodeUnavailable, true
	failure.Detail = c.printable(fmt.Sprintf("the service does not find what it listed %v ago: %s", time.Since(known.At).Round(time.Second), answer))
	return failure
}

var (
	// wordBreak is where a word of a name such as accountNotFound or ACCOUNT_NOT_FOUND ends.
	wordBreak = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notWords  = regexp.MustCompile(`[^a-z0-9]+`)
	// repeatsPath is a text that repeats what was asked for, as routers do.
	repeatsPath = regexp.MustCompile(`(^|[\s"'(:])/\w|\?\w+=`)
	link        = regexp.MustCompile(`https?://\S+`)
	// ofRoutes are the words of gateways and routers.
	ofRoutes  = regexp.MustCompile(`\b(routes?|router|paths?|endpoints?|urls?|uri|pages?|resources?|methods?|upstreams?|backends?|services?|proxy|gateway|host|hostname|domain|handler|deployment|instances?|listener|operation|function|api|agent)\b`)
	ofAccount = regexp.MustCompile(`\b(chat|discord)?(accounts?|users?|customers?|members?|subscribers?)(id)?\b`)
	// ofServer is a server that is not found, which is not one that does not find something.
	ofServer = regexp.MustCompile(`\b(no such|unknown|no query results for model( \w+)*) (server|bot)s?\b|\b(server|bot)s?( \w+){0,6}? (not|t) (be )?(found|exists?)\b`)
)

// speaksOf reports whether a body is a JSON object whose code or message speaks of the account, or of the
// server that an operation is about.
func speaksOf(o operation, body []byte) bool {
	var answer map[string]any
	if len(body) > maxReason || json.Unmarshal(body, &answer) != nil {
		return false
	}
	return slices.ContainsFunc(textsIn(answer), func(text string) bool {
		text = link.ReplaceAllString(text, " ")
		words := notWords.ReplaceAllString(strings.ToLower(wordBreak.ReplaceAllString(text, "$1 $2")), " ")
		switch {
		case repeatsPath.MatchString(text), ofRoutes.MatchString(words):
			return false
		case ofAccount.MatchString(words):
			return true
		default:
			return o.takesServer() && ofServer.MatchString(words)
		}
	})
}

// textsIn returns the texts in which a body says what is wrong: not the address that was asked for, nor the time.
func textsIn(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, member := range v {
			texts = append(texts, textsIn(member)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch notWords.ReplaceAllString(strings.ToLower(name), "") {
			case "error", "errors", "message", "messages", "msg", "code", "errorcode", "errormsg", "errormessage", "detail", "details", "title", "reason", "description", "errordescription":
				texts = append(texts, textsIn(v[name])...)
			}
		}
	}
	return texts
}
