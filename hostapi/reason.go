package hostapi

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"

	"hostbot/bot/safetext"
)

const (
	// maxReason bounds what is looked at of a body that reports a failure, in
	// bytes.
	maxReason = 64 << 10
	// maxDetail bounds Error.Detail, in characters.
	maxDetail = 200
	// maxNesting bounds how deep a reason is looked for in JSON.
	maxNesting = 4
)

// printable makes text from outside fit for Error.Detail. The secret is looked
// for when the text is clean, as it might have been broken up by characters
// that do not show, and before it is cut, as it might be cut in two.
func (c *Client) printable(text string) string {
	if len(text) > maxReason {
		text = text[:maxReason]
	}
	clean := safetext.Plain(text, len(text))
	return safetext.Plain(c.mask(clean), maxDetail)
}

// reasonIn returns what a body says about a failure: the words that JSON holds
// under the usual keys, the title or text of a page, or the text as it is.
func reasonIn(contentType string, body []byte) string {
	body = bytes.TrimSpace(body[:min(len(body), maxReason)])
	var document any
	if err := json.Unmarshal(body, &document); err == nil {
		if words := reasonsOf(document, maxNesting); len(words) > 0 {
			return strings.Join(words, ": ")
		}
		if bytes.Equal(body, []byte("null")) || bytes.Equal(body, []byte("{}")) {
			return ""
		}
		return string(body)
	}
	if strings.Contains(contentType, "html") || looksLikeHTML.Match(body) {
		return pageText(string(body))
	}
	return string(body)
}

// reasonsOf collects what a JSON value says, without saying anything twice.
func reasonsOf(value any, nesting int) []string {
	if nesting == 0 {
		return nil
	}
	var words []string
	add := func(more ...string) {
		for _, word := range more {
			if word = strings.TrimSpace(word); word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	switch value := value.(type) {
	case string:
		add(value)
	case []any:
		for _, item := range value[:min(len(value), 3)] {
			add(reasonsOf(item, nesting-1)...)
		}
	case map[string]any:
		for _, key := range []string{"error", "message", "detail", "reason", "errors", "code"} {
			add(reasonsOf(value[key], nesting-1)...)
		}
	}
	return words
}

var (
	looksLikeHTML = regexp.MustCompile(`(?i)^<(!doctype|html|head|body)`)
	pageTitle     = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
	notText       = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->|<[^>]*>`)
)

// isPage tells of a body that is an HTML page. The type alone does not: some
// frameworks give it to any text that has none.
func isPage(contentType string, body []byte) bool {
	body = bytes.TrimSpace(body)
	return looksLikeHTML.Match(body) || strings.Contains(contentType, "html") && bytes.HasPrefix(body, []byte("<"))
}

// pageText returns the title of an HTML page, or its text where it has none.
func pageText(page string) string {
	if title := pageTitle.FindStringSubmatch(page); title != nil && strings.TrimSpace(title[1]) != "" {
		return html.UnescapeString(title[1])
	}
	return html.UnescapeString(notText.ReplaceAllString(page, " "))
}
