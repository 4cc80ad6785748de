package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// longestPause bounds how long one refusal is heeded. Discord's limits ask for seconds. Waits of hours have
	// been seen on single routes: 12.9 and 23 hours on GET /gateway/bot (discord-api-docs#8570), an hour from
	// Cloudflare (#5385). Asking every five minutes adds little to the 10,000 refusals in ten minutes that ban an
	// address.
	longestPause = 5 * time.Minute
	// unknownRetryAfter is the wait if a 429 names none, in seconds. Such a 429 means that the machine's address
	// is banned: it comes from Cloudflare, or says so in JSON (discord-api-docs#5810). The ban may last an hour,
	// so haste gains little.
	unknownRetryAfter = 60
	// maxTree bounds the tree of a form's mistakes that is parsed, maxPath a path in it, in bytes.
	maxTree = 256 << 10
	maxPath = 200
)

// refusal returns the error of an answer that is no success. Of an answer that is not JSON, such as a page of
// Cloudflare's (discord-api-docs#5385, CSSS/wall_e#664), nothing is repeated: it may contain the request's
// address, and so a token, in any spelling.
func refusal(res *http.Response, body []byte) *Error {
	var said struct {
		Code       int             `json:"code"`
		Message    string          `json:"message"`
		Errors     json.RawMessage `json:"errors"`
		RetryAfter float64         `json:"retry_after"` // seconds
		Global     bool            `json:"global"`
	}
	e := &Error{Status: res.StatusCode, Uncertain: res.StatusCode >= 500}
	if json.Unmarshal(body, &said) != nil {
		said.Message = http.StatusText(e.Status) + " (not in JSON: Cloudflare or a proxy answered)"
	}
	e.Code, e.Message = said.Code, cmp.Or(said.Message, http.StatusText(e.Status))
	if len(said.Errors) > 0 {
		e.Message += " " + string(said.Errors)
		if len(said.Errors) <= maxTree {
			var tree any
			_ = json.Unmarshal(said.Errors, &tree) // what is no tree has no paths
			e.Form = slices.Sorted(slices.Values(refusedPaths(tree, "")))
		}
	}
	if e.Status == http.StatusTooManyRequests {
		asked := retryAfter(res.Header.Get("Retry-After"), said.RetryAfter)
		if e.RetryAfter = min(asked, longestPause); asked > longestPause {
			e.Message = fmt.Sprintf("it asks to wait for %v: %s", asked.Round(time.Second), e.Message)
		}
		// Body and header both say that a limit is global (https://discord.com/developers/docs/topics/rate-limits).
		// If the body names no wait, the machine's address is banned.
		e.Global = said.Global || res.Header.Get(scopeHeader) == "global" || said.RetryAfter <= 0
	}
	return e
}

// refusedPaths returns the paths of all mistakes in a form, below a node at path. Members and indices are the
// tree's branches; a member _errors is a mistake (https://discord.com/developers/docs/reference#error-messages).
func refusedPaths(node any, path string) (paths []string) {
	if len(path) > maxPath {
		return []string{""} // unknown
	}
	branches, _ := node.(map[string]any)
	for step, below := range branches {
		if step == "_errors" {
			paths = append(paths, path)
			continue
		}
		paths = append(paths, refusedPaths(below, strings.TrimPrefix(path+"."+step, "."))...)
	}
	return paths
}

// retryAfter returns how long a 429 asks to wait. Discord names the time in the body and, rounded up to whole
// seconds, in the header (https://discord.com/developers/docs/topics/rate-limits). The longer one counts: the
// limit on edits of one message was seen with 1 s in the header and 1163 s in the body (discord-api-docs#6109;
// JDA, Requester.java). Cloudflare sends only the header (Javacord#704); it may be 0 (DiscordSRV#1767).
func retryAfter(header string, body float64) time.Duration {
	seconds, _ := strconv.Atoi(header)
	wait := max(body, float64(seconds))
	if wait <= 0 {
		wait = unknownRetryAfter
	}
	return time.Duration(min(wait, math.MaxInt32) * float64(time.Second)) // more does not fit a Duration
}
