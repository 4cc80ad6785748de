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
	// longestPause is for how long one refusal is heeded. Discord's limits ask for seconds. Waits of
	// hours were seen that held for one route alone: of GET /gateway/bot, without which the bot does not
	// connect, 12.9 and 23 hours (discord-api-docs#8570), and of Cloudflare an hour (#5385). A question
	// every five minutes is one of the 10,000 refusals in ten minutes that ban an address.
	longestPause = 5 * time.Minute
	// unknownRetryAfter is the wait where a 429 names none, in seconds. Such a 429
	// bans the machine's address for a while: it comes from Cloudflare, or says so in
	// JSON (discord-api-docs#5810). Both may last an hour, so little is gained by haste.
	unknownRetryAfter = 60
	// maxTree bounds the tree of a form's mistakes that is looked through, maxPath a
	// path in it, in bytes.
	maxTree = 256 << 10
	maxPath = 200
)

// refusal says what an answer means that is no success. Of one that is not JSON,
// such as a page of Cloudflare's (discord-api-docs#5385, CSSS/wall_e#664), nothing is
// repeated: it may hold the request's address, and so a token, in any spelling.
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
		// The body and the header of a limit on all requests both say so
		// (https://discord.com/developers/docs/topics/rate-limits). Where the body names
		// no wait, the machine's address is banned.
		e.Global = said.Global || res.Header.Get(scopeHeader) == "global" || said.RetryAfter <= 0
	}
	return e
}

// refusedPaths returns the paths below a path that lead to a mistake in a form. Members
// and indices are the tree's branches, and a mistake is a member _errors
// (https://discord.com/developers/docs/reference#error-messages).
func refusedPaths(node any, path string) (paths []string) {
	if len(path) > maxPath {
		return []string{""} // somewhere
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

// retryAfter returns how long a 429 asks to wait. Discord says so in the body and,
// rounded up to whole seconds, in the header
// (https://discord.com/developers/docs/topics/rate-limits). The longer counts: the
// limit on edits of one message was seen with 1 s in the header and 1163 s in the
// body (discord-api-docs#6109; JDA, Requester.java). Cloudflare's has the header
// alone (Javacord#704), which may be 0 (DiscordSRV#1767).
func retryAfter(header string, body float64) time.Duration {
	seconds, _ := strconv.Atoi(header)
	wait := max(body, float64(seconds))
	if wait <= 0 {
		wait = unknownRetryAfter
	}
	return time.Duration(min(wait, math.MaxInt32) * float64(time.Second)) // what is longer is no time
}
