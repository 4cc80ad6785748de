package rest

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxRetryAfter is the longest wait that is believed.
	maxRetryAfter = 24 * time.Hour
	// unknownRetryAfter is the wait where a 429 names none. Such a 429 bans the
	// machine's address for a while: it comes from Cloudflare, or says so in JSON
	// (discord-api-docs#5810). Both may last an hour, so little is gained by haste.
	unknownRetryAfter = time.Minute
	// codeCloudflare is the code of what Cloudflare refuses before it comes to
	// Discord, such as requests without a User-Agent.
	// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
	codeCloudflare = 40333
)

// answerError says what an answer means that is no success.
func answerError(res *http.Response, body []byte) *Error {
	e := &Error{Status: res.StatusCode, Uncertain: res.StatusCode >= 500}
	e.Code, e.Message = readBody(e.Status, body)
	switch {
	case e.Status == http.StatusTooManyRequests:
		e.RetryAfter = retryAfter(res, body)
	case e.Code == codeCloudflare: // whose words are "internal network error"
		e.Message += " (Cloudflare refuses the request)"
	}
	return e
}

// retryAfter returns how long a 429 asks to wait. Discord says so in the body and,
// rounded up to whole seconds, in the header
// (https://discord.com/developers/docs/topics/rate-limits). Where they differ by more
// the longer counts: the limit on edits of one message was seen with 1 s in the
// header and 1163 s in the body (discord-api-docs#6109; JDA, Requester.java).
// Cloudflare's has the header alone (Javacord#704), which may be 0 (DiscordSRV#1767).
func retryAfter(res *http.Response, body []byte) time.Duration {
	var said struct {
		RetryAfter *float64 `json:"retry_after"` // seconds
	}
	_ = json.Unmarshal(body, &said) // a page says nothing
	header, _ := strconv.ParseFloat(res.Header.Get("Retry-After"), 64)
	switch {
	case said.RetryAfter != nil && !(header > math.Ceil(*said.RetryAfter)):
		return seconds(*said.RetryAfter)
	case header > 0 || said.RetryAfter != nil:
		return seconds(header)
	default:
		return unknownRetryAfter
	}
}

// seconds returns a wait; what cannot be one is 0.
func seconds(n float64) time.Duration {
	if !(n > 0) { // which NaN is not
		return 0
	}
	return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
}

// readBody returns Discord's code and words, or the words of what answered in its
// place.
func readBody(status int, body []byte) (code int, message string) {
	var said struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &said) != nil {
		return 0, pageWords(status, string(body))
	}
	message = cmp.Or(said.Message, http.StatusText(status))
	if len(said.Errors) > 0 {
		message += " " + string(said.Errors)
	}
	return said.Code, message
}

const (
	// maxPage is how much of a page is looked at, in bytes.
	maxPage = 4 << 10
	// maxWord is the longest word of a page that is told, in bytes. A page may
	// repeat the request's address, which holds a token.
	maxWord = 30
)

// pageWords returns what a page says that is not JSON: its title, or the first
// line of plain text, such as Cloudflare's "error code: 1015"
// (discord-api-docs#5385) or a 503's "upstream connect error or disconnect/reset
// before headers" (CSSS/wall_e#664).
func pageWords(status int, page string) string {
	line := strings.TrimSpace(page[:min(len(page), maxPage)])
	if strings.HasPrefix(line, "<") {
		line = title(line)
	}
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(strings.ToValidUTF8(line, ""))
	for i, word := range words {
		if len(word) > maxWord {
			words[i] = "…"
		}
	}
	if len(words) == 0 {
		return http.StatusText(status)
	}
	return strings.Join(words, " ")
}

// title returns the title of an HTML page, or nothing.
func title(page string) string {
	lower := strings.ToLower(page)
	if len(lower) != len(page) { // it is not in ASCII, so the places would differ
		return ""
	}
	_, rest, _ := strings.Cut(lower, "<title")
	_, rest, _ = strings.Cut(rest, ">")
	text, _, closed := strings.Cut(rest, "</title>")
	if !closed {
		return ""
	}
	start := len(page) - len(rest)
	return page[start : start+len(text)]
}
