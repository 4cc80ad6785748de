package rest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxRetryAfter is the longest wait that is believed, in seconds.
	maxRetryAfter = 24 * 60 * 60
	// unknownRetryAfter is the wait where a 429 names none, in seconds. Such a 429
	// bans the machine's address for a while: it comes from Cloudflare, or says so in
	// JSON (discord-api-docs#5810). Both may last an hour, so little is gained by haste.
	unknownRetryAfter = 60
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
	}
	if e.Status == http.StatusTooManyRequests {
		e.RetryAfter = retryAfter(res.Header.Get("Retry-After"), said.RetryAfter)
		// The body and the header of a limit on all requests both say so
		// (https://discord.com/developers/docs/topics/rate-limits). Where the body names
		// no wait, the machine's address is banned.
		e.Global = said.Global || res.Header.Get("X-RateLimit-Scope") == "global" || said.RetryAfter <= 0
	}
	return e
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
	return time.Duration(min(wait, maxRetryAfter) * float64(time.Second))
}
