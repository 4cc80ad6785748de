package hostapi

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxReason bounds what is looked at of a body that reports a failure, in
	// bytes.
	maxReason = 64 << 10
	// maxDetail bounds Error.Detail, in characters.
	maxDetail = 200
)

// reasonIn returns what a body says about a failure, for people, and the code
// that it gives. The body may be JSON, a page, plain text or empty.
func reasonIn(body []byte) (words, code string) {
	body = bytes.TrimSpace(body[:min(len(body), maxReason)])
	if isHTML(body) {
		return textOf(body), ""
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return string(body), ""
	}
	nested, _ := fields["error"].(map[string]any) // {"error": {"message": …, "code": …}}
	var parts []string
	for _, object := range []map[string]any{nested, fields} {
		for _, name := range []string{"error", "message", "code"} {
			if text, ok := object[name].(string); ok && text != "" && !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
		if text, ok := object["code"].(string); ok && code == "" {
			code = text
		}
	}
	if parts == nil && len(fields) > 0 {
		return string(body), ""
	}
	return strings.Join(parts, ": "), code
}

// printable makes text from outside fit for Error.Detail. The secret is looked
// for before the text is cut, as it might be cut in two.
func (c *Client) printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r): // as control and format characters
			return -1
		default:
			return r
		}
	}, text[:min(len(text), maxReason)])
	runes := []rune(strings.Join(strings.Fields(c.secret.Load().mask(text)), " "))
	if len(runes) > maxDetail {
		return string(runes[:maxDetail-1]) + "…"
	}
	return string(runes)
}

// masking returns a function that puts mask in the place of a secret, as the
// secret is or as Go, JSON, an address or a page writes it.
func masking(secret, mask string) func(text string) string {
	encoded, _ := json.Marshal(secret) // which cannot fail for a string
	var pairs []string
	for _, form := range []string{
		secret, strings.Trim(strconv.Quote(secret), `"`), strings.Trim(string(encoded), `"`),
		url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
	} {
		pairs = append(pairs, form, mask, strings.ReplaceAll(form, "/", `\/`), mask) // some write JSON with \/
	}
	return strings.NewReplacer(pairs...).Replace
}
