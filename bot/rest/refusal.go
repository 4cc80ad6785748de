package rest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// maxRetryAfter is the longest wait that is believed, in seconds.
	maxRetryAfter = 24 * 60 * 60
	// unknownRetryAfter is the wait where a 429 names none, in seconds. Such a 429
	// bans the machine's address for a while: it comes from Cloudflare, or says so in
	// JSON (discord-api-docs#5810). Both may last an hour, so little is gained by haste.
	unknownRetryAfter = 60
	// codeCloudflare is the code of what Cloudflare refuses before it comes to
	// Discord, such as requests without a User-Agent.
	// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
	codeCloudflare = 40333
)

// refusal says what an answer means that is no success.
func refusal(res *http.Response, body []byte) *Error {
	var said struct {
		Code       int             `json:"code"`
		Message    string          `json:"message"`
		Errors     json.RawMessage `json:"errors"`
		RetryAfter float64         `json:"retry_after"` // seconds
	}
	if json.Unmarshal(body, &said) != nil {
		said.Message = pageWords(string(body))
	}
	e := &Error{Status: res.StatusCode, Code: said.Code, Uncertain: res.StatusCode >= 500}
	e.Message = cmp.Or(said.Message, http.StatusText(e.Status))
	if len(said.Errors) > 0 {
		e.Message += " " + string(said.Errors)
	}
	switch {
	case e.Status == http.StatusTooManyRequests:
		e.RetryAfter = retryAfter(res.Header.Get("Retry-After"), said.RetryAfter)
	case e.Code == codeCloudflare: // whose words are "internal network error"
		e.Message += " (Cloudflare refuses the request)"
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

// pageWords returns what a page says that is not JSON: its title, or the first
// line of plain text, such as Cloudflare's "error code: 1015"
// (discord-api-docs#5385) or a 503's "upstream connect error or disconnect/reset
// before headers" (CSSS/wall_e#664). Long words are left out: a page may repeat the
// request's address, which holds a token, perhaps in another spelling.
func pageWords(page string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(page), "\n")
	if strings.HasPrefix(line, "<") {
		title := regexp.MustCompile(`(?i)<title[^>]*>([^<\n]*)</title>`).FindStringSubmatch(page)
		if title == nil {
			return ""
		}
		line = title[1]
	}
	line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
	return regexp.MustCompile(`\S{31,}`).ReplaceAllString(line, "…")
}
